"""The journal of an operation: what is missing, old or in doubt."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from ..sequencer import Mark, MarkLayout

__all__ = ["ENTRIES", "FIELDS", "MORE", "GapLayout", "Journal"]

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

#: ``count`` when there was more than could be entered.
MORE = ENTRIES + 1

#: Entries that are kept for how the operation ends; one more for a mark that has been promised
#: room while a gap is on its way.
_FOR_MARKS = ENTRIES - 2
_FOR_GAPS = _FOR_MARKS - 1

_WIDTH = 48

#: A gap in a recording: words before it, words that are missing, its clocks.
GapLayout = data.StructLayout({"position": _WIDTH, "length": _WIDTH, "clocks": _WIDTH})


class Journal(wiring.Component):
    """Keeps entries of 4 fields in block RAM, to be read during and after the operation.

    Gaps take up to 29 entries. Later ones are not entered, and ``count`` says so. An entry counts
    6 clocks after it was at ``gap`` or ``mark``, or up to 38 after ``begin``.

    Members
    -------
    begin : In(1)           clears it; what waits at ``gap`` and ``mark`` is entered afterwards
    gap : In(stream GapLayout)
    mark : In(stream MarkLayout)
    room : Out(1)           for a mark, with two entries kept free behind it
    address : In(7)         4 x entry + field (:data:`FIELDS`)
    data : Out(48)          2 clocks later
    count : Out(6)          entries, or 33: all that could be entered, and there were more
    """

    begin: In(1)
    gap: In(stream.Signature(GapLayout))
    mark: In(stream.Signature(MarkLayout))
    room: Out(1)
    address: In(7)
    data: Out(_WIDTH)
    count: Out(6)

    def elaborate(self, platform):
        m = Module()
        gap, mark = self.gap, self.mark
        m.submodules.memory = entries = memory.Memory(
            shape=_WIDTH, depth=ENTRIES * len(FIELDS), init=[], attrs={"ram_style": "block"})
        write = entries.write_port()
        read = entries.read_port()
        m.d.comb += read.addr.eq(self.address)
        m.d.sync += self.data.eq(read.data)

        used = Signal(range(ENTRIES + 1))
        more = Signal()
        clearing = Signal()
        clear = Signal(range(ENTRIES))
        writing = Signal()
        of_gap = Signal()
        field = Signal(2)
        done = Signal()
        m.d.comb += done.eq(writing & (field == len(FIELDS) - 1))
        m.d.sync += [
            self.room.eq(used < _FOR_MARKS),
            self.count.eq(Mux(more, MORE, used)),
        ]

        with m.If(writing):
            m.d.comb += [
                write.en.eq(1),
                write.addr.eq(Cat(field, used[:-1])),
                gap.ready.eq(done & of_gap),
                mark.ready.eq(done & ~of_gap),
            ]
            with m.Switch(field):
                with m.Case(0):
                    m.d.comb += write.data.eq(Mux(
                        of_gap, Mark.GAP.value, Cat(C(0, 4) | mark.payload.kind,
                                                    mark.payload.cause)))
                with m.Case(1):
                    m.d.comb += write.data.eq(
                        Mux(of_gap, gap.payload.position, mark.payload.position))
                with m.Case(2):
                    m.d.comb += write.data.eq(
                        Mux(of_gap, gap.payload.length, mark.payload.length))
                with m.Case(3):
                    m.d.comb += write.data.eq(Mux(of_gap, gap.payload.clocks, 0))
            m.d.sync += [field.eq(field + 1), writing.eq(~done), used.eq(used + done)]
        # Old entries must not be taken for new ones.
        with m.Elif(clearing):
            m.d.comb += [write.en.eq(1), write.addr.eq(Cat(C(0, 2), clear))]
            m.d.sync += [clear.eq(clear + 1), clearing.eq(clear != ENTRIES - 1)]
        with m.Elif(gap.valid):
            m.d.sync += [of_gap.eq(1), writing.eq(used < _FOR_GAPS)]
            with m.If(used >= _FOR_GAPS):
                m.d.comb += gap.ready.eq(1)
                m.d.sync += more.eq(1)
        with m.Elif(mark.valid):
            m.d.sync += [of_gap.eq(0), writing.eq(used != ENTRIES)]
            with m.If(used == ENTRIES):
                m.d.comb += mark.ready.eq(1)
                m.d.sync += more.eq(1)

        with m.If(self.begin):
            m.d.sync += [
                used.eq(0), more.eq(0), field.eq(0), writing.eq(0), clear.eq(0), clearing.eq(1),
                self.count.eq(0),
            ]
        return m
