"""The slots of a drive, after a proof that it is the one that was prepared."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...interface.file import FileError
from .compared_words import ComparedWords
from .crc32 import Crc32Port
from .drive_proof import DriveProof
from .sector_check import ReadWord, SectorCheck, SectorKind
from .sector_transfer import TransferRange, TransferRequest
from .signature import SLOT_BITS, FileTime
from .slot_search import SlotSearch
from .table_format import BLOCK_BITS, SlotPlace

__all__ = ["ProvedDrive"]


class ProvedDrive(wiring.Component):
    """Proves the drive, then looks for a free slot; proves it again for each writer.

    Parameters
    ----------
    long_sectors : bool     ``long`` counts.

    Members
    -------
    begin : In(1)           One clock: the drive is proved, and the search begins with slot 1.
    next : In(1)            One clock: the search continues after ``number``. Where the proof no longer
                            holds, it is as ``begin``.
    abandon : In(1)         The search ends before the next slot, with RELEASED.
    again : In(1), again_done : Out(1), holds : Out(1)
                            A proof for a writer, see :class:`.drive_proof.DriveProof`; with
                            ``again_done`` its ``error``.
    away : In(1)            Of the core, see :class:`...interface.UserSignature`.
    unreadable : In(1), beyond : In(1)      With ``transfer_failed``: the drive reports that it cannot
                            read, or has no such sectors; else the path to it has failed.
    request : Out(TransferRequest), range : Out(TransferRange), block : Out(9), directory_lba : In(48), ready : Out(1)
    transfer_begins, transfer_done, transfer_failed, transfer_differs, sector_ends : In(1),
    read : In(ReadWord)     Of :class:`.sector_transfer.SectorTransfer`.
    crc : Out(Crc32Port), crc_is_whole : In(1), crc_busy : In(1)
                            Of :class:`.crc32.Crc32`.
    completes, completed, number, place, logged_bytes, dates, user_time, user_dated, time, is_dated
                            As those of :class:`.slot_search.SlotSearch`.
    cluster_shift : Out(5)  A cluster has 1 << ``cluster_shift`` sectors; from ``done`` on.
    done : Out(1)           One clock: proof and search are over.
    error : Out(FileError)  With ``done``: NONE if there is a slot.
    long : In(1)            The drive has logical sectors of 4096 bytes.
    """

    def __init__(self, *, long_sectors=False):
        self._long_sectors = long_sectors
        super().__init__({
            "long": In(1),
            "begin": In(1), "next": In(1), "abandon": In(1),
            "again": In(1), "again_done": Out(1), "holds": Out(1),
            "away": In(1), "unreadable": In(1), "beyond": In(1), "request": Out(TransferRequest()),
            "range": Out(TransferRange), "block": Out(BLOCK_BITS), "directory_lba": In(48),
            "ready": Out(1), "transfer_begins": In(1), "transfer_done": In(1),
            "transfer_failed": In(1), "transfer_differs": In(1), "sector_ends": In(1),
            "read": In(ReadWord),
            "crc": Out(Crc32Port()), "crc_is_whole": In(1), "crc_busy": In(1),
            "completes": Out(1), "completed": In(1), "number": Out(SLOT_BITS),
            "place": Out(SlotPlace), "cluster_shift": Out(5), "logged_bytes": Out(48),
            "dates": In(1), "user_time": In(FileTime), "user_dated": In(1),
            "time": Out(FileTime), "is_dated": Out(1),
            "done": Out(1), "error": Out(FileError),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.proof = proof = DriveProof(long_sectors=self._long_sectors)
        m.submodules.search = search = SlotSearch(long_sectors=self._long_sectors)
        first = Signal()            # the proof is that before the search
        fails = Signal()            # that one has failed
        found = Signal()            # the search has ended, with a slot or without, on a drive that has been away
        m.d.comb += [
            found.eq(search.done & ~self.holds & ((search.error == FileError.NONE)
                                                  | (search.error == FileError.FULL))),
            proof.begin.eq(self.begin | (self.next & ~self.holds) | found),
            search.begin.eq(proof.done & first & (proof.error == FileError.NONE)),
            search.next.eq(self.next & self.holds),
            fails.eq(proof.done & first & (proof.error != FileError.NONE)),
            proof.again.eq(self.again), self.holds.eq(proof.holds),
            proof.away.eq(self.away), proof.beyond.eq(self.beyond),
            search.table.eq(proof.table), search.folder.eq(proof.folder), search.directory_lba.eq(self.directory_lba),
            self.block.eq(proof.table.block), self.cluster_shift.eq(proof.table.cluster_shift),
            search.abandon.eq(self.abandon), search.unreadable.eq(self.unreadable | self.beyond),
            search.sector_ends.eq(self.sector_ends), proof.transfer_differs.eq(self.transfer_differs),
            proof.crc_busy.eq(self.crc_busy),
            search.completed.eq(self.completed), self.completes.eq(search.completes),
            self.number.eq(search.number), self.place.eq(search.place),
            self.logged_bytes.eq(search.logged_bytes), search.dates.eq(self.dates),
            search.user_time.eq(self.user_time), search.user_dated.eq(self.user_dated),
            self.time.eq(search.time), self.is_dated.eq(search.is_dated),
        ]
        # In registers: the paths from here are long.
        m.d.sync += [
            self.done.eq(fails | (search.done & ~found)), self.again_done.eq(proof.done & ~first),
            self.error.eq(Mux(proof.done, proof.error, search.error)),
        ]
        with m.If(proof.begin):
            m.d.sync += first.eq(1)
        with m.Elif(proof.done):
            m.d.sync += first.eq(0)
        self._judge(m, proof, search)
        return m

    def _judge(self, m, proof, search):
        """What proof and search request, one at a time, and what they learn from the words that come."""
        m.submodules.check = check = SectorCheck(long_sectors=self._long_sectors)
        if self._long_sectors:
            m.d.comb += [check.long.eq(self.long), search.long.eq(self.long)]
        m.submodules.compared = compared = ComparedWords()
        request = self.request
        expected = Signal(32)       # CRC-32 of what is read
        with m.If(proof.expects | search.expects):
            m.d.sync += expected.eq(self.read.word)
        m.d.comb += [
            request.active.eq(proof.request.active | search.request.active),
            request.compare.eq(proof.request.compare), request.long.eq(search.request.long),
            request.kind.eq(proof.request.kind | search.request.kind),
            self.range.eq(Mux(request.kind == SectorKind.PROOF, proof.range, search.range)),
            check.begin.eq(proof.check | search.check), check.kind.eq(request.kind),
            check.number.eq(search.number), check.directory_lba.eq(self.directory_lba), check.read.eq(self.read),
            compared.begin.eq(self.transfer_begins), compared.read.eq(self.read),
            compared.range.first.eq(proof.words.first | search.words.first),
            compared.range.is_set.eq(proof.words.is_set | search.words.is_set),
            compared.range.is_boot.eq(proof.words.is_boot), self.ready.eq(compared.ready),
            self.crc.clear.eq(proof.crc.clear | search.crc.clear),
            self.crc.add.eq(proof.crc.add | search.crc.add),
            self.crc.word.eq(Mux(request.active, compared.word, 0)
                             | Mux(proof.judges | search.judges, expected, 0)),
            self.crc.keep.eq(proof.crc.keep), self.crc.restore.eq(proof.crc.restore),
        ]
        for one in proof, search:
            m.d.comb += [
                one.read.eq(self.read), one.transfer_begins.eq(self.transfer_begins),
                one.transfer_done.eq(self.transfer_done),
                one.transfer_failed.eq(self.transfer_failed), one.good.eq(check.good),
                one.counts.eq(compared.counts),
                one.set_good.eq(compared.good), one.set_ends.eq(compared.ends),
                one.crc_is_whole.eq(self.crc_is_whole),
            ]
