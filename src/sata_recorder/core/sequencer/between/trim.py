"""TRIM of what a recording writes next: DATA SET MANAGEMENT (ATA8-ACS)."""

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import connect, flipped

from ....facts.ata import TRIM, CommandCode
from ....facts.units import SECTOR_WORDS
from ...command import CommandResult, Protocol
from ...drive_port import TRIM_PORT
from .interjection import Interjection
from .trim_ranges import TrimRanges

__all__ = ["TrimCommand"]


class TrimCommand(Interjection):
    """Trims the span that its port offers.

    After one that has failed none comes before the next operation; after one for which the drive had to
    be reset, not before it is ``gap.renewed``. One whose block was damaged on the way, which the drive has
    reported, is no failure of the drive's.

    Members: those of an :class:`.Interjection`; ``user`` is a :class:`...drive_port.TrimPort`.
    """

    name = "trim"
    writes_cache = True
    group = TRIM_PORT

    @classmethod
    def exists(cls, configuration):
        return configuration.trim_ahead

    def elaborate(self, platform):
        m = Module()
        m.submodules.ranges = ranges = TrimRanges()
        gap, port, registers = self.gap, self.user, self.request.command.registers
        connect(m, ranges.o, flipped(self.write))
        passed = Signal()           # it has succeeded, or the line has failed
        pending = Signal()          # its end is not known yet
        needed_reset = Signal()
        m.d.comb += [
            port.known.eq(gap.known), port.offered.eq(gap.trim), port.trims.eq(self.runs),
            port.span.ready.eq(self.issue),
            port.succeeded.eq(self.runs & self.done & (self.result == CommandResult.SUCCESS)),
            passed.eq(self.done & ((self.result == CommandResult.SUCCESS)
                                   | (self.result == CommandResult.DATA_CRC))),
            self.due.eq(port.span.valid & gap.records & gap.trim & ~port.given_up),
            # It follows what is offered until its command is in flight.
            ranges.begin.eq(~self.runs), ranges.lba.eq(port.span.payload.lba),
            ranges.sectors.eq(port.span.payload.sectors), ranges.long.eq(gap.long_sectors),
            self.request.command.protocol.eq(Protocol.DMA_OUT),
            self.request.command.words.eq(SECTOR_WORDS),
            registers.command.eq(CommandCode.DATA_SET_MANAGEMENT),
            registers.features.eq(TRIM),
            registers.count.eq(1),
        ]
        m.d.sync += pending.eq(self.runs & ~passed)
        with m.If(gap.renewed):
            m.d.sync += needed_reset.eq(0)
        with m.Elif(self.runs & self.resets):
            m.d.sync += needed_reset.eq(1)
        with m.If(gap.begin):
            m.d.sync += port.given_up.eq(needed_reset)
        with m.Elif(pending & ~self.runs):
            m.d.sync += port.given_up.eq(1)
        return m
