"""What has been written, and whether it is on the medium."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .phase import CommandEnd
from .write_cache import WriteCache

__all__ = ["UnflushedSectors", "WrittenThrough"]


class UnflushedSectors(wiring.Component):
    """What the drive may have lost with its write cache, derived from how its commands end.

    Parameters
    ----------
    within : bool           The cache may be flushed within an extent: ``begin`` and ``taken`` count.

    Members
    -------
    command : In(CommandEnd)        How the command in flight has ended.
    completed : In(1)       It was a write command of a recording, and has succeeded.
    flushes : In(1)         The command in flight empties the cache.
    away : In(1)            The drive is not there.
    revoked : In(1)         The drive has revoked a good status.
    clear : In(1)           The user has taken note.
    begin, taken : In(1)    An extent begins: that of the operation, or the one that follows it.
    origin : In(48)         The first sector of the extent.
    end : In(48), unflushed : Out(1), lba, sectors : Out(48)
                            See :class:`.write_cache.WriteCache`.
    through : In(1)         With ``completed``: what was written is on the medium.
    command_lba : In(48)    The first sector of the command.
    """

    def __init__(self, *, within=False):
        self._within = within
        super().__init__({
            "command": In(CommandEnd), "completed": In(1), "flushes": In(1), "away": In(1), "revoked": In(1),
            "clear": In(1), "begin": In(1), "taken": In(1), "origin": In(48), "end": In(48),
            "unflushed": Out(1), "lba": Out(48), "sectors": Out(48), "through": In(1), "command_lba": In(48),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.cache = cache = WriteCache()
        command, flushed = self.command, self.command.succeeded & self.flushes
        m.d.sync += cache.first.eq(self.command_lba)
        m.d.comb += [
            cache.succeeded.eq(command.succeeded), cache.completed.eq(self.completed), cache.through.eq(self.through),
            cache.revoked.eq(self.revoked),
            cache.origin.eq(self._not_flushed(m, flushed) if self._within else self.origin),
            cache.end.eq(self.end), cache.flushed.eq(flushed), cache.clear.eq(self.clear),
            cache.lost.eq(self.away | self.revoked | (command.done & ~command.succeeded & self.flushes)),
            self.unflushed.eq(cache.unflushed), self.lba.eq(cache.lba), self.sectors.eq(cache.sectors),
        ]
        return m

    def _not_flushed(self, m, flushed):
        """The first sector of the extent, or the one after the latest FLUSH CACHE in it."""
        within = Signal()
        resumed = Signal(48)
        with m.If(self.begin | self.taken):
            m.d.sync += within.eq(0)
        with m.Elif(flushed):
            m.d.sync += within.eq(1)
        with m.If(flushed):
            m.d.sync += resumed.eq(self.end)
        return Mux(within, resumed, self.origin)


class WrittenThrough(wiring.Component):
    """Whether what an operation writes is on the medium when a command has succeeded.

    Members
    -------
    begin : In(1)           An operation begins.
    usable : In(1)          The drive can be used.
    fua : In(1)             With ``usable``: it has WRITE DMA FUA EXT.
    revoked : In(1)         The drive has revoked a good status.
    through : Out(1)        The drive had the command when the operation began.
    safe : Out(1)           That can be trusted: it has revoked no good status since.
    """

    begin: In(1)
    usable: In(1)
    fua: In(1)
    revoked: In(1)
    through: Out(1)
    safe: Out(1)

    def elaborate(self, platform):
        m = Module()
        doubted = Signal()
        with m.If(self.begin):
            m.d.sync += doubted.eq(0)
            with m.If(self.usable):
                m.d.sync += self.through.eq(self.fua)
        with m.Elif(self.revoked):
            m.d.sync += doubted.eq(1)
        m.d.comb += self.safe.eq(self.through & ~doubted)
        return m
