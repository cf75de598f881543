"""Sectors between the memory of the brick and the drive, through operations of the core."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..described_enum import DescribedEnum
from ..drive_port import Operation
from ..interface import group
from ..units import SECTOR_WORDS
from .sector_check import ReadWord, SectorKind
from .sector_memory import DIRECTORY_BASE, LOG_BASE, SectorMemoryPort
from .signature import SLOT_BITS
from .table_format import HEADER_LBA, LOG_SECTORS, LONG_LOG_SECTORS, SlotPlace

__all__ = ["LogPart", "SectorTransfer", "TransferRequest"]

#: Clocks in which no word comes behind a sector, so that its CRC-32 can be looked at.
_PAUSE = 3


class LogPart(DescribedEnum):
    """Which sectors of a log are moved."""

    WHOLE = 0, "all"
    HEAD = 1, "the first one"
    BEHIND = 2, "all but the first one, of a log with the table of segments"


class TransferRequest(wiring.Signature):
    """What is to be moved, seen from who wants it; all 0 while he wants nothing.

    Members
    -------
    active : Out(1)         All others stay as they are until ``done``; then it is low for a clock.
    store : Out(1)          From the memory to the drive, with FLUSH CACHE behind it; else the other
                            way.
    flush : Out(1)          Only FLUSH CACHE.
    kind : Out(SectorKind)  The sector.
    long : Out(1)           With LOG: it has the table of segments, and five sectors; else three.
    part : Out(LogPart)     With LOG and ``store``.
    """

    def __init__(self):
        super().__init__({"active": Out(1), "store": Out(1), "flush": Out(1),
                          "kind": Out(SectorKind), "long": Out(1), "part": Out(LogPart)})


class SectorTransfer(wiring.Component):
    """Moves the sectors of a request in one operation of the core. A log that is read does not
    come to the memory.

    A store is repeated while the core says that the drive was brought up again meanwhile, for its
    cache may have lost what it had taken.

    Members
    -------
    request : In(TransferRequest)
    number : In(13), place : In(SlotPlace)      The slot.
    begins : Out(1)         The operation begins; the first word comes later.
    read : Out(ReadWord)    A word from the drive; one in two clocks at most.
    sector_ends : Out(1)    The sector before has come 3 clocks ago, and no word of the next one.
    done : Out(1)           One clock: the operation is over.
    failed : Out(1)         With ``done``: it has failed; the core's ``error`` says how.
    memory : Out(SectorMemoryPort)
    i : Out(stream 32), o : In(stream 32)       The streams of the core.
    control : Out           The control of the core, see :mod:`..interface`.
    clear_unflushed : Out(1)        As the core's.
    core_done : In(1), core_failed : In(1), unflushed : In(1)       The status of the core.
    """

    def __init__(self):
        super().__init__({
            "request": In(TransferRequest()), "number": In(SLOT_BITS), "place": In(SlotPlace),
            "begins": Out(1), "read": Out(ReadWord), "sector_ends": Out(1), "done": Out(1),
            "failed": Out(1), "memory": Out(SectorMemoryPort()),
            "i": Out(stream.Signature(32)), "o": In(stream.Signature(32)),
            "control": Out(group("control")), "clear_unflushed": Out(1),
            "core_done": In(1), "core_failed": In(1), "unflushed": In(1),
        })

    def elaborate(self, platform):
        m = Module()
        request, memory, control = self.request, self.memory, self.control
        index = Signal(10)
        pause = Signal(range(_PAUSE + 1))
        loads = Signal()
        stores = Signal()
        settled = Signal()          # ``index`` is what it was a clock ago, and so is the memory
        moves = Signal()
        is_log = Signal()
        m.d.comb += [
            is_log.eq(request.kind == SectorKind.LOG),
            self.o.ready.eq(loads & settled & (pause == 0)),
            self.i.valid.eq(stores & settled),
            self.i.payload.eq(Mux(stores, memory.read, 0)),
            moves.eq((self.o.valid & self.o.ready) | (self.i.valid & self.i.ready)),
            self.read.valid.eq(self.o.valid & self.o.ready),
            self.read.index.eq(index),
            self.read.word.eq(self.o.payload),
            self.sector_ends.eq(pause == 1),
        ]
        with m.If(loads | stores):
            m.d.comb += memory.address.eq(index + Mux(is_log, Mux(
                request.part == LogPart.BEHIND, LOG_BASE + SECTOR_WORDS, LOG_BASE), DIRECTORY_BASE))
        with m.If(loads):
            m.d.comb += [memory.data.eq(self.o.payload), memory.write.eq(self.read.valid & ~is_log)]
        m.d.sync += settled.eq((loads | stores) & ~moves)
        with m.If(moves):
            m.d.sync += index.eq(index + 1)
        with m.If(self.read.valid & (index[:7] == SECTOR_WORDS - 1)):
            m.d.sync += pause.eq(_PAUSE)
        with m.Elif(pause != 0):
            m.d.sync += pause.eq(pause - 1)
        with m.FSM():
            with m.State("IDLE"):
                with m.If(request.active):
                    m.next = "START"
            with m.State("START"):
                m.d.comb += [control.start.eq(1), self.clear_unflushed.eq(1),
                             self.begins.eq(1)]
                self._name(m, is_log)
                m.d.sync += [index.eq(0), pause.eq(0)]
                m.next = "RUN"
            with m.State("RUN"):
                m.d.comb += [loads.eq(~request.store & ~request.flush), stores.eq(request.store)]
                with m.If(self.core_done):
                    with m.If(request.store & self.unflushed & ~self.core_failed):
                        m.next = "START"
                    with m.Else():
                        m.d.comb += [self.done.eq(1), self.failed.eq(self.core_failed)]
                        m.next = "IDLE"
        return m

    def _name(self, m, is_log):
        """What the core is to do."""
        control, request = self.control, self.request
        m.d.comb += [
            control.operation.eq(Mux(request.flush, Operation.FLUSH, Mux(
                request.store, Operation.RECORD_FLUSH, Operation.PLAY))),
            control.sectors.eq(1),
        ]
        with m.Switch(request.kind):
            with m.Case(SectorKind.HEADER):
                m.d.comb += control.lba.eq(HEADER_LBA)
            with m.Case(SectorKind.SLOT):
                m.d.comb += control.lba.eq(HEADER_LBA + self.number)
            with m.Case(SectorKind.DIRECTORY):
                m.d.comb += control.lba.eq(self.place.directory_lba)
            with m.Case(SectorKind.LOG):
                behind = request.part == LogPart.BEHIND
                m.d.comb += control.lba.eq(self.place.log_lba + behind)
                with m.If(request.part != LogPart.HEAD):
                    m.d.comb += control.sectors.eq(
                        Mux(request.long, LONG_LOG_SECTORS, LOG_SECTORS) - behind)
