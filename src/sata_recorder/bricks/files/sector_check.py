"""Whether a sector of a prepared drive is what it must be, checked word by word as it comes."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...facts.described_enum import DescribedEnum
from ...facts.units import LONG_SECTOR_BLOCKS
from .choice import choice
from .signature import SLOT_BITS
from .table_format import (BLOCK_BITS, HEADER_LBA, HEADER_MAGIC, LOG_MAGIC, LONG_VERSION, MAGIC, PROOF_WORDS,
                           PROOFS, SECTORS_BITS, SLOT_MAGIC, UNUSED_OFFSET, VERSION, HeaderWord,
                           LogWord, ProofWord, SlotWord)

__all__ = ["INDEX_BITS", "ReadWord", "SectorCheck", "SectorKind"]

#: Bits of the number of a word: at most 512 sectors are read at once.
INDEX_BITS = 16
_WHOLE, _IN_USE = 0xFFFFFFFF, 0x80
#: Words of the directory sector: the types of the recording's entries.
_RECORDING_TYPES = (0, 8, 16)


class SectorKind(DescribedEnum):
    """What a sector is to be."""

    HEADER = 0, "the header of the recording table"
    SLOT = 1, "a slot of it"
    DIRECTORY = 2, "the directory sector of a slot that is free, and what comes before it"
    LOG = 3, "the log of a slot"
    PROOF = 4, "sectors that the header has a proof of"


class ReadWord(data.Struct):
    """A word that comes from the drive."""

    valid: 1
    #: Which word of the sectors that are read.
    index: INDEX_BITS
    #: It is of the last one of them.
    in_last: 1
    word: 32


class SectorCheck(wiring.Component):
    """Compares the words that must have a certain value; the CRC-32 is checked elsewhere.

    Parameters
    ----------
    long_sectors : bool     ``long`` counts.

    Members
    -------
    begin : In(1)           One clock: the next word is the first of a sector.
    kind : In(SectorKind)   What it is to be.
    number : In(13)         The slot.
    directory_lba : In(48)  With SLOT: where its directory sector must be.
    read : In(ReadWord)     The words; their index has been that for a clock.
    good : Out(1)           No word was wrong so far, one clock late.
    long : In(1)            The drive has logical sectors of 4096 bytes: its table is another one.
    """

    def __init__(self, *, long_sectors=False):
        self._long_sectors = long_sectors
        super().__init__({
            "begin": In(1), "kind": In(SectorKind), "number": In(SLOT_BITS), "directory_lba": In(48),
            "read": In(ReadWord), "good": Out(1), "long": In(1),
        })

    def elaborate(self, platform):
        m = Module()
        kinds = SectorKind
        version, slots_lba = VERSION, HEADER_LBA + 1
        if self._long_sectors:
            version = Mux(self.long, LONG_VERSION, VERSION)
            slots_lba = HEADER_LBA + Mux(self.long, LONG_SECTOR_BLOCKS, 1)
        demands = {}                # of each value and the bits of it that count: where the word must be that

        def demand(kind, index, value, bits=_WHOLE):
            found = self.read.index == index
            if kind == kinds.DIRECTORY:
                found = (self.read.index[:7] == index) & self.read.in_last
            demands.setdefault((value if isinstance(value, int) else id(value), bits), (value, []))[1].append(
                (self.kind == kind) & found)

        for kind, magic in ((kinds.HEADER, HEADER_MAGIC), (kinds.SLOT, SLOT_MAGIC),
                            (kinds.LOG, LOG_MAGIC)):
            demand(kind, 0, MAGIC)
            demand(kind, 1, magic)
            # The reader of a log checks its version.
            demand(kind, 2, *((0, _WHOLE & ~3) if kind == kinds.LOG else (
                version if kind == kinds.HEADER else VERSION,)))
        demand(kinds.HEADER, HeaderWord.SLOTS, 0, _WHOLE << SLOT_BITS & _WHOLE)
        demand(kinds.HEADER, HeaderWord.SLOTS_LBA, slots_lba)
        demand(kinds.HEADER, HeaderWord.SLOTS_LBA + 1, 0)
        demand(kinds.HEADER, HeaderWord.BLOCK_SECTORS, 0, _WHOLE << BLOCK_BITS & _WHOLE)
        demand(kinds.HEADER, HeaderWord.CLUSTER_SHIFT, 0, _WHOLE << 5 & _WHOLE)
        demand(kinds.HEADER, HeaderWord.FOLDER_LBA + 1, 0, _WHOLE << 16 & _WHOLE)
        for proof in range(PROOFS):
            place = HeaderWord.PROOFS + PROOF_WORDS * proof
            demand(kinds.HEADER, place + ProofWord.LBA + 1, 0, _WHOLE << 16 & _WHOLE)
            demand(kinds.HEADER, place + ProofWord.SECTORS, 0, 0xFFFF << SECTORS_BITS & 0xFFFF)
        demand(kinds.SLOT, SlotWord.NUMBER, self.number)
        demand(kinds.SLOT, SlotWord.DIRECTORY_LBA, self.directory_lba[:32])
        demand(kinds.SLOT, SlotWord.DIRECTORY_LBA + 1, self.directory_lba[32:])
        demand(kinds.SLOT, SlotWord.RECORDING_OFFSET, 0)
        demand(kinds.SLOT, SlotWord.UNUSED_OFFSET, UNUSED_OFFSET)
        demand(kinds.LOG, LogWord.NUMBER, self.number)
        for index in _RECORDING_TYPES:
            demand(kinds.DIRECTORY, index, 0, _IN_USE)
        # In a register: half as many tables.
        selected = Signal(len(demands))
        expected = Signal(32)
        mask = Signal(32)
        m.d.sync += selected.eq(Cat(Cat(places).any() for _, places in demands.values()))
        m.d.comb += [expected.eq(choice(zip(selected, (value for value, _ in demands.values())))),
                     mask.eq(choice(zip(selected, (bits for _, bits in demands))))]
        with m.If(self.begin):
            m.d.sync += self.good.eq(1)
        with m.Elif(self.read.valid & ((self.read.word ^ expected) & mask).any()):
            m.d.sync += self.good.eq(0)
        return m
