"""Which sectors may be in the drive's write cache only, and whether the cache may be lost."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .recorded_range import RecordedRange

__all__ = ["WriteCache"]


class WriteCache(wiring.Component):
    """Keeps what was recorded since the last FLUSH CACHE that succeeded, over all operations.

    Between the first and the last of these sectors may lie some that were not recorded.

    Members
    -------
    completed : In(1)       A command of a recording has been completed.
    origin : In(48)         The first sector of that recording; still the same in the clock after
                            ``completed``.
    end : In(48)            The sector behind the command; still the same in the clock after
                            ``completed``.
    flushed : In(1)         FLUSH CACHE has succeeded.
    lost : In(1)            What is in the cache may be lost: the drive is not there, FLUSH CACHE
                            has failed, or the drive has revoked a good status.
    clear : In(1)           The user has taken note.
    unflushed : Out(1)      Sectors that were recorded may be lost, from ``lost`` until ``clear``.
    lba : Out(48)           With ``unflushed``, from 4 clocks after it on: the first of them.
    sectors : Out(48)       With ``unflushed``, from 4 clocks after it on: from the first to the
                            last of them, and of those that were recorded since.
    """

    completed: In(1)
    origin: In(48)
    end: In(48)
    flushed: In(1)
    lost: In(1)
    clear: In(1)
    unflushed: Out(1)
    lba: Out(48)
    sectors: Out(48)

    def elaborate(self, platform):
        m = Module()
        m.submodules.range = range_ = RecordedRange()
        dirty = Signal()            # there are sectors that have not been flushed
        m.d.comb += [
            range_.completed.eq(self.completed),
            range_.origin.eq(self.origin),
            range_.end.eq(self.end),
            range_.keep.eq(dirty | self.unflushed),
            self.lba.eq(range_.lba),
            self.sectors.eq(range_.sectors),
        ]
        with m.If(self.clear):
            m.d.sync += self.unflushed.eq(0)
        with m.If(self.completed):
            m.d.sync += dirty.eq(1)
        with m.Elif(self.flushed):
            m.d.sync += dirty.eq(0)
        with m.Elif(dirty & self.lost):
            m.d.sync += [dirty.eq(0), self.unflushed.eq(1)]
        return m
