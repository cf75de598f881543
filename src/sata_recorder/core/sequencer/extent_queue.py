"""The sectors with which a recording continues, until it has reached them."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..drive_port import Error, SectorSpan
from .logical_sector import within_sector

__all__ = ["ExtentQueue"]

#: Clocks from the one in which a span is taken until the splitter's next command is one of it.
_SETTLE = 8


class ExtentQueue(wiring.Component):
    """Takes one span, finds out whether it lies within the drive, and keeps it for the splitter.

    Latency: ``extended`` comes 3 clocks after the span was taken, ``waits`` a clock later.

    Members
    -------
    begin : In(1)           An operation begins: nothing waits.
    open : In(1)            The operation can continue with a span.
    queue : In(stream SectorSpan) See :class:`..drive_port.DrivePort`.
    usable : In(1)          The drive can be used: ``capacity`` is that of the drive.
    capacity : In(48)       The sectors of the drive. While the drive is away the last value counts.
    taken : In(1)           The splitter has made the span its extent.
    span : Out(SectorSpan)        The span that was taken last.
    waits : Out(1)          ``span`` lies within the drive, and has not been ``taken``.
    extended : Out(1)       See :class:`..drive_port.DrivePort`.
    pending : Out(1)        A span has been taken, and the splitter does not know yet what that means.
    refused : Out(1)        ``span`` cannot be moved, for the reason in ``error``; no other is taken
                            before ``begin``.
    error : Out(Error)      With ``refused``: why.
    long : In(1)            A span must begin and end with a multiple of 8 sectors.
    """

    begin: In(1)
    open: In(1)
    queue: In(stream.Signature(SectorSpan))
    usable: In(1)
    capacity: In(48)
    taken: In(1)
    span: Out(SectorSpan)
    waits: Out(1)
    extended: Out(1)
    pending: Out(1)
    refused: Out(1)
    error: Out(Error)
    long: In(1)

    def elaborate(self, platform):
        m = Module()
        span, queue = self.span, self.queue
        takes = Signal()
        since = Signal(_SETTLE)     # bit n: the span was taken n + 1 clocks ago
        room = Signal(48)
        end = Signal(49)
        beyond = Signal()
        empty = Signal()
        bad = Signal()
        splits = Signal()           # a logical sector
        error = Mux(splits & ~empty, Error.SECTOR_SIZE, Mux(empty, Error.ZERO_SECTORS, Error.OUT_OF_RANGE))
        m.d.comb += [
            queue.ready.eq(self.open & ~self.pending & ~self.waits & ~self.refused),
            takes.eq(queue.valid & queue.ready),
            bad.eq(empty | beyond | splits),
            self.extended.eq(since[2] & ~bad),
        ]
        with m.If(self.usable):
            m.d.sync += room.eq(self.capacity)
        with m.If(takes):
            m.d.sync += span.eq(queue.payload)
        m.d.sync += [
            since.eq((since << 1) | takes),
            self.pending.eq(since[:-1].any() | takes),      # a flop, as each command waits for it
            end.eq(span.lba + span.sectors),
            empty.eq(span.sectors == 0),
            beyond.eq(room < end),
            splits.eq(self.long & within_sector(span)),
        ]
        with m.If(since[2]):
            m.d.sync += [
                self.waits.eq(~bad), self.refused.eq(bad),
                self.error.eq(error),
            ]
        with m.If(self.taken):
            m.d.sync += self.waits.eq(0)
        with m.If(self.begin):
            m.d.sync += [since.eq(0), self.pending.eq(0), self.waits.eq(0), self.refused.eq(0)]
        return m
