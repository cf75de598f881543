"""The journal of an operation: what is missing, old or in doubt."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...interface import JOURNAL
from ..block_memory import BlockMemory
from ..drive_port import JournalEntry, JournalKind

__all__ = ["ENTRIES", "FIELDS", "Gap", "Journal"]

#: Entries of the journal.
ENTRIES = 32

#: The fields of an entry, in the order of their addresses.
FIELDS = {
    "kind": "bits 3:0: 1 GAP, 2 SKIPPED, 3 IN_DOUBT, 4 UNFLUSHED, 0 no entry; bits 7:4: the error "
            "that caused it, as in `error`",
    "position": "GAP: words of the recording before the gap; else the first LBA",
    "length": "GAP: words that are missing; else sectors",
    "clocks": "GAP: from the first lost word to the next accepted one, or to the end of the "
              "recording; else 0",
}

_WIDTH = 48


class Gap(data.Struct):
    """A gap in a recording."""

    #: Words of the recording before the gap.
    position: _WIDTH
    #: Words that are missing.
    length: _WIDTH
    #: Clocks from the first missing word to the next accepted one.
    clocks: _WIDTH


class Journal(wiring.Component):
    """Keeps entries of 4 fields in block RAM, to be read during and after the operation.

    Gaps leave three entries free. Later gaps are not entered, and ``user.count`` shows that. An entry
    counts 6 clocks after it was at ``gap`` or ``entry``, or up to 38 after ``begin``.

    Parameters
    ----------
    entries : int           a power of two
    width : int             bits of a field

    Members
    -------
    begin : In(1)           forgets all entries; what waits at ``gap`` and ``entry`` is entered
                            afterwards
    gap : In(stream Gap)    a gap in the recording
    entry : In(stream JournalEntry)         what the drive's side enters
    room : Out(1)           there is room for an entry of the drive's side and for two more, which
                            are kept for how the operation ends
    user : In               the group "journal" of :mod:`...interface`: ``data`` is the field at
                            ``address``, 4 x entry + field (:data:`FIELDS`), 2 clocks later, or
                            0 if it was just being written;
                            ``count`` is the number of entries, or one more than there can be
                            where there were more
    """

    def __init__(self, *, entries=ENTRIES, width=_WIDTH):
        self._entries = entries
        self._width = width
        super().__init__({
            "begin": In(1), "gap": In(stream.Signature(Gap)),
            "entry": In(stream.Signature(JournalEntry)), "room": Out(1),
            "user": In(JOURNAL.signature),
        })

    def elaborate(self, platform):
        m = Module()
        gap, entry, user = self.gap, self.entry, self.user
        # Two entries are kept for how the operation ends, and one more for an entry that has been
        # promised room while a gap is on its way.
        for_entries = self._entries - 2
        for_gaps = for_entries - 1
        m.submodules.memory = mem = BlockMemory(shape=self._width, depth=self._entries * len(FIELDS))
        write = mem.write_port()
        address, stored = mem.late_port(m)
        meets = Signal()            # the field was written in the clock in which it was read: it is shown as 0
        m.d.comb += address.eq(user.address)
        m.d.sync += [meets.eq(write.en & (write.addr == address)), user.data.eq(Mux(meets, 0, stored))]

        used = Signal(range(self._entries + 1))
        more = Signal()
        clearing = Signal()
        clear = Signal(range(self._entries))
        writing = Signal()
        of_gap = Signal()
        field = Signal(2)
        done = Signal()
        m.d.comb += done.eq(writing & (field == len(FIELDS) - 1))
        m.d.sync += [
            self.room.eq(used < for_entries),
            user.count.eq(Mux(more, self._entries + 1, used)),
        ]

        with m.If(writing):
            m.d.comb += [
                write.en.eq(1),
                write.addr.eq(Cat(field, used[:-1])),
                gap.ready.eq(done & of_gap),
                entry.ready.eq(done & ~of_gap),
            ]
            with m.Switch(field):
                with m.Case(0):
                    m.d.comb += write.data.eq(Mux(
                        of_gap, JournalKind.GAP.value,
                        Cat(C(0, 4) | entry.payload.kind, entry.payload.cause)))
                with m.Case(1):
                    m.d.comb += write.data.eq(
                        Mux(of_gap, gap.payload.position, entry.payload.position))
                with m.Case(2):
                    m.d.comb += write.data.eq(
                        Mux(of_gap, gap.payload.length, entry.payload.length))
                with m.Case(3):
                    m.d.comb += write.data.eq(Mux(of_gap, gap.payload.clocks, 0))
            m.d.sync += [field.eq(field + 1), writing.eq(~done), used.eq(used + done)]
        # Old entries must not be taken for new ones.
        with m.Elif(clearing):
            m.d.comb += [write.en.eq(1), write.addr.eq(Cat(C(0, 2), clear))]
            m.d.sync += [clear.eq(clear + 1), clearing.eq(clear != self._entries - 1)]
        with m.Elif(gap.valid):
            m.d.sync += [of_gap.eq(1), writing.eq(used < for_gaps)]
            with m.If(used >= for_gaps):
                m.d.comb += gap.ready.eq(1)
                m.d.sync += more.eq(1)
        with m.Elif(entry.valid):
            m.d.sync += [of_gap.eq(0), writing.eq(used != self._entries)]
            with m.If(used == self._entries):
                m.d.comb += entry.ready.eq(1)
                m.d.sync += more.eq(1)

        with m.If(self.begin):
            m.d.sync += [
                used.eq(0), more.eq(0), field.eq(0), writing.eq(0), clear.eq(0), clearing.eq(1),
                user.count.eq(0),
            ]
        return m
