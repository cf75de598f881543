"""A timer that has several limits."""

from math import ceil

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Timer"]

_TICKS = 7


class Timer(wiring.Component):
    """Reports when it has not been restarted for as long as the limit that is selected.

    It counts ticks of a power of two of clocks, each at most 1/64 of the shortest limit. It is
    never early, and late by two ticks and four clocks at most.

    Parameters
    ----------
    limits : list of int    The limits in clocks, each at least 1.

    Members
    -------
    ticks : In(7)       With ``restart``, unless it is 0: the limit is this many ticks, early by one at most.
    select : In         With ``restart``: the index of the limit that begins to run.
    restart : In(1)     Starts the timer again from the beginning of a limit.
    expired : Out(1)    The limit has passed. It stays high until the clock after ``restart``.
    """

    def __init__(self, limits):
        self._limits = limits
        super().__init__({
            "select": In(range(len(limits))), "ticks": In(_TICKS), "restart": In(1), "expired": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        shift = max(0, (min(self._limits) // 64).bit_length() - 1)
        # One tick more, because the first one may be almost over.
        ticks = [ceil(limit / (1 << shift)) + 1 for limit in self._limits]

        divider = Signal(shift)
        tick = Signal()
        m.d.sync += Cat(divider, tick).eq(divider + 1)
        left = Signal(range(max(ticks) + 1), init=max(ticks))
        with m.If(self.restart):
            with m.Switch(self.select):
                for index, count in enumerate(ticks):
                    with m.Case(index):
                        m.d.sync += left.eq(count)
            with m.If(self.ticks != 0):
                m.d.sync += left.eq(self.ticks)
        with m.Elif(tick & (left != 0)):
            m.d.sync += left.eq(left - 1)
        m.d.sync += self.expired.eq(~self.restart & (left == 0))
        return m
