"""What has been written: what of it the drive may lose, and what it cost the drive to write it."""

from amaranth.hdl import Mux, Signal
from amaranth.lib.wiring import connect, flipped

from .alignment import AlignmentCounter
from .write_cache import WriteCache

__all__ = ["count_misaligned", "follow_cache", "written_through"]


def _not_flushed(m, flushed, splitter, operation, *, queued):
    """The first sector of the extent, or the one after the latest FLUSH CACHE in it."""
    within = Signal()
    behind = Signal(48)
    starts = operation.begin | splitter.taken if queued else operation.begin
    with m.If(starts):
        m.d.sync += within.eq(0)
    with m.Elif(flushed):
        m.d.sync += [within.eq(1), behind.eq(splitter.next_lba)]
    return Mux(within, behind, splitter.origin)


def follow_cache(m, status, *, command, lost, revoked, splitter, operation, recovery, raw, through,
                 between, queued):
    """What the drive may have lost with its write cache, for the user's ``status``; COMMAND says
    nothing about it. ``through``: what is written is on the medium at once, None: it never is. ``between``:
    what comes between two commands, None: nothing does.
    Returns whether a write command of a recording ends well."""
    m.submodules.cache = cache = WriteCache(through=through is not None)
    flushes, records = operation.phase.flushes, operation.writes
    unflushed = cache.unflushed
    if raw is not None:
        flushes, records = flushes & ~raw.no_data, records & ~raw.active
        unflushed = unflushed & ~raw.active
    if between is not None:
        flushes |= operation.between & between.flushes
    m.d.comb += [
        cache.completed.eq(command.succeeded & operation.phase.moves & records),
        cache.origin.eq(splitter.origin if between is None or not between.has_flush else _not_flushed(
            m, command.succeeded & flushes, splitter, operation, queued=queued)),
        cache.end.eq(splitter.next_lba),
        cache.flushed.eq(command.succeeded & flushes),
        cache.lost.eq(lost | revoked | (command.done & ~command.succeeded & flushes)),
        cache.clear.eq(status.clear_unflushed),
        operation.unflushed.eq(unflushed),
        recovery.unflushed_lba.eq(cache.lba),
        recovery.unflushed_sectors.eq(cache.sectors),
        status.unflushed.eq(cache.unflushed),
        status.unflushed_lba.eq(cache.lba),
        status.unflushed_sectors.eq(cache.sectors),
    ]
    if through is not None:
        m.d.sync += cache.first.eq(splitter.command_lba)
        m.d.comb += [cache.through.eq(through), cache.revoked.eq(revoked)]
    return cache.completed


def written_through(m, identity, begin, usable, revoked):
    """Whether what the operation writes is on the medium when a command has ended well: the drive
    had WRITE DMA FUA EXT when the operation began. And whether that can be believed: the drive has
    taken no good status back since."""
    through = Signal()
    doubted = Signal()
    with m.If(begin):
        m.d.sync += doubted.eq(0)
        with m.If(usable):
            m.d.sync += through.eq(identity.fua)
    with m.Elif(revoked):
        m.d.sync += doubted.eq(1)
    return through, through & ~doubted


def count_misaligned(m, user, *, completed, splitter, bring_up, read_data):
    """Write commands that split a physical sector, for the group ``user``."""
    m.submodules.alignment = counter = AlignmentCounter()
    connect(m, flipped(user), counter.user)
    m.d.comb += [
        counter.forget.eq(bring_up.identity.begin), counter.completed.eq(completed),
        counter.payload.payload.eq(read_data.payload),
        counter.payload.valid.eq(read_data.valid & bring_up.identifying),
        counter.lba.eq(splitter.command_lba), counter.sectors.eq(splitter.command_sectors),
    ]
