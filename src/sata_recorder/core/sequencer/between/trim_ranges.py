"""The ranges of DATA SET MANAGEMENT with which an extent is trimmed."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ....facts.ata import TRIM_RANGE_SECTORS
from ....facts.units import LONG_SECTOR_SHIFT

__all__ = ["TrimRanges"]


class TrimRanges(wiring.Component):
    """The ranges of DATA SET MANAGEMENT for an extent, as words: LBA in bits 47:0 of two of them,
    the sectors in bits 63:48. Zeros follow the last range.

    Members
    -------
    long : In(1)            The drive, and so the ranges, count sectors of 4096 bytes.
    lba, sectors : In(48)   The extent, in sectors of 512 bytes; it is not empty.
    begin : In(1)           High for one clock: its ranges follow.
    o : Out(stream 32)      The words; there are always more.
    """

    long: In(1)
    lba: In(48)
    sectors: In(48)
    begin: In(1)
    o: Out(stream.Signature(32, always_valid=True))

    def elaborate(self, platform):
        m = Module()
        first = Signal(48)
        left = Signal(48)
        upper = Signal()            # of the two words
        count = Signal(16)
        several = Signal()          # ranges are left; it is known before the upper word goes
        none = Signal()
        lba, sectors = (Mux(self.long, value >> LONG_SECTOR_SHIFT, value) for value in (self.lba, self.sectors))
        m.d.comb += [
            count.eq(Mux(several, TRIM_RANGE_SECTORS, left[:16])),
            self.o.payload.eq(Mux(none, 0, Mux(upper, Cat(first[32:], count), first[:32]))),
        ]
        m.d.sync += several.eq(left > TRIM_RANGE_SECTORS)
        with m.If(self.begin):
            m.d.sync += [first.eq(lba), left.eq(sectors), upper.eq(0), none.eq(0)]
        with m.Elif(self.o.ready):
            m.d.sync += upper.eq(~upper)
            with m.If(upper):
                m.d.sync += [first.eq(first + count), left.eq(left - count), none.eq(~several)]
        return m
