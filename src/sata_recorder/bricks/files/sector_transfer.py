"""Moves sectors between the memory of the files stage and the drive, through operations of the core."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...facts.described_enum import DescribedEnum
from ...core.drive_port import Operation
from ...core.states import OneHotStates
from ...interface import CONTROL
from ...facts.units import LONG_SECTOR_BLOCKS, LONG_SECTOR_SHIFT, SECTOR_WORDS
from .sector_check import INDEX_BITS, ReadWord, SectorKind
from .sector_memory import DIRECTORY_BASE, LOG_BASE, LONG_LOG_BASE, SectorMemoryPort
from .signature import SLOT_BITS
from .table_format import BLOCK_BITS, HEADER_LBA, LOG_SECTORS, LONG_LOG_SECTORS, SECTORS_BITS, SlotPlace

__all__ = ["LogPart", "TransferRange", "SectorTransfer", "TransferRequest"]

#: Clocks in which no word comes after a sector, so that its CRC-32 can be checked.
_PAUSE = 3


class LogPart(DescribedEnum):
    """Which sectors of a log are moved."""

    WHOLE = 0, "all"
    HEAD = 1, "the first one"
    REST = 2, "all but the first one, of a log with the table of segments"


class TransferRange(data.Struct):
    """Sectors in a row."""

    lba: 48
    sectors: SECTORS_BITS


class TransferRequest(wiring.Signature):
    """What is to be moved, seen from the side that wants it; all 0 while it wants nothing.

    Members
    -------
    active : Out(1)         All others stay as they are until ``done``; then it is low for a clock.
    store : Out(1)          From the memory to the drive, with FLUSH CACHE after it; else the other
                            way.
    compare : Out(1)        With DIRECTORY: only the slot's own sector is read, and compared with
                            that in the memory.
    flush : Out(1)          Only FLUSH CACHE.
    kind : Out(SectorKind)  The sector.
    long : Out(1)           With LOG: it has the table of segments, and five sectors; else three.
    part : Out(LogPart)     With LOG and ``store``.
    """

    def __init__(self):
        super().__init__({"active": Out(1), "store": Out(1), "compare": Out(1), "flush": Out(1),
                          "kind": Out(SectorKind), "long": Out(1), "part": Out(LogPart)})


class SectorTransfer(wiring.Component):
    """Moves the sectors of a request in one operation of the core. Of what is read only the
    directory sector of a slot goes into the memory.

    Parameters
    ----------
    long_sectors : bool     ``long`` counts. While it is high, a sector is the first of 8, which are moved together, and
                            a log is moved as a whole, whatever ``part`` is.

    Members
    -------
    request : In(TransferRequest)
    number : In(13), place : In(SlotPlace)      The slot.
    range : In(TransferRange)     The sectors of PROOF, and of DIRECTORY where it is read: the last
                            one is that of the slot.
    block : In(9)           Sectors from ``range`` to the directory sector of the slot, where they are no PROOF.
    directory_lba : Out(48) The LBA of that sector. It is valid a clock after one in which no DIRECTORY is being read,
                            and nothing of PROOF or LOG is requested.
    ready : In(1)           In the second clock from now a word may be read, if none is in the first.
    begins : Out(1)         The operation begins; the first word comes later.
    read : Out(ReadWord)    A word from the drive; one in two clocks at most.
    sector_ends : Out(1)    The last word of a sector came 3 clocks ago, and no word of the next one has come.
    done : Out(1)           One clock: the operation is over.
    failed : Out(1)         With ``done``: it has failed; the core's ``error`` shows how.
    in_doubt : Out(1)       With ``done``, of a store: the drive was brought up again meanwhile, and
                            its cache may have lost what it had taken.
    differs : Out(1)        With ``done``, of a compare: the sector is not what the memory has.
    memory : Out(SectorMemoryPort)
    i : Out(stream 32), o : In(stream 32)       The streams of the core.
    control : Out           The control of the core, see :mod:`...interface`.
    clear_unflushed : Out(1)        As the core's.
    checks : In(1)          The core may be ready when this falls: no operation begins.
    core_done : In(1), core_failed : In(1), unflushed : In(1)       The status of the core.
    long : In(1)            The drive has logical sectors of 4096 bytes.
    """

    def __init__(self, *, long_sectors=False):
        self._long_sectors = long_sectors
        super().__init__({
            "long": In(1),
            "request": In(TransferRequest()), "number": In(SLOT_BITS), "place": In(SlotPlace),
            "range": In(TransferRange), "block": In(BLOCK_BITS), "directory_lba": Out(48),
            "ready": In(1), "in_doubt": Out(1), "differs": Out(1),
            "begins": Out(1), "read": Out(ReadWord), "sector_ends": Out(1), "done": Out(1),
            "failed": Out(1), "memory": Out(SectorMemoryPort(long_sectors=long_sectors)),
            "i": Out(stream.Signature(32)), "o": In(stream.Signature(32)),
            "control": Out(CONTROL.signature), "clear_unflushed": Out(1), "checks": In(1),
            "core_done": In(1), "core_failed": In(1), "unflushed": In(1),
        })

    def elaborate(self, platform):
        m = Module()
        request, memory, control = self.request, self.memory, self.control
        index = Signal(INDEX_BITS)
        in_last = Signal()
        pause = Signal(range(_PAUSE + 1))
        loads = Signal()            # it runs, and words come
        stores = Signal()           # it runs, and words leave
        settled = Signal()          # of a store: ``index`` is what it was a clock ago, and so is the memory
        takes = Signal()            # a word may come
        taken = Signal()            # it does; a clock later it is read
        compared = Signal()         # a word was compared a clock ago
        unlike = Signal(4)          # its bytes that are not what the memory has
        moves = Signal()
        is_log = Signal()
        is_directory = Signal()
        m.d.comb += [
            is_log.eq(request.kind == SectorKind.LOG),
            is_directory.eq(request.kind == SectorKind.DIRECTORY),
            self.o.ready.eq(takes),
            self.i.valid.eq(settled),
            self.i.payload.eq(Mux(stores, memory.read, 0)),
            taken.eq(self.o.valid & takes),
            moves.eq(self.read.valid | (self.i.valid & self.i.ready)),
            self.read.index.eq(index),
            self.read.in_last.eq(in_last),
            self.sector_ends.eq(pause == 1),
        ]
        place = index[:7]           # of a word in its sector
        with m.If((loads | stores) & is_log):
            m.d.comb += memory.address.eq(index[:10] + Mux(
                request.part == LogPart.REST, LOG_BASE + SECTOR_WORDS, LOG_BASE))
            if self._long_sectors:
                base = Mux(request.part == LogPart.REST, LONG_LOG_BASE + SECTOR_WORDS, LONG_LOG_BASE)
                m.d.comb += memory.address.eq(index[:10] + Mux(self.long, LONG_LOG_BASE, base))
        with m.Elif(loads | stores):
            m.d.comb += memory.address.eq(DIRECTORY_BASE + place)
            if self._long_sectors:
                # What is read begins and ends with a logical sector, and the last one is that of the slot.
                m.d.comb += memory.address.eq(DIRECTORY_BASE + Mux(self.long, index[:10], place))
        with m.If(loads):
            m.d.comb += memory.data.eq(self.read.word)
        with m.If(loads & is_directory):
            m.d.comb += memory.write.eq(self.read.valid & ~request.compare)
        ends_sector = self.read.valid & (index[:7] == SECTOR_WORDS - 1)
        # The number of sectors is that of the kind for which this counts.
        m.d.sync += [settled.eq(stores & ~moves), in_last.eq(index[7:] + self._in_last() == control.sectors),
                     self.read.valid.eq(taken), self.read.word.eq(self.o.payload),
                     takes.eq(loads & ~taken & ~ends_sector & (pause <= 2) & self.ready)]
        # In two clocks: the memory's word comes late in its own.
        m.d.sync += [compared.eq(self.read.valid & loads & is_directory),
                     unlike.eq(Cat(self.read.word[low:low + 8] != memory.read[low:low + 8] for low in range(0, 32, 8)))]
        with m.If(compared & unlike.any()):
            m.d.sync += self.differs.eq(1)
        with m.If(moves):
            m.d.sync += index.eq(index + 1)
        with m.If(ends_sector):
            m.d.sync += pause.eq(_PAUSE)
        with m.Elif(pause != 0):
            m.d.sync += pause.eq(pause - 1)
        self._name(m)
        states = OneHotStates(m, "IDLE", "START", "RUN")
        with states.state("IDLE"):
            with m.If(request.active & ~self.checks):
                states.enter("START")
        with states.state("START"):
            m.d.comb += [control.start.eq(1), self.clear_unflushed.eq(1),
                         self.begins.eq(1)]
            m.d.sync += [index.eq(0), pause.eq(0), self.differs.eq(0),
                         loads.eq(~request.store & ~request.flush), stores.eq(request.store)]
            states.enter("RUN")
        with states.state("RUN"):
            with m.If(self.core_done):
                m.d.comb += [self.done.eq(1), self.failed.eq(self.core_failed),
                             self.in_doubt.eq(request.store & self.unflushed)]
                m.d.sync += [loads.eq(0), stores.eq(0), takes.eq(0), settled.eq(0)]
                states.enter("IDLE")
        return m

    def _in_last(self):
        """How many sectors the directory sector of the slot is."""
        return Mux(self.long, LONG_SECTOR_BLOCKS, 1) if self._long_sectors else 1

    def _name(self, m):
        """What the core is to do: with its start, a clock after the request."""
        control, request, kind = self.control, self.request, self.request.kind
        is_log = kind == SectorKind.LOG
        is_slot = kind == SectorKind.SLOT
        is_range = (kind == SectorKind.PROOF) | (
            (kind == SectorKind.DIRECTORY) & ~request.store & ~request.compare)
        rest = request.part == LogPart.REST
        number, whole = self.number, C(0, 1)
        if self._long_sectors:
            number, whole = Mux(self.long, self.number << LONG_SECTOR_SHIFT, self.number), self.long
        lba = Signal(48)
        is_table = Signal()         # a sector of the recording table
        table_lba = Signal(range(HEADER_LBA + (1 << SLOT_BITS + LONG_SECTOR_SHIFT)))
        m.d.sync += lba.eq(Mux(is_log, self.place.log_lba, self.range.lba) + Mux(
            is_log, rest & ~whole, Mux(is_range, 0, self.block)))
        m.d.comb += [self.directory_lba.eq(lba), control.lba.eq(Mux(is_table, table_lba, lba))]
        m.d.sync += [
            is_table.eq((kind == SectorKind.HEADER) | is_slot), table_lba.eq(HEADER_LBA + Mux(is_slot, number, 0)),
            control.operation.eq(Mux(request.flush, Operation.FLUSH, Mux(
                request.store, Operation.RECORD_FLUSH, Operation.PLAY))),
            control.sectors.eq(Mux(whole, LONG_SECTOR_BLOCKS, 1)),
        ]
        with m.If(is_range):
            m.d.sync += control.sectors.eq(self.range.sectors)
        with m.Elif(is_log & ~whole & (request.part != LogPart.HEAD)):
            m.d.sync += control.sectors.eq(Mux(request.long, LONG_LOG_SECTORS, LOG_SECTORS) - rest)
