"""When the next COMRESET may come."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["ComresetInterval"]


class ComresetInterval(wiring.Component):
    """Measures the time from one COMRESET to the next, which doubles with each try that fails.

    Parameters
    ----------
    clocks : int        The shortest interval.
    longest : int       The longest interval, as a multiple of the shortest; a power of two.

    Members
    -------
    begin : In(1)       A COMRESET begins: the interval runs from here.
    succeeded : In(1)   The link is up: after the interval that runs, the next is the shortest.
    restart : In(1)     The interval is over at once, and the next is the shortest.
    over : Out(1)       The interval is over: a COMRESET may begin.
    """

    begin: In(1)
    succeeded: In(1)
    restart: In(1)
    over: Out(1)

    def __init__(self, clocks, longest):
        self._clocks = clocks
        self._longest = longest
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        # Of the shortest interval: as many as the next one has, whole ones that are left of this
        # one, and clocks that are left of the one that runs.
        following = Signal(range(self._longest + 1), init=1)
        intervals = Signal(range(self._longest + 1))
        clocks = Signal(range(self._clocks))
        m.d.comb += self.over.eq(intervals == 0)
        with m.If(~self.over):
            m.d.sync += clocks.eq(clocks - 1)
            with m.If(clocks == 0):
                m.d.sync += [clocks.eq(self._clocks - 1), intervals.eq(intervals - 1)]
        with m.If(self.begin):
            m.d.sync += [intervals.eq(following), clocks.eq(self._clocks - 1)]
            with m.If(following != self._longest):
                m.d.sync += following.eq(following << 1)
        with m.If(self.succeeded):
            m.d.sync += following.eq(1)
        with m.If(self.restart):
            m.d.sync += [intervals.eq(0), following.eq(1)]
        return m
