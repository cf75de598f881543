"""When a file is to be brought up to date."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["IntervalTimer"]


class IntervalTimer(wiring.Component):
    """Counts seconds.

    Parameters
    ----------
    clock_hz : int

    Members
    -------
    restart : In(1)         One clock: an interval begins.
    seconds : In(16)        With ``restart``: its length; 0: it never ends.
    due : Out(1)            It is over, until ``restart``.
    """

    def __init__(self, clock_hz):
        self._clock_hz = clock_hz
        super().__init__({"restart": In(1), "seconds": In(16), "due": Out(1)})

    def elaborate(self, platform):
        m = Module()
        clocks = Signal(range(self._clock_hz))
        left = Signal(16)
        second = Signal()
        m.d.comb += second.eq((clocks == self._clock_hz - 1) & (left != 0))
        with m.If(clocks != self._clock_hz - 1):
            m.d.sync += clocks.eq(clocks + 1)
        with m.If(second):
            m.d.sync += [left.eq(left - 1), self.due.eq(left == 1)]
        with m.If(self.restart):
            m.d.sync += [left.eq(self.seconds), self.due.eq(0)]
        with m.If(self.restart | second):
            m.d.sync += clocks.eq(0)
        return m
