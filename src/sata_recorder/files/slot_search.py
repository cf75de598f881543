"""The search for a free slot on a prepared drive."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..units import SECTOR_WORDS
from .crc32 import Crc32Port
from .sector_check import ReadWord, SectorKind
from .sector_transfer import TransferRequest
from .signature import SLOT_BITS, FileError, FileTime
from .table_format import HeaderWord, LogFlag, LogVersion, LogWord, SlotPlace, SlotWord

__all__ = ["SlotSearch"]

#: Clocks until a word that was added is in the CRC-32.
_CRC_CLOCKS = 3


class SlotSearch(wiring.Component):
    """Reads the recording table, and finds the next slot that a recording can go into.

    A slot that the drive cannot read, or whose CRC-32 differs, is passed over. A free slot that has
    a whole log is one whose recording has only missed its last write, when the power failed:
    ``completes`` asks for that first.

    Members
    -------
    begin : In(1)           One clock: the table is read, and the search begins with slot 1.
    next : In(1)            One clock: the search goes on behind ``number``.
    abandon : In(1)         The search ends before the next slot, with RELEASED.
    unreadable : In(1)      With ``transfer_failed``: the drive says that it cannot read; else the
                            way to it has failed.
    request : Out(TransferRequest)
    transfer_begins, transfer_done, transfer_failed, sector_ends : In(1), read : In(ReadWord)
                            Of :class:`.sector_transfer.SectorTransfer`.
    check : Out(1), good : In(1)        Begin and result of :class:`.sector_check.SectorCheck`.
    crc : Out(Crc32Port), crc_is_whole : In(1)  Of :class:`.crc32.Crc32`.
    completes : Out(1)      One clock: the recording of this slot is to become a file, of
                            ``logged_bytes`` and ``logged_time``, named after its day if
                            ``logged_dated``.
    completed : In(1)       That is over, whatever became of it.
    number : Out(13), place : Out(SlotPlace), cluster_shift : Out(5)    The slot, from ``done`` on.
    logged_bytes : Out(48), logged_time : Out(FileTime), logged_dated : Out(1)
    done : Out(1)           One clock: the search is over.
    error : Out(FileError)  With ``done``: NONE if there is a slot.
    """

    def __init__(self):
        super().__init__({
            "begin": In(1), "next": In(1), "abandon": In(1), "unreadable": In(1),
            "request": Out(TransferRequest()),
            "transfer_begins": In(1), "transfer_done": In(1), "transfer_failed": In(1),
            "sector_ends": In(1), "read": In(ReadWord), "check": Out(1), "good": In(1),
            "crc": Out(Crc32Port()), "crc_is_whole": In(1),
            "completes": Out(1), "completed": In(1),
            "number": Out(SLOT_BITS), "place": Out(SlotPlace), "cluster_shift": Out(5),
            "logged_bytes": Out(48), "logged_time": Out(FileTime),
            "logged_dated": Out(1),
            "done": Out(1), "error": Out(FileError),
        })

    def elaborate(self, platform):
        m = Module()
        request, crc = self.request, self.crc
        slots = Signal(SLOT_BITS)
        journal_crc = Signal(32)
        log_is_whole = Signal()     # its first sector is
        version = Signal(2)         # of the log
        long = Signal()             # all of a log with the table of segments is read
        clocks = Signal(range(_CRC_CLOCKS + 1))
        good = Signal()             # what was read is as it must be
        m.d.comb += good.eq(self.good & self.crc_is_whole)
        self._capture(m, slots, journal_crc, version)

        def end(error):
            m.d.comb += [self.done.eq(1), self.error.eq(error)]
            m.next = "IDLE"

        def read(kind):
            m.d.comb += [request.active.eq(1), request.kind.eq(kind),
                         request.long.eq(long & (kind == SectorKind.LOG)),
                         self.check.eq(self.transfer_begins),
                         crc.clear.eq(self.transfer_begins)]
            with m.If(self.read.valid & (kind != SectorKind.DIRECTORY)):
                m.d.comb += [crc.add.eq(1), crc.word.eq(self.read.word)]
            # A part of the drive that cannot be read is not all of it.
            with m.If(self.transfer_done & self.transfer_failed & ~self.unreadable):
                end(FileError.DRIVE)
            return self.transfer_done & ~self.transfer_failed, \
                self.transfer_done & self.transfer_failed & self.unreadable

        with m.FSM():
            with m.State("IDLE"):
                with m.If(self.begin):
                    m.d.sync += self.number.eq(0)
                    m.next = "HEADER"
                with m.Elif(self.next):
                    m.next = "NEXT"
            with m.State("HEADER"):
                came, failed = read(SectorKind.HEADER)
                with m.If(failed):
                    end(FileError.DRIVE)
                with m.Elif(came & ~self.good):
                    end(FileError.NOT_PREPARED)
                with m.Elif(came & ~good):
                    end(FileError.DAMAGED)
                with m.Elif(came):
                    m.next = "NEXT"
            with m.State("NEXT"):
                m.d.sync += [self.number.eq(self.number + 1), long.eq(0)]
                m.next = "SLOT"
                with m.If(self.number == slots):
                    m.d.sync += self.number.eq(self.number)
                    end(FileError.FULL)
                with m.Elif(self.abandon):
                    end(FileError.RELEASED)
            with m.State("SLOT"):
                came, failed = read(SectorKind.SLOT)
                with m.If(failed | (came & ~good)):
                    m.next = "NEXT"
                with m.Elif(came):
                    m.next = "DIRECTORY"
            with m.State("DIRECTORY"):
                came, failed = read(SectorKind.DIRECTORY)
                with m.If(failed | (came & ~self.good)):
                    m.next = "NEXT"
                with m.Elif(came):
                    m.next = "LOG"
            with m.State("LOG"):
                came, failed = read(SectorKind.LOG)
                with m.If(self.sector_ends & (self.read.index == SECTOR_WORDS)):
                    m.d.sync += log_is_whole.eq(self.crc_is_whole)
                    m.d.comb += crc.clear.eq(1)
                m.d.sync += clocks.eq(0)
                with m.If(failed):
                    m.next = "NEXT"
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
                    m.d.comb += [crc.add.eq(1), crc.word.eq(journal_crc)]
                with m.If(clocks == _CRC_CLOCKS):
                    with m.If(self.crc_is_whole):
                        m.d.comb += self.completes.eq(1)
                        m.next = "COMPLETE"
                    with m.Else():
                        end(FileError.NONE)
            with m.State("COMPLETE"):
                with m.If(self.completed):
                    m.next = "NEXT"
        return m

    def _capture(self, m, slots, journal_crc, version):
        """What is kept of the words that come."""
        read, place, time = self.read, self.place, self.logged_time

        def both(index, target):
            return {index: target[:32].eq(read.word), index + 1: target[32:].eq(read.word)}

        for kind, targets in {
                SectorKind.HEADER: {
                    HeaderWord.SLOTS: slots.eq(read.word),
                    HeaderWord.CLUSTER_SHIFT: self.cluster_shift.eq(read.word)},
                SectorKind.SLOT: {
                    **both(SlotWord.LBA, place.lba), **both(SlotWord.SECTORS, place.sectors),
                    SlotWord.FIRST_CLUSTER: place.first_cluster.eq(read.word),
                    SlotWord.CLUSTERS: place.clusters.eq(read.word),
                    **both(SlotWord.DIRECTORY_LBA, place.directory_lba),
                    **both(SlotWord.LOG_LBA, place.log_lba)},
                SectorKind.LOG: {
                    2: version.eq(read.word),
                    **both(LogWord.BYTES, self.logged_bytes),
                    LogWord.FLAGS: [time.valid.eq(read.word[LogFlag.TIME]),
                                    self.logged_dated.eq(read.word[LogFlag.DATED])],
                    LogWord.SECONDS: time.seconds.eq(read.word),
                    LogWord.TIME_REST: [time.ten_ms.eq(read.word[:8]),
                                        time.offset.eq(read.word[8:16])],
                    LogWord.JOURNAL_CRC: journal_crc.eq(read.word)}}.items():
            with m.If(read.valid & self.request.active & (self.request.kind == kind)):
                with m.Switch(read.index):
                    for index, assignment in targets.items():
                        with m.Case(int(index)):
                            m.d.sync += assignment
