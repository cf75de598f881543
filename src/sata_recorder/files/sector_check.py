"""Whether a sector of a prepared drive is what it must be, looked at word by word as it comes."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..described_enum import DescribedEnum
from .choice import choice
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
    index: 10
    word: 32


class SectorCheck(wiring.Component):
    """Compares the words that must have a certain value; the CRC-32 is for others to look at.

    Members
    -------
    begin : In(1)           One clock: the next word is the first of a sector.
    kind : In(SectorKind)   What it is to be.
    number : In(13)         The slot.
    place : In(SlotPlace)   With DIRECTORY: what the slot says.
    read : In(ReadWord)     The words; their index has been that for a clock.
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
        place, kinds = self.place, SectorKind
        size = place.sectors << 9           # bytes of the slot
        demands = []                # condition, what the word must be, the bits that count

        def demand(kind, index, value, bits=_WHOLE):
            demands.append(((self.kind == kind) & (self.read.index == index), value, bits))

        for kind, magic in ((kinds.HEADER, HEADER_MAGIC), (kinds.SLOT, SLOT_MAGIC),
                            (kinds.LOG, LOG_MAGIC)):
            demand(kind, 0, MAGIC)
            demand(kind, 1, magic)
            # Who reads a log looks at its version.
            demand(kind, 2, *((0, _WHOLE & ~3) if kind == kinds.LOG else (VERSION,)))
        demand(kinds.HEADER, HeaderWord.SLOTS, 0, _WHOLE << SLOT_BITS & _WHOLE)
        demand(kinds.HEADER, HeaderWord.SLOTS_LBA, HEADER_LBA + 1)
        demand(kinds.HEADER, HeaderWord.SLOTS_LBA + 1, 0)
        demand(kinds.SLOT, SlotWord.NUMBER, self.number)
        demand(kinds.SLOT, SlotWord.RECORDING_OFFSET, 0)
        demand(kinds.SLOT, SlotWord.UNUSED_OFFSET, UNUSED_OFFSET)
        demand(kinds.LOG, LogWord.NUMBER, self.number)
        for index in _RECORDING_TYPES:
            demand(kinds.DIRECTORY, index, 0, _IN_USE)
        for index, value in _UNUSED_TYPES.items():
            demand(kinds.DIRECTORY, index, value, _TYPE)
        demand(kinds.DIRECTORY, _UNUSED_CLUSTER, place.first_cluster)
        demand(kinds.DIRECTORY, _UNUSED_LENGTH, size[:32])
        demand(kinds.DIRECTORY, _UNUSED_LENGTH + 1, size[32:])
        # In a register: half as many tables.
        selected = Signal(len(demands))
        expected = Signal(32)
        mask = Signal(32)
        m.d.sync += selected.eq(Cat(condition for condition, *_ in demands))
        m.d.comb += [expected.eq(choice(zip(selected, (value for _, value, _ in demands)))),
                     mask.eq(choice(zip(selected, (bits for *_, bits in demands))))]
        with m.If(self.begin):
            m.d.sync += self.good.eq(1)
        with m.Elif(self.read.valid & ((self.read.word ^ expected) & mask).any()):
            m.d.sync += self.good.eq(0)
        return m
