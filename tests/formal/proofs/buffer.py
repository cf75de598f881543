"""The recorder's buffer: no word is lost, doubled or put out of order, however often it goes back.

One marked word is followed. The buffer is smaller than in the core. A word that is read while it is written may be any
word.
"""

from amaranth.hdl import Array, Mux, Signal

from sata_recorder.core.block_memory import BlockMemory
from sata_recorder.core.recorder.buffer import Buffer

_DEPTH = 8


def scene(h, playing, retain, verify):
    """A buffer, any words, and a model: ``level`` words inside, ``kept`` that have left."""
    m = h.m
    undefined = h.any(32, "undefined")

    def read(memory, port):
        (write,) = memory.write_ports
        return Mux(write.en & (write.addr == port.addr), undefined, port.data)

    # A process has one proof.
    BlockMemory.given = read
    dut = h.dut(Buffer(depth=_DEPTH, retain=retain, verify=verify))
    h.drive(dut.begin, dut.i.valid, dut.i.payload, dut.o.ready, dut.go, dut.fill, dut.keep,
            dut.settle, dut.rewind, dut.good)
    m.d.comb += dut.playing.eq(playing)
    waits = h.past(dut.o.valid & ~dut.o.ready & ~dut.begin & ~(dut.rewind & (not playing)))
    h.check("o: valid and payload stay until ready, but for begin and rewind",
            ~waits | (dut.o.valid & (dut.o.payload[0] == h.past(dut.o.payload[0]))))
    return dut


def positions(h, dut, level, front_position):
    """What holds of the pointers: ``front_position`` is that of the next word to leave."""
    oldest, newest = h.probe("dut.oldest", 4), h.probe("dut.positions.newest", 4)
    following = h.probe("dut.front") + (dut.o.valid & (level != 0))
    h.lemma("the pointers", ((newest - front_position)[:4] == level)
            & ((oldest - front_position)[:4] == following) & (following <= level))
    h.lemma("what is fresh is there", ~h.probe("dut.fresh") | h.probe("dut.front"))
    next_word = Mux(h.probe("dut.fresh"), h.probe("dut.data", 32)[0], h.probe("dut.spare", 32)[0])
    return Array(h.probe(f"dut.memory[{place}]", 32)[0] for place in range(_DEPTH)), following, next_word


def record(h, retain=True):
    """A recording: words that were kept come once more, and are not overwritten."""
    m = h.m
    dut = scene(h, 0, retain, False)
    level, kept = Signal(range(_DEPTH + 3)), Signal(range(_DEPTH + 3))
    enters, out = dut.i.valid & dut.i.ready, dut.o.valid & dut.o.ready
    leaves = out & (level != 0)
    keeps = leaves & dut.keep & retain
    back = dut.rewind & retain
    # Words are kept all or none, and nothing is taken while it goes back or lets go. Zeros come
    # until the next operation, and no words do then.
    filled = h.ever(dut.fill)
    over = Signal()
    m.d.sync += over.eq(~dut.begin & (over | dut.fill))
    h.assume(~leaves | dut.keep | (kept == 0), ~leaves | ~(back | dut.settle),
             ~dut.i.valid | ~dut.begin, ~over | (dut.fill & ~dut.i.valid),
             ~dut.fill | ~dut.i.valid, ~(dut.settle & back))
    with m.If(dut.begin):
        m.d.sync += [level.eq(0), kept.eq(0)]
    with m.Elif(back):
        m.d.sync += [level.eq(level + kept + enters), kept.eq(0)]
    with m.Else():
        m.d.sync += [level.eq(level + enters - leaves),
                     kept.eq(Mux(dut.settle, 0, kept + keeps))]

    # The word at ``place``, counted from the oldest one that is kept.
    marked, place = Signal(), Signal(range(_DEPTH + 3))
    word = Signal()
    gone = Signal(range(_DEPTH + 3))
    m.d.comb += gone.eq(Mux(dut.settle, kept, leaves & ~keeps))
    with m.If(dut.begin):
        m.d.sync += marked.eq(0)
    with m.Elif(enters & ~marked & h.any(1, "mark")):
        m.d.sync += [marked.eq(1), word.eq(dut.i.payload[0]), place.eq(kept + level - gone)]
    with m.Elif(marked):
        m.d.sync += [marked.eq(place >= gone), place.eq(place - gone)]

    pointer = h.probe("dut.positions.mark", 4) if retain else Signal(4)
    if not retain:
        with m.If(dut.begin):
            m.d.sync += pointer.eq(0)
        with m.Elif(leaves):
            m.d.sync += pointer.eq(pointer + 1)
    else:
        h.lemma("the mark", (h.probe("dut.positions.left", 4) - pointer)[:4] == kept)
    front = (pointer + kept)[:4]
    h.lemma("what is inside", (level + kept <= _DEPTH + (not retain)) & (dut.level == level)
            & (dut.held == level + kept))
    h.lemma("zeros come last", h.past(dut.begin) | ~h.probe("dut.filling") | over)
    memory, following, next_word = positions(h, dut, level, front)
    position = (pointer + place)[:4]
    h.lemma("the marked word is inside", ~marked | (place < level + kept))
    h.lemma("... in the memory", ~marked | (memory[position[:3]] == word)
            | ((place < kept + following) & (not retain)))
    h.lemma("... at its output", ~marked | ~h.probe("dut.front")
            | (place != kept + (dut.o.valid & (level != 0)))
            | (next_word == word))
    h.lemma("... in the register", ~marked | ~dut.o.valid | (level == 0) | (place != kept)
            | (dut.o.payload[0] == word))
    h.check("the word that is due", ~leaves | ~marked | (place != kept)
            | (dut.o.payload[0] == word))
    h.check("zeros only when there are no words",
            ~out | (level != 0) | (over & ~dut.o.payload[0]))
    h.check("leaves and enters show it", (dut.leaves == leaves) & (dut.enters == enters))
    h.check("room for as many words as there is memory"
            + ("" if retain else ", and one"),
            dut.i.ready == (level + kept < _DEPTH + (not retain)))
    if retain:
        h.cover("a word that left comes once more", leaves & marked & (place == kept)
                & h.ever(leaves & marked & (place == kept) & dut.keep) & (level > 1))
        h.cover("all are kept", kept == _DEPTH)
    else:
        h.cover("full", level == _DEPTH + 1)
    h.cover("zeros after the words", out & (level == 0) & h.ever(leaves) & filled)


def play(h, verify=True):
    """A play-back: a word comes out after it was found good, or never."""
    m = h.m
    dut = scene(h, 1, False, verify)
    level, good = Signal(range(_DEPTH + 3)), Signal(range(_DEPTH + 3))
    enters, out = dut.i.valid & dut.i.ready, dut.o.valid & dut.o.ready
    leaves = out & (level != 0)
    forth = dut.rewind & verify
    at_once = enters & (dut.good | (not verify))
    h.assume(~dut.i.valid | ~(forth | dut.begin), ~dut.fill,
             ~dut.i.valid | ~dut.good | (good == level))
    with m.If(dut.begin):
        m.d.sync += [level.eq(0), good.eq(0)]
    with m.Else():
        m.d.sync += [
            level.eq(Mux(forth, good, level + enters) - leaves),
            good.eq(Mux(dut.settle & ~forth, level + at_once, good + at_once) - leaves),
        ]
    # In the core there are 2048 words of a Data FIS at most, half of the buffer.
    h.assume(~(dut.settle & forth), ~(dut.settle & at_once),
             ~enters | (level - good < _DEPTH // 2) | (not verify))

    marked, place, word = Signal(), Signal(range(_DEPTH + 3)), Signal()
    with m.If(dut.begin | (marked & forth & (place >= good))):
        m.d.sync += marked.eq(0)
    with m.Elif(enters & ~marked & h.any(1, "mark")):
        m.d.sync += [marked.eq(1), word.eq(dut.i.payload[0]), place.eq(level - leaves)]
    with m.Elif(marked & leaves):
        m.d.sync += [marked.eq(place != 0), place.eq(place - 1)]

    pointer = Signal(4)     # of the next word to leave
    with m.If(dut.begin):
        m.d.sync += pointer.eq(0)
    with m.Elif(leaves):
        m.d.sync += pointer.eq(pointer + 1)
    h.lemma("what is inside", (level <= _DEPTH + 1) & (dut.level == level) & (good <= level)
            & (dut.held == level))
    if verify:
        h.lemma("the mark", (h.probe("dut.positions.mark", 4) - pointer)[:4] == good)
        h.lemma("what is good", h.probe("dut.positions.marked", 4) == good)
    h.lemma("no zeros", ~h.probe("dut.filling"))
    memory, following, next_word = positions(h, dut, level, pointer)
    h.lemma("only good words are read", (following <= good) & (~dut.o.valid | (level != 0)))
    h.lemma("the marked word is inside", ~marked | (place < level))
    h.lemma("... in the memory", ~marked | (place < following)
            | (memory[(pointer + place)[:3]] == word))
    h.lemma("... at its output", ~marked | ~h.probe("dut.front") | (place != dut.o.valid)
            | (next_word == word))
    h.lemma("... in the register", ~marked | ~dut.o.valid | (place != 0)
            | (dut.o.payload[0] == word))
    h.check("a word comes out after it was found good", ~dut.o.valid | (good != 0))
    h.check("the word that is due", ~leaves | ~marked | (place != 0)
            | (dut.o.payload[0] == word))
    h.check("no word out of nothing", ~out | (level != 0))
    h.check("leaves and enters show it", (dut.leaves == leaves) & (dut.enters == enters))
    h.check("room for as many words as there is memory, and one",
            dut.i.ready == (level < _DEPTH + 1))
    h.cover("full", level == _DEPTH + 1)
    h.cover("words come and go", leaves & h.ever(leaves))
    if verify:
        h.cover("words are forgotten, others come out", leaves & h.ever(forth & (level != good)))
