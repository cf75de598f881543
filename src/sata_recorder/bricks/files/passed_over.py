"""How many sectors of a recording were passed over."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["PassedOver"]


class PassedOver(wiring.Component):
    """Adds up what the operations of a recording have passed over. The journal is that of the latest one alone.

    Latency: a clock from ``add``.

    Members
    -------
    begin : In(1)           One clock: a recording begins.
    add : In(1)             One clock: an operation has ended.
    sectors : In(48)        With ``add``: the sectors that it has passed over.
    total : Out(48)
    some : Out(1)           There are some.
    """

    begin: In(1)
    add: In(1)
    sectors: In(48)
    total: Out(48)
    some: Out(1)

    def elaborate(self, platform):
        m = Module()
        total = Signal(48)
        m.d.comb += [self.total.eq(total), self.some.eq(total.any())]
        with m.If(self.begin):
            m.d.sync += total.eq(0)
        with m.Elif(self.add):
            m.d.sync += total.eq(total + self.sectors)
        return m
