"""From the first to the last of some sectors."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["RecordedRange"]


class RecordedRange(wiring.Component):
    """Keeps the range of the sectors of the commands of recordings that were completed.

    Between its first and its last sector may lie some that were not recorded.

    Members
    -------
    completed : In(1)       A command of a recording has been completed.
    origin : In(48)         The first sector of its extent; still the same in the clock after
                            ``completed``.
    end : In(48)            The sector after the command; still the same in the clock after
                            ``completed``.
    keep : In(1)            The range counts. After a clock in which it is low the next command
                            begins a new one.
    lba : Out(48)           The first of the sectors, from 2 clocks after ``completed`` on.
    sectors : Out(48)       From the first to the last of them, from 3 clocks after ``completed`` on.
    """

    completed: In(1)
    origin: In(48)
    end: In(48)
    keep: In(1)
    lba: Out(48)
    sectors: Out(48)

    def elaborate(self, platform):
        m = Module()
        held = Signal()             # ``lba`` and ``last`` are valid
        counts = Signal()
        last = Signal(48)           # the sector after the range
        before = Signal()
        beyond = Signal()
        m.d.sync += [
            counts.eq(self.completed),
            before.eq(self.origin < self.lba),
            beyond.eq(last < self.end),
            self.sectors.eq(last - self.lba),
            held.eq(counts | (held & self.keep)),
        ]
        with m.If(counts & (before | ~held)):
            m.d.sync += self.lba.eq(self.origin)
        with m.If(counts & (beyond | ~held)):
            m.d.sync += last.eq(self.end)
        return m
