"""Drives whose logical sectors have 4096 bytes, below a sequencer that counts sectors of 512."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import LONG_SECTOR_SHIFT
from ..drive_port import Extent

__all__ = ["LogicalSector", "within_sector"]


def within_sector(span):
    """Whether ``span``, of sectors of 512 bytes, begins or ends within one of 4096."""
    return (span.lba[:LONG_SECTOR_SHIFT] | span.sectors[:LONG_SECTOR_SHIFT]).any()


class LogicalSector(wiring.Component):
    """Keeps how long the logical sectors are in an operation, whatever happens to the drive meanwhile.

    Members
    -------
    begin : In(1)           An operation begins.
    extent : In(Extent)     With ``begin``: what it moves.
    raw : In(1)             With ``begin``: it is COMMAND, whose registers go to the drive as they are.
    drive : In(1)           The logical sectors of the drive have 4096 bytes.
    locates : In(1)         From the next clock on ``named`` is that of a status of this operation.
    named : In(48)          The LBA of the last status that has one, in the logical sectors of the
                            operation in which it came.
    long : Out(1)           The operation moves 8 sectors at once; from the clock after ``begin`` on.
    splits : Out(1)         ``long``, and the extent begins or ends within a logical sector.
    other : Out(1)          The drive is not as it was with ``begin``.
    error_lba : Out(48)     The first sector of what is ``named``; the last one there can be where it
                            has no number.
    """

    begin: In(1)
    extent: In(Extent)
    raw: In(1)
    drive: In(1)
    locates: In(1)
    named: In(48)
    long: Out(1)
    splits: Out(1)
    other: Out(1)
    error_lba: Out(48)

    def elaborate(self, platform):
        m = Module()
        before = Signal()           # what ``drive`` was with ``begin``
        located = Signal()          # what ``long`` was with ``locates``
        with m.If(self.begin):
            m.d.sync += [
                before.eq(self.drive), self.long.eq(self.drive & ~self.raw),
                self.splits.eq(self.drive & ~self.raw & within_sector(self.extent)),
            ]
        with m.If(self.locates):
            m.d.sync += located.eq(self.long)
        m.d.comb += [
            self.other.eq(self.drive != before),
            self.error_lba.eq(self.named),
        ]
        with m.If(located):
            m.d.comb += self.error_lba.eq(
                Mux(self.named[48 - LONG_SECTOR_SHIFT:].any(), ~0, self.named << LONG_SECTOR_SHIFT))
        return m
