"""What the journal and the count of lost words promise: nothing is left out in silence."""

from amaranth.hdl import Array, C, Cat, Mux, Signal

from formal.order import steady
from sata_recorder.core.recorder.journal import Journal
from sata_recorder.core.recorder.overflow import Overflow

_ENTRIES, _WIDTH = 8, 8


def journal(h):
    """Any gaps and marks; one field of one entry, any of them, is followed."""
    m = h.m
    dut = h.dut(Journal(entries=_ENTRIES, width=_WIDTH))
    gap, mark, user = dut.gap, dut.entry, dut.user
    h.drive(dut.begin, user.address, gap.valid, gap.payload, mark.valid, mark.payload)
    for stream in gap, mark:
        h.assume(~h.past(stream.valid & ~stream.ready & ~dut.begin) | (
            stream.valid & (stream.payload.as_value() == h.past(stream.payload.as_value()))))
    entry, field = h.constant(range(_ENTRIES), "entry"), h.constant(2, "field")
    is_gap = gap.valid & gap.ready
    is_mark = mark.valid & mark.ready
    writing, of_gap = h.probe("dut.writing"), h.probe("dut.of_gap")
    first = Cat(C(0, 4) | mark.payload.kind, mark.payload.cause)
    fields = Array([
        Mux(of_gap, 1, first[:_WIDTH]),
        Mux(of_gap, gap.payload.position, mark.payload.position)[:_WIDTH],
        Mux(of_gap, gap.payload.length, mark.payload.length)[:_WIDTH],
        Mux(of_gap, gap.payload.clocks, 0)[:_WIDTH]])

    # What is taken is entered, but for gaps when three entries are left and marks when none is.
    count, lost, value = Signal(range(_ENTRIES + 1)), Signal(), Signal(_WIDTH)
    full = Mux(is_gap, count >= _ENTRIES - 3, count == _ENTRIES)
    with m.If(dut.begin):
        m.d.sync += [count.eq(0), lost.eq(0)]
    with m.Elif((is_gap | is_mark) & full):
        m.d.sync += lost.eq(1)
    with m.Elif(is_gap | is_mark):
        m.d.sync += count.eq(count + 1)
        with m.If(count == entry):
            m.d.sync += value.eq(fields[field])
    promised = Signal()     # there was room when the mark came
    stays, fresh_room = h.past(mark.valid & ~is_mark), dut.room & ~h.past(dut.begin)
    with m.If(~mark.valid | is_mark | dut.begin):
        m.d.sync += promised.eq(0)
    with m.Elif(~stays):
        m.d.sync += promised.eq(fresh_room)
    memory = Array(h.probe(f"dut.memory[{place}]", _WIDTH) for place in range(4 * _ENTRIES))
    h.lemma("entries", h.probe("dut.used", range(_ENTRIES + 1)) == count)
    written = h.probe("dut.field", 2)
    h.lemma("clearing", ~h.probe("dut.clearing") | (~writing & (count == 0)))
    h.lemma("writing", Mux(writing, Mux(of_gap, gap.valid & (count < _ENTRIES - 3),
                                        mark.valid & (count < _ENTRIES)), written == 0))
    h.lemma("an entry is written field by field",
            ~writing | (count != entry) | (written <= field)
            | (memory[Cat(field, entry)] == fields[field]))
    h.check("one at a time", ~(is_gap & is_mark))
    h.lemma("an entry stays as it came until the next operation",
            (count <= entry) | (memory[Cat(field, entry)] == value))
    h.check("a mark that was promised room is entered", ~(promised & is_mark & full))
    h.check("count shows how many there are, or that there were more",
            h.past(dut.begin) | (user.count == Mux(
                h.first, 0, Mux(h.past(lost), _ENTRIES + 1, h.past(count)))))
    asked = h.past(h.past((user.address == Cat(field, entry)) & (count > entry)))
    h.check("it can be read", ~asked | (count <= entry) | (user.data == value))
    h.cover("the second entry, a mark", (count == 2) & (entry == 1) & (value == 0x32)
            & (field == 0))
    h.cover("a gap that there was no room for", lost & (count == _ENTRIES - 3),
            given=gap.valid & ~mark.valid & ~dut.begin | h.first)


def overflow(h):
    """Words that are offered at any time, room at any time."""
    m = h.m
    dut = h.dut(Overflow(depth=8))
    gap = dut.gap
    h.drive(dut.begin, dut.accepts, dut.offered, dut.room, dut.level, dut.held, dut.words,
            gap.ready)
    offered = dut.offered & dut.accepts
    accepted = offered & dut.room & dut.open
    dropped, told = Signal(48), Signal(48)
    with m.If(dut.begin):
        m.d.sync += [dropped.eq(0), told.eq(0)]
    with m.Else():
        m.d.sync += dropped.eq(dropped + (offered & ~accepted))
        with m.If(gap.valid & gap.ready):
            m.d.sync += told.eq(told + gap.payload.length)
    in_gap = h.probe("dut.in_gap")
    h.check("each word that is offered and not accepted is counted", dut.dropped == dropped)
    h.check("the gaps are all that was dropped", dropped == (
        told + Mux(gap.valid, gap.payload.length, 0)
        + Mux(in_gap, h.probe("dut.length", 48), 0))[:48])
    ended = gap.valid & h.past(~gap.valid)
    h.check("a gap is entered where the next word would have been", ~ended | (
        gap.payload.position == h.past(dut.words)))
    h.check("no word is accepted within a gap",
            ~in_gap | ~accepted | ~h.past(in_gap) | ~h.past(accepted) | gap.valid)
    steady(h, "gap", gap, unless=h.past(dut.begin))
    h.cover("two words in a gap, then one that is accepted",
            ended & (gap.payload.length == 2) & h.past(accepted))
    h.cover("a second gap while the first one waits", gap.valid & in_gap)
