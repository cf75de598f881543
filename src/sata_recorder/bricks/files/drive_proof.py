"""Whether the drive is the one that was prepared: its partition table, file system and folder."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import SECTOR_WORDS
from ...interface.file import FileError
from .compared_words import WordRange
from .crc32 import Crc32Port
from .sector_check import ReadWord, SectorKind
from .sector_transfer import TransferRange, TransferRequest
from .signature import SLOT_BITS
from .table_format import (BLOCK_BITS, MOST_BLOCK, MOST_SLOTS, PROOF_WORDS, PROOFS, HeaderWord,
                           ProofWord)

__all__ = ["DriveProof", "TableFacts"]

#: Which proof is that of the boot region, and of the entry set of the folder.
_BOOT, _FOLDER = 1, 2
#: Clocks from the last word until all of it is in the sums, and until the expected CRC is, too.
_SETTLE, _JUDGE = 6, 10


class TableFacts(data.Struct):
    """What the header of the recording table states for the search for a slot."""

    #: How many slots there are.
    slots: SLOT_BITS
    #: A cluster has 1 << ``cluster_shift`` sectors.
    cluster_shift: 5
    #: Sectors of the folder from the directory sector of a slot to that of the next one.
    block: BLOCK_BITS


class DriveProof(wiring.Component):
    """Reads the header of the recording table, and the sectors that it has a proof of.

    Nothing may be written to a drive before its proof, nor after a clock in which it may have been
    away: ``holds``. What is proved is that partition table, boot region and the folder's own entry
    in the root directory are as they were when the drive was prepared, except for what a PC changes by
    merely mounting it (docs/files.md).

    Parameters
    ----------
    long_sectors : bool     The header may be the beginning of a logical sector of 4096 bytes.

    Members
    -------
    begin : In(1)           One clock: any prepared drive will do.
    again : In(1)           One clock: it must be the drive of the latest ``begin``, with the same
                            table, and the directory sector of the slot must be what the memory has;
                            ``crc`` then continues with the sum that it had.
    away : In(1)            Of the core, see :class:`...interface.UserSignature`.
    beyond : In(1)          With ``transfer_failed``: the drive has no such sectors.
    holds : Out(1)          The proof has not failed, and the drive has not been away since it began; from
                            ``done`` on: it is proved. High from the beginning of a proof on.
    request : Out(TransferRequest), range : Out(TransferRange), words : Out(WordRange)
    transfer_begins, transfer_done, transfer_failed, transfer_differs : In(1), read : In(ReadWord)
                            Of :class:`.sector_transfer.SectorTransfer`.
    check : Out(1), good : In(1)        Begin and result of :class:`.sector_check.SectorCheck`.
    counts : In(1), set_good : In(1), set_ends : In(1)      Of :class:`.compared_words.ComparedWords`.
    crc : Out(Crc32Port), crc_is_whole : In(1), crc_busy : In(1)
                            Of :class:`.crc32.Crc32`, except for its ``word``.
    expects : Out(1)        The word that comes is the CRC-32 of what is read next.
    judges : Out(1)         That CRC-32 is added.
    folder : Out(2)         The word that comes is the lower half (bit 0), the upper half (bit 1) of the LBA of the
                            folder. The directory sector of slot n is n blocks after that.
    table : Out(TableFacts) From ``done`` on.
    done : Out(1)           One clock: it is over.
    error : Out(FileError)  With ``done``: NONE if it is proved, CUT_SHORT if only the directory sector
                            differs.
    """

    def __init__(self, *, long_sectors=False):
        self._long_sectors = long_sectors
        super().__init__({
            "begin": In(1), "again": In(1), "holds": Out(1),
            "away": In(1), "beyond": In(1),
            "request": Out(TransferRequest()), "range": Out(TransferRange), "words": Out(WordRange()),
            "transfer_begins": In(1), "transfer_done": In(1), "transfer_failed": In(1),
            "transfer_differs": In(1), "read": In(ReadWord), "check": Out(1), "good": In(1),
            "counts": In(1), "set_good": In(1), "set_ends": In(1),
            "crc": Out(Crc32Port()), "crc_is_whole": In(1), "crc_busy": In(1),
            "expects": Out(1), "judges": Out(1),
            "folder": Out(2), "table": Out(TableFacts), "done": Out(1), "error": Out(FileError),
        })

    def elaborate(self, platform):
        m = Module()
        request, crc, read = self.request, self.crc, self.read
        number = Signal(range(PROOFS))      # of the proof
        repeats = Signal()                  # the header has been read before
        compares = Signal()
        clocks = Signal(range(_JUDGE + 1))
        is_other, is_impossible, forget = self._capture(m, number, repeats)

        def end(error):
            m.d.comb += [self.done.eq(1), self.error.eq(error)]
            if error != FileError.NONE:
                m.d.sync += self.holds.eq(0)
            m.next = "IDLE"

        def reads(kind):
            """Reads a sector of this kind in this clock; returns whether it has come."""
            m.d.comb += [request.active.eq(1), request.kind.eq(kind),
                         self.check.eq(self.transfer_begins), crc.clear.eq(self.transfer_begins)]
            m.d.sync += clocks.eq(0)
            with m.If(self.transfer_done & self.transfer_failed & self.beyond):
                end(FileError.CHANGED)
            with m.Elif(self.transfer_done & self.transfer_failed):
                end(FileError.DRIVE)
            return self.transfer_done & ~self.transfer_failed

        with m.FSM():
            with m.State("IDLE"):
                with m.If(self.begin | self.again):
                    forget()
                    m.d.sync += [number.eq(0), repeats.eq(self.again), compares.eq(self.again),
                                 self.holds.eq(1)]
                    m.next = "SUM"
            with m.State("SUM"):
                m.d.comb += crc.keep.eq(1)
                with m.If(~self.crc_busy):
                    m.next = "HEADER"
            with m.State("HEADER"):
                came = reads(SectorKind.HEADER)
                m.d.comb += crc.add.eq(self._of_sector(read))
                with m.If(came & ~self.good):
                    end(FileError.NOT_PREPARED)
                with m.Elif(came & (~self.crc_is_whole | is_impossible)):
                    end(FileError.DAMAGED)
                with m.Elif(came & is_other):
                    end(FileError.CHANGED)
                with m.Elif(came):
                    m.next = "PROOF"
            with m.State("PROOF"):
                m.d.comb += [self.words.is_boot.eq(number == _BOOT),
                             self.words.is_set.eq(number == _FOLDER)]
                came = reads(SectorKind.PROOF)
                m.d.comb += crc.add.eq(read.valid & self.counts)
                with m.If(came):
                    m.next = "JUDGE"
            with m.State("JUDGE"):
                m.d.sync += clocks.eq(clocks + 1)
                with m.If(clocks == _SETTLE):
                    m.d.comb += [crc.add.eq(1), self.judges.eq(1)]
                with m.If(clocks == _JUDGE):
                    # The header must be the same each time it is read.
                    m.d.sync += [number.eq(number + 1), repeats.eq(1)]
                    m.next = "HEADER"
                    with m.If(~self.crc_is_whole
                              | (number == _FOLDER) & (~self.set_good | self.set_ends)):
                        end(FileError.CHANGED)
                    with m.Elif(number == PROOFS - 1):
                        m.next = "COMPARE"
                        with m.If(~compares):
                            m.next = "RESTORE"
            with m.State("COMPARE"):
                m.d.comb += request.compare.eq(1)
                with m.If(reads(SectorKind.DIRECTORY)):
                    m.next = "RESTORE"
                    with m.If(self.transfer_differs):
                        end(FileError.CUT_SHORT)
            with m.State("RESTORE"):
                m.d.comb += crc.clear.eq(1)
                m.next = "RESTORED"
            with m.State("RESTORED"):
                m.d.comb += [crc.add.eq(1), crc.restore.eq(1)]
                end(FileError.NONE)
        with m.If(self.away):
            m.d.sync += self.holds.eq(0)
        return m

    def _of_sector(self, read):
        """Whether the word that comes is one of the header's, not of what follows it in its logical sector."""
        return read.valid & (read.index < SECTOR_WORDS) if self._long_sectors else read.valid

    def _capture(self, m, number, repeats):
        """What is kept of the words of the header. Returns whether it differs from the one that was read before,
        whether it has numbers that cannot be, and the function that forgets both."""
        read, table = self.read, self.table
        is_other = Signal()
        is_impossible = Signal()
        header_crc = Signal(32)
        first = Signal.like(self.words.first)
        m.d.comb += self.words.first.eq(first)
        with m.If(~self.request.active | (self.request.kind != SectorKind.PROOF)):
            m.d.comb += self.words.first.eq(0)

        def of_proof(place):
            """Whether the word that comes is the one at ``place`` of the next proof."""
            # One condition, not one of each proof: so nothing but a clock enable holds what is kept.
            return Cat((number == proof) & (read.index == HeaderWord.PROOFS + PROOF_WORDS * proof + place)
                       for proof in range(PROOFS)).any()

        with m.If(read.valid & self.request.active & (self.request.kind == SectorKind.HEADER)):
            with m.If(of_proof(ProofWord.LBA)):
                m.d.sync += self.range.lba[:32].eq(read.word)
            with m.If(of_proof(ProofWord.LBA + 1)):
                m.d.sync += self.range.lba[32:].eq(read.word)
            with m.If(of_proof(ProofWord.SECTORS)):
                m.d.sync += [self.range.sectors.eq(read.word), first.eq(read.word[16:])]
                with m.If(read.word[:16] == 0):
                    m.d.sync += is_impossible.eq(1)
            m.d.comb += self.expects.eq(of_proof(ProofWord.CRC))
            for place, most in (HeaderWord.SLOTS, MOST_SLOTS), (HeaderWord.BLOCK_SECTORS, MOST_BLOCK):
                with m.If((read.index == place) & ((read.word[:SLOT_BITS] == 0)
                                                   | (read.word[:SLOT_BITS] > most))):
                    m.d.sync += is_impossible.eq(1)
            with m.If(repeats):
                with m.If((read.index == SECTOR_WORDS - 1) & (read.word != header_crc)):
                    m.d.sync += is_other.eq(1)
            with m.Else():
                with m.Switch(read.index):
                    for place, what in {
                            HeaderWord.SLOTS: table.slots.eq(read.word),
                            HeaderWord.CLUSTER_SHIFT: table.cluster_shift.eq(read.word),
                            HeaderWord.BLOCK_SECTORS: table.block.eq(read.word),
                            SECTOR_WORDS - 1: header_crc.eq(read.word)}.items():
                        with m.Case(place):
                            m.d.sync += what
                    for half in range(2):
                        with m.Case(HeaderWord.FOLDER_LBA + half):
                            m.d.comb += self.folder[half].eq(1)

        def forget():
            m.d.sync += [is_other.eq(0), is_impossible.eq(0)]
        return is_other, is_impossible, forget
