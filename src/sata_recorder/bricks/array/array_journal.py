"""The journal of an array: the entries of all lanes, with their sectors as those of the array."""

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...core.block_memory import BlockMemory
from ...core.drive_port import JournalKind
from ...core.recorder import ENTRIES, FIELDS
from ...facts.array import DATA_OFFSET
from ...interface import JOURNAL
from .kept_words import LeftOut

__all__ = ["ArrayJournal"]

_FIELDS = list(FIELDS)
_POSITION, _LENGTH, _CLOCKS = _FIELDS.index("position"), _FIELDS.index("length"), _FIELDS.index("clocks")
#: Clocks from an address to its data, from a lane's sector to that of the array, and until `count` is compared.
_READ, _JOINED, _COUNTED = 3, 5, 2


class ArrayJournal(wiring.Component):
    """Copies the journals of the lanes when an operation has ended, one lane after the other. What the array itself
    passes over is entered as it happens.

    What a lane enters is a range of its sectors; in the array those are many, with sectors of other lanes between
    them. The entry has the range from the first to the last of them, and so never less than the lane's.

    Latency: 22 clocks for each entry, and 3 for each lane.

    Parameters
    ----------
    lanes : int
    offset : int            Where the data of each drive begin.
    appends : bool          When ``copy`` rises again, the entries are added to those that are there.
    passes : bool           There is ``left_out``.

    Members
    -------
    forget : In(1)          One clock: there are no entries.
    copy : In(1)            While high, all lanes are copied, once.
    copied : Out(1)         While ``copy`` is high: all lanes have been copied.
    lane : Out(range)       The lane whose journal is read: ``address``, ``data`` and ``count`` are those of its group.
    address : Out(7), data : In(48), count : In(6)
    own : Out(48), sector : In(48)      A sector of that lane, and that of the array 3 clocks later.
    left_out : In(LeftOut)       Sectors at the end of a lane; taken while ``copy`` is low.
    sizes : In(48) array    With ``passes``: sectors of the array that each lane holds.
    user : In               The group "journal" of :mod:`...interface`. Bits 10:8 of the first field are the lane, and
                            the last field is the first LBA on its drive.
    """

    def __init__(self, lanes, *, offset=DATA_OFFSET, appends=False, passes=False):
        self._lanes = lanes
        self._passes = passes
        self._offset = offset
        self._appends = appends
        super().__init__({
            "forget": In(1), "copy": In(1), "copied": Out(1), "lane": Out(range(lanes)), "address": Out(7),
            "data": In(48), "count": In(6), "own": Out(48), "sector": In(48), "user": In(JOURNAL.signature),
            "left_out": In(LeftOut(lanes)), "sizes": In(48).array(lanes),
        })

    def elaborate(self, platform):
        m = Module()
        user = self.user
        # A field is written a clock later than it is known, and ``count`` includes it after that.
        m.submodules.memory = kept = BlockMemory(shape=48, depth=ENTRIES * len(FIELDS))
        write = kept.write_port()
        address, stored = kept.late_port(m)
        value = Signal(48)
        enter = Signal()            # as this field
        m.d.comb += address.eq(user.address)
        meets = Signal()            # the field was written in the clock in which it was read: it is shown as 0
        m.d.sync += [write.en.eq(enter), write.data.eq(value), meets.eq(write.en & (write.addr == address)),
                     user.data.eq(Mux(meets, 0, stored))]

        entry = Signal(range(ENTRIES + 1))      # of the lane
        used, more = Signal(range(ENTRIES + 1)), Signal()
        field = Signal(range(len(FIELDS)))
        clocks = Signal(range(max(_READ, _JOINED) + 1))
        position, first = Signal(48), Signal(48)
        m.d.sync += clocks.eq(clocks + 1)
        m.d.comb += self.address.eq(Cat(field, entry[:-1]))
        m.d.sync += [write.addr.eq(Cat(field, used[:-1])), user.count.eq(Mux(more, ENTRIES + 1, used))]
        enters = Signal()           # the entry of the lane is one
        omits = Signal()            # there are others of it, after those that are entered
        m.d.sync += [enters.eq((entry < self.count) & (entry < ENTRIES) & ~used[-1]),
                     omits.eq((self.count > ENTRIES) | (entry < self.count))]
        of_array, data = self._left_out(m, field) if self._passes else (C(0), self.data)
        with m.FSM():
            with m.State("WAIT"):
                m.d.sync += [self.lane.eq(0), entry.eq(0), field.eq(0), clocks.eq(0)]
                with m.If(self.copy & ~self.copied):
                    m.next = "LANE"
                with m.Elif(of_array):
                    m.d.sync += self.lane.eq(self.left_out.lane)
                    m.next = "READ"
            with m.State("LANE"):
                with m.If(clocks == _COUNTED):
                    m.d.sync += clocks.eq(0)
                    with m.If(enters):
                        m.next = "READ"
                    with m.Else():
                        m.d.sync += [more.eq(more | omits), entry.eq(0), self.lane.eq(self.lane + 1)]
                        with m.If(self.lane == self._lanes - 1):
                            m.d.sync += self.copied.eq(1)
                            m.next = "WAIT"
            with m.State("READ"):
                with m.If(clocks == _READ):
                    m.d.sync += clocks.eq(0)
                    with m.Switch(field):
                        with m.Case(0):
                            m.d.comb += [enter.eq(1), value.eq(Cat(data[:8], self.lane))]
                            m.d.sync += field.eq(_POSITION)
                        with m.Case(_POSITION):
                            m.d.sync += [position.eq(data), self.own.eq(data - self._offset)]
                            m.next = "FIRST"
                        with m.Case(_LENGTH):
                            m.d.sync += self.own.eq(position + data - (self._offset + 1))
                            m.next = "LAST"
            with m.State("FIRST"):
                with m.If(clocks == _JOINED):
                    m.d.comb += [enter.eq(1), value.eq(self.sector)]
                    m.d.sync += [first.eq(self.sector), field.eq(_LENGTH), clocks.eq(0)]
                    m.next = "READ"
            with m.State("LAST"):
                with m.If(clocks == _JOINED):
                    m.d.comb += [enter.eq(1), value.eq(self.sector - first + 1)]
                    m.d.sync += field.eq(_CLOCKS)
                    m.next = "PLACE"
            with m.State("PLACE"):
                m.d.comb += [enter.eq(1), value.eq(position)]
                m.d.sync += [field.eq(0), clocks.eq(0), entry.eq(entry + 1), used.eq(used + 1)]
                m.next = "LANE"
                if self._passes:
                    m.d.comb += self.left_out.ready.eq(of_array)
                    with m.If(of_array):
                        m.next = "WAIT"
        if self._appends:
            with m.If(~self.copy):
                m.d.sync += self.copied.eq(0)
        with m.If(self.forget):
            m.d.sync += [used.eq(0), more.eq(0), self.copied.eq(0), user.count.eq(0)]
        return m

    def _left_out(self, m, field):
        """What is entered of sectors that the array passes over: whether there are any, and the ``field`` of them."""
        out = self.left_out
        begin, data = Signal(48), Signal(48)
        m.d.sync += begin.eq(Array(self.sizes)[out.lane] + self._offset - out.length)
        of_array = Signal()
        m.d.comb += of_array.eq(out.valid & ~self.copy)
        with m.If(~of_array):
            m.d.comb += data.eq(self.data)
        with m.Else():
            with m.Switch(field):
                with m.Case(0):
                    m.d.comb += data.eq(Cat(C(JournalKind.SKIPPED.value, 4), out.error))
                with m.Case(_POSITION):
                    m.d.comb += data.eq(begin)
                with m.Case(_LENGTH):
                    m.d.comb += data.eq(out.length)
        return of_array, data
