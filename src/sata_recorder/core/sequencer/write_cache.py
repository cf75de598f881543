"""Which sectors may be in the drive's write cache only, and whether the cache may be lost."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["WriteCache"]


class WriteCache(wiring.Component):
    """Keeps what was recorded since the last FLUSH CACHE that succeeded, over all operations.

    Between the first and the last of these sectors there may be some that were not recorded. Those that
    were written ``through`` the cache are on the medium, unless the drive revokes the good status of the
    latest command.

    Members
    -------
    completed : In(1)       A command of a recording has been completed.
    origin : In(48)         The first sector of that recording; still the same in the clock after
                            ``completed``.
    end : In(48)            The sector after the command; still the same in the clock after
                            ``completed``.
    succeeded : In(1)       Any command has; with ``completed`` and ``flushed``, too.
    flushed : In(1)         FLUSH CACHE has succeeded.
    lost : In(1)            What is in the cache may be lost: the drive is not there, FLUSH CACHE
                            has failed, or the drive has revoked a good status.
    clear : In(1)           The user has taken note.
    unflushed : Out(1)      Sectors that were recorded may be lost, from ``lost`` until ``clear``.
    lba : Out(48)           With ``unflushed``, from 4 clocks after it on: the first of them.
    sectors : Out(48)       With ``unflushed``, from 4 clocks after it on: from the first to the
                            last of them, and of those that were recorded since.
    through : In(1)         With ``completed``: the command has written through the cache.
    first : In(48)          In the clock after ``completed``: its first sector.
    revoked : In(1)         The drive has revoked a good status, that of the latest command; ``lost`` comes with it.
    """

    succeeded: In(1)
    completed: In(1)
    origin: In(48)
    end: In(48)
    flushed: In(1)
    lost: In(1)
    clear: In(1)
    unflushed: Out(1)
    lba: Out(48)
    sectors: Out(48)
    through: In(1)
    first: In(48)
    revoked: In(1)

    def elaborate(self, platform):
        m = Module()
        held = Signal()             # ``lba`` and ``end`` are valid
        dirty = Signal()            # there are sectors that have not been flushed
        emptied = Signal()          # the latest command has flushed some, unless the drive revokes its status
        doubted = Signal()          # ... which it does in this clock
        through = Signal()          # what is dirty is on the medium, as far as the drive has reported
        alone = Signal()            # only the latest command counts
        counts = Signal()
        end = Signal(48)
        before = Signal()
        beyond = Signal()
        lost, fresh = self.lost & (~through | self.revoked), ~held | alone
        m.d.sync += [
            counts.eq(self.completed),
            before.eq(self.origin < self.lba),
            beyond.eq(end < self.end),
            self.sectors.eq(end - self.lba),
            held.eq(counts | doubted | (held & (dirty | self.unflushed))),
            alone.eq(self.through & ~self.unflushed),
        ]
        m.d.comb += doubted.eq(emptied & self.revoked)
        with m.If(self.succeeded):
            m.d.sync += emptied.eq(self.flushed & dirty & ~through)
        with m.Elif(self.lost):
            m.d.sync += emptied.eq(0)
        with m.If(self.completed):
            m.d.sync += through.eq(self.through)
        with m.If(counts & (before | fresh)):
            m.d.sync += self.lba.eq(Mux(alone, self.first, self.origin))
        with m.If(counts & (beyond | fresh)):
            m.d.sync += end.eq(self.end)
        with m.If(self.clear):
            m.d.sync += self.unflushed.eq(0)
        with m.If(self.completed):
            m.d.sync += dirty.eq(1)
        with m.Elif(self.flushed):
            m.d.sync += dirty.eq(0)
        with m.Elif((dirty & lost) | doubted):
            m.d.sync += [dirty.eq(0), self.unflushed.eq(1)]
        # The drive is away: no status of its commands can come any more.
        with m.Elif(self.lost & through):
            m.d.sync += dirty.eq(0)
        return m
