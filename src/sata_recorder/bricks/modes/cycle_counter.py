"""The time of a recorder: clocks since reset, and the latest edge of a pulse per second."""

from amaranth.hdl import Module, Signal
from amaranth.lib import cdc, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CycleCounter"]

#: Bits of each half of the count.
_HALF = 32


class CycleCounter(wiring.Component):
    """Counts clocks, and latches the count at each rising edge of a pulse per second.

    Latency: an edge of ``pps`` counts 3 clocks after it came. It may be of any clock, and must be
    high and low for more than one clock of this domain each.

    Members
    -------
    now : Out(64)           Clocks since reset.
    pps : In(1)             The pulse per second; 0 for none.
    pps_time : Out(64)      ``now`` of the latest rising edge of ``pps``.
    pps_edges : Out(32)     The rising edges of ``pps`` since reset.
    """

    now: Out(64)
    pps: In(1)
    pps_time: Out(64)
    pps_edges: Out(32)

    def elaborate(self, platform):
        m = Module()
        level = Signal()
        before = Signal(init=1)     # a level that is high at reset is no edge
        m.submodules.synchronizer = cdc.FFSynchronizer(self.pps, level, init=1)
        low, high = self.now[:_HALF], self.now[_HALF:]
        m.d.sync += [low.eq(low + 1), high.eq(high + low.all()), before.eq(level)]
        with m.If(level & ~before):
            m.d.sync += [self.pps_time.eq(self.now), self.pps_edges.eq(self.pps_edges + 1)]
        return m
