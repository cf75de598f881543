"""The stream of a playback: words, the beats that they become, and what a user takes of them."""

from amaranth.hdl import Cat, Mux, Signal

from formal.order import steady
from sata_recorder.bricks.playback.stream_output import StreamOutput
from sata_recorder.bricks.playback.word_gatherer import WordGatherer
from sata_recorder.interface.group import WORD
from sata_recorder.interface.playback import PLAYBACK_AHEAD

#: Beats of the FIFO after the gatherer.
_DEPTH = 8


def gatherer(h, width):
    """Any playbacks, stops and failures: each word is in its place of one beat, and each playback has one end."""
    m = h.m
    words = width // WORD
    dut = h.dut(WordGatherer(width))
    beat = dut.o.payload
    pops, starts = h.any(1, "pops"), h.any(1, "starts")
    h.drive(dut.i.valid, dut.i.payload, dut.last, dut.done, dut.stop)
    # A FIFO that shows its room a clock late, and that its last beat before a stop has gone, some time later.
    level = Signal(range(_DEPTH + 1))
    puts, gets = dut.o.valid & dut.o.ready, pops & (level != 0)
    m.d.comb += dut.o.ready.eq(level != _DEPTH)
    shown = Mux(h.constant(1, "crosses"), h.past(level), level)     # the level of a clock crossing is a clock late
    m.d.sync += [level.eq(level + puts - gets), dut.room.eq(dut.o.ready & (shown <= _DEPTH - PLAYBACK_AHEAD))]
    ahead, resumes, gone = Signal.like(level), Signal(), Signal()
    with m.If(puts & beat.resumes):
        m.d.sync += [resumes.eq(1), ahead.eq(level - gets)]
    with m.Elif(resumes & gets):
        m.d.sync += [ahead.eq(ahead - 1), resumes.eq(ahead != 0), gone.eq(gone ^ (ahead == 0))]
    with m.If(h.any(1, "shows")):
        m.d.sync += dut.resumed.eq(gone)
    # An operation runs from its start to done; its words come within, in a playback, none after the last.
    runs, over, unheard = Signal(), Signal(), Signal()
    taken, drops = dut.i.valid & dut.i.ready, dut.discards
    m.d.comb += dut.busy.eq(runs)
    with m.If(starts & ~runs):
        m.d.sync += [runs.eq(1), over.eq(0), unheard.eq(0)]
    with m.Else():
        m.d.sync += [runs.eq(runs & ~dut.done), over.eq(over | (taken & dut.last)),
                     unheard.eq(unheard | (runs & dut.stop & drops))]
    # The recorder gives no word after a stop: what the gatherer does not know of one is not needed then.
    h.assume(~dut.done | runs, ~dut.i.valid | (runs & ~over & ~dut.done & ~unheard))

    kept = taken & ~drops
    fresh = dut.o.valid & (h.past(puts) | ~h.past(dut.o.valid))
    ends = fresh & ~h.past(kept)           # a beat that only the end of an operation makes
    before, began = Signal(range(words + 1)), Signal()
    held, opened = Signal.like(before), Signal()            # words of the beat that is filled; words without an end
    m.d.comb += [held.eq(Mux(ends, 0, before)), opened.eq(began & ~ends)]
    whole = dut.last | (held == words - 1)
    m.d.sync += [before.eq(Mux(kept, Mux(whole, 0, held + 1), held)), began.eq(Mux(kept, ~dut.last, opened))]
    h.check("a beat has gone before the next word of one comes", ~dut.o.valid | puts | ~kept)
    steady(h, "o", dut.o)
    marked, place, word = Signal(), Signal(range(words)), Signal(WORD)
    with m.If(kept & (~marked | puts) & h.any(1, "mark")):
        m.d.sync += [marked.eq(1), place.eq(held), word.eq(dut.i.payload)]
    with m.Elif(puts):
        m.d.sync += marked.eq(0)
    h.check("a word is in its place of the beat", ~(puts & marked) | (beat.data.word_select(place, WORD) == word)
            & beat.keep.bit_select(place, 1).any())
    count, ended = Signal(range(words + 1)), Signal()       # of the beat that the latest word has completed
    with m.If(kept):
        m.d.sync += [count.eq(held + 1), ended.eq(dut.last)]
    h.check("a beat is offered when it is complete", ~h.past(kept & whole) | dut.o.valid)
    h.check("... and no sooner", ~(fresh & h.past(kept)) | h.past(whole))
    h.check("a beat has the words that came, the first one lowest", ~(fresh & h.past(kept))
            | (beat.keep == ((1 << count) - 1)[:words]) & (beat.last == ended) & ~beat.cut & ~beat.resumes)
    h.check("a beat that an end completes has the words of before", ~ends
            | (beat.keep == ((1 << before) - 1)[:words]) & (beat.last == began) & (beat.cut == began))
    h.check("... and comes after a failure or a stop only", ~ends | began | beat.resumes)
    # Each playback that has begun has an end: none is open when the words of the next operation come.
    foreign = Signal()          # an operation has ended since the last word that counts
    m.d.sync += foreign.eq((foreign | dut.done) & ~kept)
    h.check("a playback ends before the next one begins", ~(kept & foreign) | ~opened)
    # A stop.
    owner = Signal()            # of the operation that was stopped words may come
    with m.If(dut.stop & ~drops):
        m.d.sync += owner.eq(runs & ~dut.done)
    with m.Else():
        m.d.sync += owner.eq(owner & ~dut.done)
    h.check("discards from a stop on", ~h.past(dut.stop & ~drops) | drops)
    h.check("... until the last beat before it has gone", ~(h.past(drops) & ~drops) | (h.past(gone) == gone) & ~resumes)
    h.check("words that are dropped are those of the operation that was stopped", ~(taken & drops) | owner)
    h.check("a stop has one beat that resumes", ~(puts & beat.resumes) | ~resumes & drops & (gone == dut.resumed))
    h.cover("a playback ends with a part of a beat" if words > 1 else "a playback fails", puts & beat.cut & ~drops
            & ((beat.keep != 0) if words > 1 else 1))
    h.cover("a playback after a stop", puts & h.ever(puts & beat.resumes) & ~drops & beat.keep.any())
    h.cover("the FIFO is full", level == _DEPTH)


def output(h, width, fill=0):
    """Any beats from the FIFO: what is offered of each, and what a user misses."""
    m = h.m
    parts = max(1, WORD // width)
    dut = h.dut(StreamOutput(width, depth=16, fill=fill))
    beat, o = dut.i.payload, dut.o
    h.drive(dut.i.valid, beat, dut.waiting, dut.ended, dut.discards, o.ready)
    leaves, taken = dut.i.valid & dut.i.ready, o.valid & o.ready
    fresh = o.valid & (h.past(taken) | ~h.past(o.valid))
    gone = Signal(range(parts + 1))         # parts of the beat that is there which have been offered
    m.d.comb += gone.eq(Mux(h.past(leaves), 0, h.past(gone) + fresh))
    before, was = h.past(gone), h.past(leaves)
    kept = beat.keep.any() & ~dut.discards
    opened = Signal()                       # a playback has begun at the user, and its end has not been offered
    m.d.comb += opened.eq(Mux(fresh, ~dut.last, h.past(opened)))
    # Where a stop drops the rest of a beat, the end of its playback comes before other words.
    broken = Signal()
    m.d.sync += broken.eq((broken | (leaves & (gone != 0) & ~kept)) & ~(leaves & beat.last))
    h.assume(~h.past(dut.i.valid & ~dut.i.ready) | dut.i.valid & (beat.as_value() == h.past(beat)),
             ~broken | ~dut.i.valid | ~kept)
    _offered(h, dut, parts, before, was, fresh, kept)
    if fill:
        # Ends that have come, as the output knows them, and that have left.
        come, left = Signal.like(dut.ended), Signal.like(dut.ended)
        m.d.sync += [come.eq(Cat(dut.ended[place:].xor() for place in range(len(dut.ended)))),
                     left.eq(left + (leaves & beat.last))]
        more = (come - left)[:len(come)]
        enough = h.past(((dut.waiting >= fill) | (more.any() & ~more[-1])) & ~leaves)
        h.check("a playback begins with enough, or all that it has, or where beats are dropped",
                ~(fresh & ~h.past(opened)) | h.past(dut.discards | enough))
    missing = opened & o.ready & ~o.valid & ~dut.discards
    h.check("an underrun is a beat that is missing within a playback", dut.underrun == missing)
    counted, intact, whole = Signal(48), Signal(48), Signal()
    begins = fresh & ~h.past(opened)
    # The counts of before the clock in which the playback is offered are those of another one.
    now, sound, good = (Signal.like(value) for value in (counted, intact, whole))
    m.d.comb += [now.eq(Mux(begins, 0, counted)), sound.eq(Mux(begins, 0, intact)), good.eq(begins | whole)]
    m.d.sync += [counted.eq(now + missing), whole.eq(good & ~missing),
                 intact.eq(sound + (good & taken & dut.keep.any()))]
    h.check("underruns of this playback", dut.underruns == now)
    h.check("beats before the first of them", dut.intact == sound)
    h.check("the end of a stop is shown once", (dut.resumed != h.past(dut.resumed)) == h.past(leaves & beat.resumes))
    h.cover("underruns, then the end", (dut.underruns == 2) & dut.last & taken & ~dut.cut)
    h.cover("a playback is cut", dut.last & dut.cut & o.valid & h.ever(taken & dut.keep.any()))
    if parts > 1:
        h.cover("the rest of a beat is dropped", leaves & broken)


def _offered(h, dut, parts, before, was, fresh, kept):
    """What is offered, and that it stays."""
    beat, o, width = dut.i.payload, dut.o, len(dut.o.payload)
    steady(h, "o", o, dut.keep, dut.last, dut.cut)
    words, had = h.past(beat.keep), h.past(kept)
    whole = before == parts - 1
    given = Cat(word.replicate(4) for word in words) if width >= WORD else (1 << (width // 8)) - 1
    data = h.past(beat.data)
    h.check("what is offered is the next part of the beat", ~fresh | h.past(dut.i.valid) & Mux(
        had, (o.payload == data.word_select(before, width)) & (dut.keep == given), (dut.keep == 0) & h.past(beat.last)))
    h.check("... and the end comes with its last part, or alone", ~fresh
            | (dut.last == (h.past(beat.last) & (whole | ~had))))
    h.check("... cut if it was, or if beats are dropped", ~fresh | (dut.cut == (
        dut.last & (h.past(beat.cut) | h.past(dut.discards)))))
    h.check("a beat leaves with its last part, or is dropped", ~was | Mux(
        had, fresh & whole, fresh | ~h.past(beat.last)))
    h.check("... and goes no further", ~(fresh & (whole | ~had)) | was)
