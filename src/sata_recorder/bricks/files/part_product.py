"""How many sectors several parts of a slot have."""

from amaranth.hdl import Module, Mux, Signal
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
    count : In(16)          With ``begin``: parts.
    part : In(48)           Sectors of each of them, from the clock after ``begin`` on.
    most : In(48)           Sectors that there are.
    sectors : Out(48)       Those of the parts.
    beyond : Out(1)         They are more than ``most``: ``sectors`` is not valid.
    """

    begin: In(1)
    count: In(_COUNT)
    part: In(48)
    most: In(48)
    sectors: Out(48)
    beyond: Out(1)

    def elaborate(self, platform):
        m = Module()
        bits = Signal(_COUNT)       # of the count, the highest one first
        left = Signal(range(_COUNT + 1))
        # One step after a sum that is not beyond 48 bits.
        total = Signal(50)
        m.d.comb += self.sectors.eq(total)
        m.d.sync += self.beyond.eq(self.beyond | (total > self.most))
        with m.If(left != 0):
            m.d.sync += [
                total.eq((total << 1) + Mux(bits[-1], self.part, 0)),
                bits.eq(bits << 1), left.eq(left - 1),
            ]
        with m.If(self.begin):
            m.d.sync += [bits.eq(self.count), left.eq(_COUNT), total.eq(0), self.beyond.eq(0)]
        return m
