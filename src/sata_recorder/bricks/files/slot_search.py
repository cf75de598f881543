"""The search for a free slot on a prepared drive."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import LONG_SECTOR_BLOCKS, SECTOR_SHIFT, SECTOR_WORDS
from ...interface.file import FileError
from .compared_words import WordRange
from .crc32 import Crc32Port
from .drive_proof import TableFacts
from .sector_check import ReadWord, SectorKind
from .sector_transfer import TransferRange, TransferRequest
from .signature import SLOT_BITS, FileTime
from .table_format import (LOG_SECTORS, LONG_LOG_SECTORS, UNUSED_OFFSET, LogFlag, LogVersion, LogWord, SlotPlace,
                           SlotWord)

__all__ = ["SlotSearch"]

#: Clocks from the last word until all of it is in the sums, and until the expected CRC is, too.
_SETTLE, _JUDGE = 6, 10


class SlotSearch(wiring.Component):
    """Finds the next slot of a proved drive that a recording can go into.

    A slot is free if nothing else can have been put into it (docs/files.md, "Free"): the folder
    reaches to its directory sector, no file is in the place of the recording's entries, and
    the entries of the unused file are the slot's own. One that the drive cannot read, or whose
    CRC-32 differs, is passed over. If a free slot has a whole log, only the last write of its recording
    is missing, as the power failed: ``completes`` requests that first.

    Parameters
    ----------
    long_sectors : bool     ``long`` counts.

    Members
    -------
    begin : In(1)           One clock: the search begins with slot 1 of ``table``.
    next : In(1)            One clock: the search continues after ``number``.
    table : In(TableFacts)
    abandon : In(1)         The search ends before the next slot, with RELEASED.
    unreadable : In(1)      With ``transfer_failed``: the drive reports that it cannot read; else the
                            path to it has failed.
    request : Out(TransferRequest), range : Out(TransferRange), words : Out(WordRange)
    transfer_begins, transfer_done, transfer_failed, sector_ends : In(1), read : In(ReadWord)
                            Of :class:`.sector_transfer.SectorTransfer`.
    check : Out(1), good : In(1)        Begin and result of :class:`.sector_check.SectorCheck`.
    counts : In(1), set_good : In(1), set_ends : In(1)      Of :class:`.compared_words.ComparedWords`.
    crc : Out(Crc32Port), crc_is_whole : In(1)  Of :class:`.crc32.Crc32`, except for its ``word``.
    expects, judges : Out(1)            As those of :class:`.drive_proof.DriveProof`.
    completes : Out(1)      One clock: the recording of this slot is to become a file, of
                            ``logged_bytes`` and ``time``, named after its day if ``is_dated``.
    completed : In(1)       That is over, whether it succeeded or not.
    folder : In(2)          Before ``begin``: the word that comes is the lower half (bit 0), the upper half (bit 1) of
                            the LBA of the folder.
    directory_lba : In(48)  Of :class:`.sector_transfer.SectorTransfer`.
    number : Out(13), place : Out(SlotPlace)    The slot, from ``done`` on.
    logged_bytes : Out(48)  Of the log that was read last; 0 while no slot is being looked for.
    dates : In(1)           One clock: a recording begins.
    user_time : In(FileTime), user_dated : In(1)        With ``dates``: its time; its file is named after its day.
    time : Out(FileTime), is_dated : Out(1)     Of that recording, or of the log that was read last.
    done : Out(1)           One clock: the search is over.
    error : Out(FileError)  With ``done``: NONE if there is a slot.
    long : In(1)            The drive has logical sectors of 4096 bytes.
    """

    def __init__(self, *, long_sectors=False):
        self._long_sectors = long_sectors
        super().__init__({
            "long": In(1),
            "begin": In(1), "next": In(1), "table": In(TableFacts), "abandon": In(1),
            "unreadable": In(1),
            "request": Out(TransferRequest()), "range": Out(TransferRange), "words": Out(WordRange()),
            "transfer_begins": In(1), "transfer_done": In(1), "transfer_failed": In(1),
            "sector_ends": In(1), "read": In(ReadWord), "check": Out(1), "good": In(1),
            "counts": In(1), "set_good": In(1), "set_ends": In(1),
            "crc": Out(Crc32Port()), "crc_is_whole": In(1), "expects": Out(1), "judges": Out(1),
            "completes": Out(1), "completed": In(1),
            "folder": In(2), "directory_lba": In(48), "number": Out(SLOT_BITS), "place": Out(SlotPlace),
            "logged_bytes": Out(48), "dates": In(1), "user_time": In(FileTime), "user_dated": In(1),
            "time": Out(FileTime), "is_dated": Out(1),
            "done": Out(1), "error": Out(FileError),
        })

    def elaborate(self, platform):
        m = Module()
        request, crc, table = self.request, self.crc, self.table
        is_ours = Signal()          # the slot may be free, so far
        ended = Signal()            # no further slot can be reached in the folder
        log_is_whole = Signal()     # its first sector is
        version = Signal(2)         # of the log
        long = Signal()             # all of a log with the table of segments is read
        clocks = Signal(range(_JUDGE + 1))
        good = Signal()             # what was read is as it must be
        m.d.comb += good.eq(self.good & self.crc_is_whole)
        # From the directory sector of the slot before, or the first one of the folder, to its own.
        own = Mux(self.long, LONG_SECTOR_BLOCKS, 1) if self._long_sectors else 1
        m.d.comb += self.range.sectors.eq(table.block + own)
        idles = Signal()
        advances = Signal()
        self._capture(m, version, idles, advances)

        def end(error):
            m.d.comb += [self.done.eq(1), self.error.eq(error)]
            m.next = "IDLE"

        def read(kind):
            m.d.comb += [request.active.eq(1), request.kind.eq(kind),
                         request.long.eq(long & (kind == SectorKind.LOG)),
                         self.check.eq(self.transfer_begins),
                         crc.clear.eq(self.transfer_begins)]
            with m.If(self.read.valid & (self.counts if kind == SectorKind.DIRECTORY else self._of(kind, long))):
                m.d.comb += crc.add.eq(1)
            m.d.sync += clocks.eq(0)
            # Only a failed path ends the search, not an unreadable sector.
            with m.If(self.transfer_done & self.transfer_failed & ~self.unreadable):
                end(FileError.DRIVE)
            return self.transfer_done & ~self.transfer_failed, \
                self.transfer_done & self.transfer_failed & self.unreadable

        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += idles.eq(1)
                with m.If(self.begin):
                    m.d.sync += [self.number.eq(1), ended.eq(0)]
                    m.next = "LOOK"
                with m.Elif(self.next):
                    m.next = "PASS"
            with m.State("PASS"):
                # The directory sector of this slot is known a clock after a request.
                m.next = "NEXT"
            with m.State("NEXT"):
                m.d.comb += advances.eq(1)
                m.d.sync += self.number.eq(self.number + 1)
                m.next = "LOOK"
                with m.If((self.number == table.slots) | ended):
                    m.d.sync += self.number.eq(self.number)
                    end(FileError.FULL)
            with m.State("LOOK"):
                m.d.sync += long.eq(0)
                m.next = "SLOT"
                with m.If(self.abandon):
                    end(FileError.RELEASED)
            with m.State("SLOT"):
                came, failed = read(SectorKind.SLOT)
                with m.If(came | failed):
                    m.d.sync += is_ours.eq(came & good)
                    m.next = "DIRECTORY"
            with m.State("DIRECTORY"):
                # Of each slot: the folder must not end before the next one.
                m.d.comb += [self.words.is_set.eq(1),
                             self.words.first.eq(Cat(C(UNUSED_OFFSET // 4, 7), table.block))]
                came, failed = read(SectorKind.DIRECTORY)
                with m.If(failed):
                    m.d.sync += ended.eq(1)
                    m.next = "PASS"
                with m.Elif(came):
                    m.next = "JUDGE"
            with m.State("JUDGE"):
                m.d.sync += clocks.eq(clocks + 1)
                with m.If(clocks == _SETTLE):
                    m.d.comb += [crc.add.eq(1), self.judges.eq(1)]
                with m.If(clocks == _JUDGE):
                    m.d.sync += ended.eq(self.set_ends)
                    m.next = "PASS"
                    with m.If(is_ours & good & self.set_good & ~self.set_ends):
                        m.next = "LOG"
            with m.State("LOG"):
                came, failed = read(SectorKind.LOG)
                with m.If(self.sector_ends & (self.read.index == SECTOR_WORDS)):
                    m.d.sync += log_is_whole.eq(self.crc_is_whole)
                    m.d.comb += crc.clear.eq(1)
                with m.If(failed):
                    m.next = "PASS"
                with m.Elif(came & self.good & log_is_whole & self.logged_bytes.any()):
                    with m.If(version == Mux(long, LogVersion.ORDER, LogVersion.PLAIN)):
                        m.next = "SUM"
                    with m.Elif(version == LogVersion.ORDER):
                        m.next = "LONG"
                    with m.Elif(version == LogVersion.UPDATE):
                        m.d.comb += self.completes.eq(1)
                        m.next = "COMPLETE"
                    with m.Else():
                        end(FileError.NONE)
                with m.Elif(came):
                    end(FileError.NONE)
            with m.State("LONG"):
                m.d.sync += long.eq(1)
                m.next = "LOG"
            with m.State("SUM"):
                m.d.sync += clocks.eq(clocks + 1)
                with m.If(clocks == 0):
                    m.d.comb += [crc.add.eq(1), self.judges.eq(1)]
                with m.If(clocks == _JUDGE - _SETTLE):
                    with m.If(self.crc_is_whole):
                        m.d.comb += self.completes.eq(1)
                        m.next = "COMPLETE"
                    with m.Else():
                        end(FileError.NONE)
            with m.State("COMPLETE"):
                with m.If(self.completed):
                    m.next = "PASS"
        return m

    def _of(self, kind, long):
        """Whether the word that comes is of the slot or the log, not of what follows it in its logical sector."""
        if not self._long_sectors:
            return 1
        sectors = Mux(long, LONG_LOG_SECTORS, LOG_SECTORS) if kind == SectorKind.LOG else 1
        return self.read.index[SECTOR_SHIFT:] < sectors

    def _capture(self, m, version, idles, advances):
        """What is kept of the words that come."""
        read, place, time, user = self.read, self.place, self.time, self.user_time
        with m.If(advances):
            m.d.sync += self.range.lba.eq(self.directory_lba)
        for half, comes in zip((self.range.lba[:32], self.range.lba[32:]), self.folder):
            with m.If(comes):
                m.d.sync += half.eq(read.word)
        # From the log, or from the user.
        logged = read.valid & self.request.active & (self.request.kind == SectorKind.LOG) & ~self.dates
        with m.If(self.dates | (logged & (read.index == LogWord.FLAGS))):
            m.d.sync += [time.valid.eq(Mux(logged, read.word[LogFlag.TIME], user.valid)),
                         self.is_dated.eq(Mux(logged, read.word[LogFlag.DATED], self.user_dated & user.valid))]
        with m.If(self.dates | (logged & (read.index == LogWord.SECONDS))):
            m.d.sync += time.seconds.eq(Mux(logged, read.word, user.seconds))
        with m.If(self.dates | (logged & (read.index == LogWord.TIME_REST))):
            m.d.sync += [time.ten_ms.eq(Mux(logged, read.word[:8], user.ten_ms)),
                         time.offset.eq(Mux(logged, read.word[8:16], user.offset))]

        def both(index, target):
            return {index: target[:32].eq(read.word), index + 1: target[32:].eq(read.word)}

        for kind, targets in {
                SectorKind.SLOT: {
                    **both(SlotWord.LBA, place.lba), **both(SlotWord.SECTORS, place.sectors),
                    SlotWord.FIRST_CLUSTER: place.first_cluster.eq(read.word),
                    **both(SlotWord.LOG_LBA, place.log_lba),
                    SlotWord.UNUSED_CRC: None},
                SectorKind.LOG: {
                    2: version.eq(read.word),
                    **both(LogWord.BYTES, self.logged_bytes),
                    LogWord.JOURNAL_CRC: None}}.items():
            with m.If(read.valid & self.request.active & (self.request.kind == kind)):
                with m.Switch(read.index):
                    for index, assignment in targets.items():
                        with m.Case(int(index)):
                            if assignment is None:
                                m.d.comb += self.expects.eq(1)
                            else:
                                m.d.sync += assignment
        with m.If(idles):
            m.d.sync += self.logged_bytes.eq(0)
