"""A timer that has several limits."""

from math import ceil

from amaranth.hdl import C, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CLOCKS_BITS", "Timer"]

_TICKS = 7
#: Bits of the count of clocks that all timers share: 1/64 of a limit of an hour at 75 MHz fits. A longer limit has more
#: ticks.
CLOCKS_BITS = 32


class Timer(wiring.Component):
    """Reports when it has not been restarted for as long as the limit that is selected.

    It counts ticks of a power of two of clocks, each at most 1/64 of that limit. It is never early,
    and late by two ticks and four clocks at most.

    Parameters
    ----------
    limits : list of int    The limits in clocks, each at least 1.

    Members
    -------
    clocks : In(32)     A count of clocks that never stops.
    ticks : In(7)       With ``restart``, unless it is 0: the limit is this many ticks, early by one at most.
    select : In         With ``restart``: the index of the limit that begins to run.
    restart : In(1)     Starts the timer again from the beginning of a limit.
    expired : Out(1)    The limit has passed. It stays high until the clock after ``restart``.
    """

    def __init__(self, limits):
        self._limits = limits
        super().__init__({
            "clocks": In(CLOCKS_BITS), "select": In(range(len(limits))), "ticks": In(_TICKS),
            "restart": In(1), "expired": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        shifts = [min(CLOCKS_BITS, max(0, (limit // 64).bit_length() - 1)) for limit in self._limits]
        # One tick more, because the first one may be almost over.
        ticks = [ceil(limit / (1 << shift)) + 1 for limit, shift in zip(self._limits, shifts)]
        # Nothing has been selected after a reset: only the longest limit cannot be too early.
        longest = self._limits.index(max(self._limits))

        tick = self._tick(m, shifts, longest)
        count = Signal(range(max(ticks) + 1))
        limit = Signal.like(count, init=ticks[longest])
        with m.If(self.restart):
            m.d.sync += count.eq(0)
            with m.Switch(self.select):
                for index, number in enumerate(ticks):
                    with m.Case(index):
                        m.d.sync += limit.eq(number)
            with m.If(self.ticks != 0):
                m.d.sync += limit.eq(self.ticks)
        with m.Elif(tick & (count != limit)):
            m.d.sync += count.eq(count + 1)
        m.d.sync += self.expired.eq(~self.restart & (count == limit))
        return m

    def _tick(self, m, shifts, longest):
        """The clocks in which a tick of the limit that runs ends."""
        runs = Signal.like(self.select, init=longest)
        fresh = Signal()        # the limit may be another one than a clock ago: no edge of it
        every = Signal()        # a tick is a clock
        bit = Signal()
        before = Signal()
        with m.If(self.restart):
            m.d.sync += runs.eq(self.select)
        with m.Switch(runs):
            for index, shift in enumerate(shifts):
                with m.Case(index):
                    m.d.comb += [every.eq(shift == 0), bit.eq(Cat(C(0, 1), self.clocks)[shift])]
        m.d.sync += [fresh.eq(self.restart), before.eq(bit)]
        return ~fresh & (every | (before & ~bit))
