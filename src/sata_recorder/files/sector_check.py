"""Whether a sector of a prepared drive is what it must be, looked at word by word as it comes."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..described_enum import DescribedEnum
from .signature import SLOT_BITS
from .table_format import (HEADER_LBA, HEADER_MAGIC, LOG_MAGIC, MAGIC, SLOT_MAGIC, UNUSED_OFFSET,
                           VERSION, HeaderWord, LogWord, SlotPlace, SlotWord)

__all__ = ["ReadWord", "SectorCheck", "SectorKind"]

_WHOLE, _TYPE, _IN_USE = 0xFFFFFFFF, 0xFF, 0x80
#: Words of the directory sector: the types of both sets, and the unused one's cluster and length.
_RECORDING_TYPES, _UNUSED_TYPES = (0, 8, 16), {24: 0x85, 32: 0xC0, 40: 0xC1}
_UNUSED_CLUSTER, _UNUSED_LENGTH = 37, 38


class SectorKind(DescribedEnum):
    """What a sector is to be."""

    HEADER = 0, "the header of the recording table"
    SLOT = 1, "a slot of it"
    DIRECTORY = 2, "the directory sector of a slot that is free"
    LOG = 3, "the log of a slot"


class ReadWord(data.Struct):
    """A word that comes from the drive."""

    valid: 1
    #: Which word of the sectors that are read.
    index: 9
    word: 32


class SectorCheck(wiring.Component):
    """Compares the words that must have a certain value; the CRC-32 is for others to look at.

    Members
    -------
    begin : In(1)           One clock: the next word is the first of a sector.
    kind : In(SectorKind)   What it is to be.
    number : In(13)         The slot.
    place : In(SlotPlace)   With DIRECTORY: what the slot says.
    read : In(ReadWord)     The words; one a clock at most.
    good : Out(1)           No word was wrong so far, one clock late.
    """

    begin: In(1)
    kind: In(SectorKind)
    number: In(SLOT_BITS)
    place: In(SlotPlace)
    read: In(ReadWord)
    good: Out(1)

    def elaborate(self, platform):
        m = Module()
        expected = Signal(32)
        mask = Signal(32)           # the bits that count
        size = self.place.sectors << 9       # bytes of the slot

        def demand(kind, index, value, bits=_WHOLE):
            with m.If((self.kind == kind) & (self.read.index == index)):
                m.d.comb += [expected.eq(value), mask.eq(bits)]

        for kind, magic in ((SectorKind.HEADER, HEADER_MAGIC), (SectorKind.SLOT, SLOT_MAGIC),
                            (SectorKind.LOG, LOG_MAGIC)):
            demand(kind, 0, MAGIC)
            demand(kind, 1, magic)
            demand(kind, 2, VERSION)
        demand(SectorKind.HEADER, HeaderWord.SLOTS, 0, _WHOLE << SLOT_BITS & _WHOLE)
        demand(SectorKind.HEADER, HeaderWord.SLOTS_LBA, HEADER_LBA + 1)
        demand(SectorKind.HEADER, HeaderWord.SLOTS_LBA + 1, 0)
        demand(SectorKind.SLOT, SlotWord.NUMBER, self.number)
        demand(SectorKind.SLOT, SlotWord.RECORDING_OFFSET, 0)
        demand(SectorKind.SLOT, SlotWord.UNUSED_OFFSET, UNUSED_OFFSET)
        demand(SectorKind.LOG, LogWord.NUMBER, self.number)
        for index in _RECORDING_TYPES:
            demand(SectorKind.DIRECTORY, index, 0, _IN_USE)
        for index, value in _UNUSED_TYPES.items():
            demand(SectorKind.DIRECTORY, index, value, _TYPE)
        demand(SectorKind.DIRECTORY, _UNUSED_CLUSTER, self.place.first_cluster)
        demand(SectorKind.DIRECTORY, _UNUSED_LENGTH, size[:32])
        demand(SectorKind.DIRECTORY, _UNUSED_LENGTH + 1, size[32:64])
        with m.If(self.begin):
            m.d.sync += self.good.eq(1)
        with m.Elif(self.read.valid & ((self.read.word ^ expected) & mask).any()):
            m.d.sync += self.good.eq(0)
        return m
