"""A stream between two clocks, of which each may rise in any step: any ratio, any phase, any pause."""

from amaranth.hdl import Array, C, Cat, Elaboratable, Module, Mux, ResetSignal, Signal
from amaranth.lib.cdc import ResetSynchronizer

from formal.order import order
from sata_recorder.bricks.clock_crossing import ClockCrossing


class _Crossing(Elaboratable):
    """A crossing, and the way of the core's reset to the clock of the other side, as the stages have it."""

    def __init__(self, depth, core):
        self.crossing = ClockCrossing(1, depth, writer="writer", reader="reader", cut=core == "reader")
        self._core, self._other = ("writer", "reader") if core == "writer" else ("reader", "writer")

    def elaborate(self, platform):
        m = Module()
        m.submodules.crossing = self.crossing
        m.submodules.reset = ResetSynchronizer(ResetSignal(self._core), domain=self._other)
        return m


def crossing(h, core, depth=4, resets=True):
    """Any words, taken at any time, and resets of the ``core`` at any time; the other side may stand still then."""
    m = h.m
    most = depth + (2 if core == "reader" else 1)       # a register of two places, or of one
    writer, writes = h.clock("writer")
    reader, reads = h.clock("reader")
    dut = h.add_clocked(_Crossing(depth, core)).crossing
    h.drive(dut.i.valid, dut.i.payload, dut.o.ready)
    # The reset changes after an edge of the core's clock.
    reset = Signal()
    with m.If(writes if core == "writer" else reads):
        m.d.sync += reset.eq(h.any(1, "reset") & int(resets))
    m.d.comb += (writer if core == "writer" else reader).rst.eq(reset)
    valid = dut.o.valid & ~reader.rst
    put = writes & h.past(dut.i.valid & dut.i.ready)
    take = reads & h.past(valid & dut.o.ready)
    inside = order(h, "words", put & ~reset, h.past(dut.i.payload), take & ~reset, h.past(dut.o.payload),
                   limit=most, clear=reset, lemma=lambda *model: _lemmas(h, depth, core == "reader", *model))
    h.check("nothing is taken unless it is opened", dut.opened | ~dut.i.ready)
    h.check("... and never in a reset", ~reset | ~dut.i.ready)
    # What a user sees at the edges of the clock.
    waits, word = Signal(name="waits"), Signal(name="word")
    held, seen = h.past(valid & ~dut.o.ready & ~reset), h.past(dut.o.payload)
    with m.If(reads):
        m.d.sync += [waits.eq(held), word.eq(seen)]
    h.check("valid stays until ready, but for a reset", ~reads | ~waits | h.past(valid | reader.rst) | reset)
    h.check("... and so does the word", ~reads | ~waits | (seen == word) | h.past(reader.rst) | reset)
    latest = Signal()           # a word was put at the latest edge of the writer
    with m.If(writes):
        m.d.sync += latest.eq(put)
    now = inside + put - take
    h.check("the level is not below what is in the FIFO, but for the word that was put last", ~dut.opened
            | (dut.level + Mux(writes, put, latest) + most - depth >= now))
    h.cover("full", inside == most)
    if resets:
        h.cover("a word after a reset", take & ~reset & h.ever(reset & (inside != 0)))


def _lemmas(h, depth, cut, inside, marked, ahead, word):
    """Where the words of the model are. The model shows in a step what the crossing has shown in the one before."""
    bits = depth.bit_length()
    fifo = "dut.crossing.fifo"
    newest, oldest = h.probe(f"{fifo}.produce_w_bin", bits), h.probe(f"{fifo}.consume_r_bin", bits)
    codes = [h.probe(f"{fifo}.{name}", bits) for name in (
        "consume_cdc.stage1", "consume_cdc.stage0", "consume_r_gry", "produce_cdc.stage1", "produce_cdc.stage0",
        "produce_w_gry")]
    settled = h.probe("dut.crossing.$signal", 8)[-1]
    there = h.probe("dut.crossing.skid.o__valid" if cut else "dut.crossing.there")
    register = h.probe("dut.crossing.skid.o__payload" if cut else "dut.o__payload")
    second = h.probe("dut.crossing.skid.spare_valid") if cut else C(0, 1)
    runs, valid = h.probe("dut.opened"), there & settled & ~h.probe("dut.reader_rst")
    places = [(_decoded(code) - _decoded(codes[0]))[:bits] for code in codes]
    h.lemma("settled before it is opened", ~runs | settled)
    h.lemma("each pointer as a Gray code", ~runs | (_decoded(codes[-1]) == newest) & (_decoded(codes[2]) == oldest))
    h.lemma("no pointer is before the one that it follows", ~runs | Cat(
        before <= after for before, after in zip(places, places[1:])).all() & (places[-1] <= depth))
    h.lemma("no word is shown before it is opened", runs | ~valid)
    h.lemma("words inside", inside == Mux(h.past(runs), h.past((newest - oldest)[:bits] + there + second), 0))
    storage = Array(h.probe(f"{fifo}.storage[{place}]") for place in range(depth))
    data = h.probe(f"{fifo}.r_data")
    h.lemma("the memory is read ahead", ~runs | (codes[2] == codes[3]) | (data == storage[oldest[:-1]]))
    h.lemma("the marked word is inside", ~marked | (ahead < inside))
    was, first = h.past(there + second), h.past(oldest)
    memory = Array(h.past(word) for word in storage)
    h.lemma("... in the memory", ~marked | (ahead < was) | (memory[(first + ahead - was)[:bits - 1]] == word))
    h.lemma("... or in the register", ~marked | ~h.past(there) | (ahead != 0) | (h.past(register) == word))
    if cut:
        h.lemma("the second place is filled after the first", ~second | there)
        h.lemma("... or in its second place", ~marked | ~h.past(second) | (ahead != 1)
                | (h.past(h.probe("dut.crossing.skid.spare")) == word))


def _decoded(code):
    """The value of a Gray ``code``."""
    return Cat(code[place:].xor() for place in range(len(code)))
