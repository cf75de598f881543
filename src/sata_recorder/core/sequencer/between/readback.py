"""A read of what a recording has written, between two of its commands."""

from amaranth.hdl import Module, Mux, Signal

from ....facts.ata import CommandCode
from ....facts.units import SECTOR_WORDS
from ...command import CommandResult, Protocol
from ...drive_port import LOOK_PORT
from .interjection import Booked, Interjection, Silence

__all__ = ["Readback"]


class Readback(Interjection):
    """Reads the span that its port offers with READ DMA (EXT), and hands its words on.

    After a read, and after a recovery, none begins before the next write command has.

    Members: those of an :class:`.Interjection`; ``user`` is a :class:`...drive_port.LookPort`.
    """

    name = "readback"
    silence = Silence.COMMAND
    booked = Booked.X_RDY
    wants_room = True
    group = LOOK_PORT

    @classmethod
    def exists(cls, configuration):
        return configuration.look_sectors > 0

    def elaborate(self, platform):
        m = Module()
        gap, port, registers = self.gap, self.user, self.request.command.registers
        fresh = Signal()            # a write command has begun since the last read
        roomy = Signal()
        pending = Signal()          # how it ends is not known yet
        sectors = Signal(17)
        m.d.comb += [
            port.span.ready.eq(self.issue), port.reads.eq(self.runs),
            port.data.payload.eq(self.read.payload), port.data.valid.eq(self.read.valid & self.runs),
            port.succeeded.eq(self.runs & self.done & (self.result == CommandResult.SUCCESS)),
            port.failed.eq(pending & ~self.runs),
            self.due.eq(port.span.valid & gap.records & fresh & roomy),
            self.request.addressed.eq(1),
            self.request.command.protocol.eq(Protocol.DMA_IN),
            self.request.command.words.eq(sectors * SECTOR_WORDS),
            registers.command.eq(Mux(gap.lba48, CommandCode.READ_DMA_EXT, CommandCode.READ_DMA)),
            registers.count.eq(sectors),
        ]
        m.d.sync += [
            roomy.eq(gap.room >= port.room),
            pending.eq(self.runs & ~port.succeeded),
        ]
        # A recovery may end with the write command.
        with m.If(gap.next):
            m.d.sync += fresh.eq(1)
        with m.Elif(gap.begin | gap.recovers | self.issue):
            m.d.sync += fresh.eq(0)
        lba = Signal(48)
        with m.If(~self.runs):
            m.d.sync += [lba.eq(port.span.payload.lba), sectors.eq(port.span.payload.sectors)]
        m.d.comb += registers.lba.eq(lba)
        return m
