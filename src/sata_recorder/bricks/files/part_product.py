"""How many sectors several parts of a slot have."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["PartProduct"]

_COUNT = 16


class PartProduct(wiring.Component):
    """Multiplies, one bit of ``count`` a clock, and checks whether that is too much.

    Latency: 18 clocks from ``begin``.

    Members
    -------
    begin : In(1)           One clock.
    checks : In(1)          With ``begin``: for ``beyond``; else for ``sectors``.
    count : In(16)          With ``begin``: parts.
    part : In(48)           Sectors of each of them, from the clock after ``begin`` on.
    most : In(48)           Sectors that there are.
    sectors : Out(48)       Those of the parts.
    beyond : Out(1)         They are more than ``most``.
    """

    begin: In(1)
    checks: In(1)
    count: In(_COUNT)
    part: In(48)
    most: In(48)
    sectors: Out(48)
    beyond: Out(1)

    def elaborate(self, platform):
        m = Module()
        bits = Signal(_COUNT)       # of the count, the highest one first
        left = Signal(range(_COUNT + 2))
        compares = Signal()         # the last step is a comparison,
        last = Signal()             # this one
        # With carry, then with a sign; 48 bits as long as no step was ``over``.
        total = Signal(50)
        over = Signal()
        m.d.comb += [self.sectors.eq(total), self.beyond.eq(over | ~total[-1])]
        m.d.sync += last.eq(compares & (left == 2))
        with m.If(left != 0):
            # Twice the parts less twice what there is, less 1: negative unless they are more.
            m.d.sync += [
                total.eq((total << 1) + Mux(last, ~Cat(C(0, 1), self.most, C(0, 1)), Mux(bits[-1], self.part, 0))),
                bits.eq(bits << 1), left.eq(left - 1), over.eq(over | total[48:].any()),
            ]
        with m.If(self.begin):
            m.d.sync += [bits.eq(self.count), left.eq(_COUNT + self.checks), compares.eq(self.checks),
                         total.eq(0), over.eq(0)]
        return m
