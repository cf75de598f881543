"""The bursts at the AXI4 port of a memory: whole, in their place, and no more than may be under way."""

from amaranth.hdl import Mux, Signal

from formal.order import steady
from sata_recorder.core.recorder.memory import MemoryShape
from sata_recorder.core.recorder.memory.memory_reader import MemoryReader
from sata_recorder.core.recorder.memory.memory_writer import MemoryWriter

#: A memory of 64 words in beats of 64 bits, with FIFOs of 32: bursts of 8 words at most.
_SHAPE = MemoryShape(depth=64, width=64, fifo=32, base=0x4000)
#: Bursts that may be under way.
_BURSTS = 8
_BEAT = _SHAPE.width // 8


def _burst(h, name, channel):
    """A burst lies within the memory, and crosses no multiple of the longest one, which divides 4096."""
    address, beats = channel.payload.address, channel.payload.length + 1
    end = address + beats * _BEAT
    steady(h, name, channel)
    h.check(f"{name}: within the memory", ~channel.valid | (address >= _SHAPE.base)
            & (end <= _SHAPE.base + 4 * _SHAPE.depth))
    h.check(f"{name}: of whole beats, across no boundary", ~channel.valid | (address % _BEAT == 0)
            & ((end - 1)[5:] == address[5:]))


def writer(h):
    """Any words, forgotten at any time, and a memory that answers a burst once it has come, at any time."""
    m = h.m
    dut = h.dut(MemoryWriter(_SHAPE))
    aw, w = dut.aw, dut.w
    h.drive(dut.i.valid, dut.i.payload, dut.hurry, dut.begin, dut.settle, dut.good, dut.forth, dut.mark,
            aw.ready, w.ready, dut.b.valid, dut.b.payload)
    _burst(h, "aw", aw)
    steady(h, "w", w)
    addressed, ends, answers = aw.valid & aw.ready, w.valid & w.ready & w.payload.last, dut.b.valid
    # Bursts whose address, whose last beat has come, and that have not been answered.
    named, sent = Signal(range(_BURSTS + 3)), Signal(range(_BURSTS + 3))
    m.d.sync += [named.eq(named + addressed - answers), sent.eq(sent + ends - answers)]
    h.assume(~answers | (named != 0) & (sent != 0), ~(dut.begin | dut.forth) | ~dut.i.valid)
    beats = Signal(8)           # of the burst that is being sent
    with m.If(w.valid & w.ready):
        m.d.sync += beats.eq(Mux(w.payload.last, 0, beats + 1))
    count = h.probe("dut.lengths.level", range(_BURSTS + 1))
    active = h.probe("dut.sender.active")
    h.lemma("a burst is counted from its begin to its answer", count == sent + active)
    h.lemma("... and has one address", count == named + aw.valid)
    h.check("a burst has as many beats as its address says", ~w.valid | (w.payload.last == (beats == aw.payload.length))
            & (beats <= aw.payload.length))
    h.check("a beat has bytes of whole words, one at least", ~w.valid | w.payload.strobes.any() & (
        w.payload.strobes[:4].all() | ~w.payload.strobes[:4].any())
        & (w.payload.strobes[4:].all() | ~w.payload.strobes[4:].any()))
    h.check(f"{_BURSTS} bursts at most are under way", (named + aw.valid <= _BURSTS) & (sent + active <= _BURSTS))
    h.check("a response is awaited while a burst is under way", dut.waits == ((named != 0) | (sent != 0) | aw.valid
                                                                                | active))
    stored = h.past(dut.stored)
    h.check("what can be read grows with a response, or moves after all have come", h.first | (dut.stored == stored)
            | h.past(answers & ~dut.b.payload[1]) | h.past(dut.settled & (named == 0) & (sent == 0)))
    h.check("nothing more can be read after an error", ~h.past(dut.failed) | (dut.stored == stored)
            | h.past(dut.begin))
    h.cover("all bursts are under way", named == _BURSTS)
    h.cover("a burst of several beats", ends & (beats == 3))


def reader(h):
    """Words that can be read, taken at any time, and a memory that answers in the order of the bursts, at any time."""
    m = h.m
    dut = h.dut(MemoryReader(_SHAPE))
    ar, r = dut.ar, dut.r
    h.drive(dut.begin, dut.back, dut.mark, dut.playing, dut.stored, dut.moves, dut.settled, dut.o.ready,
            ar.ready, r.valid, r.payload)
    _burst(h, "ar", ar)
    named = Signal(range(_BURSTS + 3))
    ends = r.valid & r.payload.last
    m.d.sync += named.eq(named + (ar.valid & ar.ready) - ends)
    h.assume(~r.valid | (named != 0))
    h.lemma("a burst is counted until its last beat", h.probe("dut.ends.level", range(_BURSTS + 1)) == named + ar.valid)
    h.lemma("there is room for the end of a burst that is due", ~h.probe("dut.age", 5)[-1] | ~h.probe("dut.due")
            | (named + ar.valid < _BURSTS))
    h.check(f"{_BURSTS} bursts at most are under way", named + ar.valid <= _BURSTS)
    h.check("a burst is under way", dut.waits == ((named != 0) | ar.valid))
    h.check("none begins while it is unknown what can be read", ~h.past(dut.moves) | ~ar.valid | h.past(ar.valid))
    h.check("o: valid stays until ready, but for begin and back",
            ~h.past(dut.o.valid & ~dut.o.ready & ~dut.begin & ~dut.back) | dut.o.valid)
    h.check("nothing follows an error", ~h.past(dut.failed & ~dut.begin) | dut.failed)
    h.cover("several bursts are under way", named == 3)
