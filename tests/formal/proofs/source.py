"""The stream of a source: beats, what happens beside them, and the words that they become."""

from amaranth.hdl import Cat, Mux, Signal


from formal.order import steady
from sata_recorder.bricks.source.beat_marker import BeatMarker
from sata_recorder.bricks.source.beat_packer import BeatPacker
from sata_recorder.bricks.source.recording_boundary import NUMBER_BITS, RecordingBoundary
from sata_recorder.bricks.source.word_splitter import WordSplitter
from sata_recorder.interface.group import WORD


def packer(h, width, counts=False):
    """Any beats, and a word taken at any time. One marked beat is followed; of what happens beside the beats, all."""
    m = h.m
    places = WORD // width
    dut = h.dut(BeatPacker(width, counts=counts))
    beat, word = dut.i.payload, dut.o.payload
    h.drive(dut.i.valid, beat, dut.o.ready)
    accepted, taken = dut.i.valid & dut.i.ready, dut.o.valid & dut.o.ready
    steady(h, "o", dut.o)
    # Beats of the word that is being filled, before this one; where a boundary begins a new word, none.
    held, begins, number = Signal(range(places)), Signal(), Signal(range(places))
    m.d.comb += [begins.eq((held == 0) | (beat.boundary & int(counts))), number.eq(Mux(begins, 0, held))]
    over, owed = Signal(), Signal()
    m.d.comb += over.eq(beat.stop | Mux(beat.has_data, beat.last | (number == places - 1), begins))
    m.d.sync += owed.eq((owed & ~taken) | (accepted & over))
    with m.If(accepted):
        m.d.sync += held.eq(Mux(over, 0, number + beat.has_data))
    h.check("a word is offered once it is complete or ended, and no other", dut.o.valid == owed)
    h.check("a beat is accepted unless a word waits", dut.i.ready == (~owed | dut.o.ready))

    marked, place = Signal(), Signal(range(places))
    data, keep = Signal(width), Signal(width // 8)
    with m.If(accepted & beat.has_data & (~marked | taken) & h.any(1, "mark")):
        m.d.sync += [marked.eq(1), place.eq(number), data.eq(beat.data), keep.eq(beat.keep)]
    with m.Elif(taken | (accepted & begins)):
        m.d.sync += marked.eq(0)        # gone, or of a recording that is over
    here = (word.data.word_select(place, width) == data) & (word.keep.word_select(place, width // 8) == keep)
    h.check("a beat is in its place of the word", ~owed | ~marked | (word.has_data & here))
    count = Signal(range(places + 1))           # the beats of the word that is offered
    with m.If(accepted):
        m.d.sync += count.eq(number + beat.has_data)
    rest = (word.data >> (count * width)).any() | (word.keep >> (count * (width // 8))).any()
    h.check("the rest of a word is zeros", ~owed | ~rest)
    h.check("a word has data if it has a beat", ~owed | (word.has_data == (count != 0)))

    # What has happened beside the beats of the word, in any of them; of those before a boundary, nothing.
    since = {name: Signal(name=f"since_{name}") for name in ("trigger", "pps", "boundary")}
    for name, seen in since.items():
        before = Mux(begins, 0, seen) if name == "boundary" else Mux(begins | beat.boundary, 0, seen)
        with m.If(accepted):
            m.d.sync += seen.eq(before | beat[name])
        h.check(f"{name}: with the word of its beat, and no other", ~owed | (word[name] == seen))
    latest = {name: Signal(name=f"latest_{name}") for name in ("stop", "last")}
    for name, seen in latest.items():
        with m.If(accepted):
            m.d.sync += seen.eq(beat[name] & (beat.has_data | (name == "stop")))
        h.check(f"{name}: with the word that ends there, and no other", ~owed | (word[name] == seen))
    recording = Signal.like(beat.number)
    with m.If(accepted & beat.boundary):
        m.d.sync += recording.eq(beat.number)
    h.check("a boundary has the latest number", ~owed | ~word.boundary | (word.number == recording))
    if counts:
        lost = Signal.like(beat.lost)
        with m.If(accepted):
            m.d.sync += lost.eq(Mux(begins, 0, lost) + beat.lost)
        h.check("lost beats are added up", ~owed | (word.lost == lost))
        h.cover("a boundary drops beats of before", accepted & beat.boundary & (held != 0))
    h.cover("a whole word with a stop", owed & (count == places) & word.stop)
    h.cover("a part of a word ends a file, after a word", owed & word.last & (count == 1) & h.ever(taken))
    h.cover("something happens alone", owed & ~word.has_data & word.pps & ~word.stop)


def marker(h, width, counts=False):
    """Anything at the pins, room at any time: each edge goes with one beat, or alone, and so does each boundary."""
    m = h.m
    dut = h.dut(BeatMarker(width, counts=counts))
    beat, pins = dut.o.payload, {"trigger": dut.trigger, "pps": dut.pps, "stop": dut.stop}
    h.drive(dut.i.valid, dut.i.payload, dut.last, dut.keep, *pins.values(), dut.active, dut.number, dut.o.ready)
    accepted, goes = dut.i.valid & dut.i.ready, dut.o.valid & dut.o.ready
    changed = dut.number != h.past(dut.number)
    runs = dut.active & ~changed            # of the recording that has a number
    waits = {name: Signal(name=f"{name}_waits") for name in pins}      # an edge that has found no room
    found, closed = {}, Signal()
    for name, pin in pins.items():
        edge = pin & ~h.past(pin, init=1)
        if name == "trigger":
            edge &= ~closed                 # what comes after a stop comes after the recording
        found[name] = runs & (waits[name] | edge)
        m.d.sync += waits[name].eq(found[name] & ~goes)
        h.check(f"{name}: each edge goes once, with the next that goes", ~goes | (beat[name] == found[name]))
        h.check(f"{name}: an edge does not wait for a beat", ~found[name] | dut.o.valid)
    parts = Signal()
    m.d.sync += parts.eq((parts | changed) & ~goes)
    h.check("a boundary goes once, with the next that goes, and with the latest number",
            ~goes | (beat.boundary == (parts | changed)) & (beat.number == dut.number))
    h.check("a boundary does not wait for a beat", ~(parts | changed) | dut.o.valid)
    h.check("a beat that is accepted goes in the same clock", accepted == (goes & beat.has_data))
    h.check("as it is", ~accepted | (beat.data == dut.i.payload) & (beat.last == dut.last) & (beat.keep == dut.keep))
    m.d.sync += closed.eq(runs & (closed | found["stop"]))
    stopped = runs & waits["stop"]
    h.check("a stop waits before the next beat", ~stopped | ~accepted)
    h.check("what goes is valid for a reason", ~dut.o.valid | dut.i.valid | parts | changed
            | found["trigger"] | found["pps"] | found["stop"] | (h.ever(dut.i.valid & ~dut.i.ready) & int(counts)))
    h.check("valid stays until ready, but for a beat that is withdrawn and the end of a recording",
            ~h.past(dut.o.valid & ~dut.o.ready) | dut.o.valid | ~dut.active | (h.past(dut.i.valid) & ~dut.i.valid))
    if counts:
        lost = Signal.like(beat.lost)
        m.d.sync += lost.eq(Mux(goes, 0, lost) + (dut.i.valid & ~dut.i.ready))
        h.check("beats that were lost before this one", ~goes | (beat.lost == lost))
        h.check("... do not wait for a beat", (lost == 0) | dut.o.valid)
        h.cover("some are lost, then one goes", goes & beat.has_data & (beat.lost == 3))
    h.cover("a trigger waits for room", goes & beat.trigger & waits["trigger"] & beat.has_data)
    h.cover("a stop in the clock of a beat", accepted & beat.stop)
    h.cover("a trigger after a stop that has gone", runs & closed & ~waits["stop"] & dut.trigger & ~h.past(dut.trigger))
    h.cover("a boundary and a trigger at once", goes & beat.boundary & beat.trigger)


def splitter(h, width, counts=False):
    """Any beats, recordings that begin and end: the words of each beat, and what happens beside them."""
    m = h.m
    words = width // WORD
    dut = h.dut(WordSplitter(width, counts=counts))
    beat, o = dut.i.payload, dut.o
    h.drive(dut.i.valid, beat, dut.active, dut.flowing, dut.ended, o.ready)
    waits = h.past(dut.i.valid & ~dut.i.ready)
    # What the stage does: beats stay until they are taken; what flows is a recording, until its end.
    h.assume(~waits | dut.i.valid & (beat.as_value() == h.past(beat)), ~dut.flowing | dut.active,
             ~dut.ended | dut.active, ~h.past(dut.ended) | ~dut.flowing,
             ~h.past(dut.flowing & ~dut.ended) | dut.flowing, ~h.past(dut.active & ~dut.ended) | dut.active)
    old = h.probe("dut.old")
    fires, leaves = o.valid & o.ready, dut.i.valid & dut.i.ready
    drops = (old | ~dut.flowing) & int(counts)
    known = dut.active & ~old
    parted = Signal()           # the boundary of the beat that is there has had its clock
    parts = dut.i.valid & beat.boundary & ~parted
    m.d.sync += parted.eq((parted | parts) & ~leaves)
    h.lemma("boundaries that have had their clock", h.probe("dut.parted") == parted)
    h.check("a beat with a boundary takes a clock for it", ~parts | ~leaves & ~fires & ~dut.pps)
    gone, due = Signal(range(words + 1)), Signal(range(words + 1))
    m.d.comb += due.eq(words)
    with m.If(beat.last):           # as many as have bytes of the file, at least one
        for number in reversed(range(1, words)):
            with m.If(~(beat.keep >> (number * WORD // 8)).any()):
                m.d.comb += due.eq(number)
    m.d.sync += gone.eq(Mux(leaves, 0, gone + fires))
    h.lemma("words that have gone", (h.probe("dut.index", max(1, (words - 1).bit_length())) == gone) if words > 1
            else gone == 0)
    h.check("a word is the next one of the beat", ~o.valid | dut.i.valid & beat.has_data & (gone < due)
            & (o.payload == beat.data.word_select(gone, WORD)))
    h.check("... with its bytes, and the last one with the end of the file", ~o.valid
            | (dut.keep == beat.keep.word_select(gone, WORD // 8)) & (dut.last == (beat.last & (gone == due - 1))))
    h.check("a beat leaves with its last word, or is dropped", ~leaves | drops | ~beat.has_data
            | (fires & (gone + 1 == due)))
    h.check("... and goes no further", ~(fires & (gone + 1 == due)) | leaves)
    h.check("words come while something flows", ~o.valid | dut.flowing & ~drops)
    h.check("valid stays until ready, and the word, while something flows", ~h.past(o.valid & ~o.ready)
            | ~dut.flowing | drops | o.valid & (o.payload == h.past(o.payload)) & (dut.last == h.past(dut.last)))
    begins = dut.i.valid & (gone == 0) & (leaves | fires)       # the beat: what comes before it has happened
    pulses, again = beat.pps, h.past(begins & beat.pps)
    told = Signal()             # the trigger of the beat that is there has had its clock
    asks = dut.i.valid & (gone == 0) & beat.trigger & dut.flowing & ~told & ~(again & pulses) & ~parts
    m.d.sync += told.eq((told | asks) & ~begins)
    h.lemma("triggers that have had their clock", h.probe("dut.told") == told)
    h.check("a word waits a clock at most where something flows, and one for a trigger or a boundary",
            ~(dut.i.valid & beat.has_data & dut.flowing & ~drops) | o.valid | again | asks | parts)
    h.check("trigger: once, a clock after its beat is there and something flows", dut.trigger == h.past(asks & known))
    h.check("trigger: before its beat begins", ~(begins & beat.trigger & known & ~drops) | told)
    h.check("trigger: low before the next one", ~dut.trigger | ~h.past(dut.trigger))
    h.check("pps: high when its beat begins, and for no other", ~begins | (dut.pps == pulses))
    h.check("pps: none without its beat", ~dut.pps | dut.i.valid & pulses & (gone == 0))
    h.check("pps: low before the next one", ~dut.pps | ~h.past(begins & pulses))
    h.check("pps: one pulse for one beat", ~h.past(dut.pps & ~begins) | dut.pps)
    h.check("stop: with the end of its beat, once", dut.stop == (leaves & beat.stop & known))
    if counts:
        moved = Signal()            # a word of this recording has gone
        m.d.sync += moved.eq(dut.flowing & (moved | fires))
        h.check("lost beats are counted once, between words of a recording", dut.lost == Mux(
            begins & moved & ~drops & ~dut.ended, beat.lost, 0))
        h.cover("beats are lost within a recording", dut.lost == 2)
        h.cover("the rest of a beat is dropped", leaves & (gone != 0) & drops)
    else:
        h.cover("a beat goes on in the next recording", fires & (gone == words - 1) & h.ever(dut.ended) & ~drops)
    h.cover("a trigger in two beats, one after the other", dut.trigger & begins & h.past(h.past(dut.trigger & begins)))
    h.cover("a file ends", fires & dut.last & (gone == words // 2))


def boundary(h):
    """What a source puts into a queue before the end of a recording is old from then on; what comes later is not."""
    m = h.m
    dut, source = h.dut(RecordingBoundary()), h.dut(BeatMarker(8, counts=False), "marker")
    takes = h.any(1, "takes")
    h.drive(source.i.valid, source.active, source.trigger, dut.ended)
    # The number on its way to the source: a synchronizer shows it some time later, one state after the other.
    way, seen = Signal.like(dut.number), Signal.like(dut.number)
    with m.If(h.any(1, "samples")):
        m.d.sync += [way.eq(dut.number), seen.eq(way)]
    # A queue of two.
    beat, put = source.o.payload, source.o.valid & source.o.ready
    inside, noted = Signal(range(3)), Signal()      # beats in it; the boundary of the first has passed
    parts, numbers = ([Signal.like(field, name=f"{name}{place}") for place in range(2)]
                      for name, field in (("parts", beat.boundary), ("number", beat.number)))
    notes = parts[0] & (inside != 0) & ~noted
    passes = takes & (inside != 0) & ~notes
    m.d.comb += [
        source.number.eq(seen), source.o.ready.eq(inside != 2), dut.boundary.eq(notes),
        dut.boundary_number.eq(numbers[0]),
    ]
    m.d.sync += [inside.eq(inside + put - passes), noted.eq((noted | notes) & ~passes)]
    for entries, field in ((parts, beat.boundary), (numbers, beat.number)):
        m.d.sync += [
            entries[0].eq(Mux(put & (inside == passes), field, Mux(passes, entries[1], entries[0]))),
            entries[1].eq(Mux(put & (inside != passes), field, entries[1])),
        ]
    # One marked beat, and whether an end has come since.
    marked, ahead, ended = Signal(), Signal(), Signal()
    with m.If(put & ~marked & h.any(1, "mark")):
        m.d.sync += [marked.eq(1), ahead.eq(inside != passes), ended.eq(dut.ended)]
    with m.Elif(marked):
        m.d.sync += ended.eq(ended | dut.ended)
        with m.If(passes):
            m.d.sync += [ahead.eq(0), marked.eq(ahead)]

    def since(code):
        """How many numbers after the last boundary that has passed."""
        return (_decoded(code) - _decoded(passed))[:NUMBER_BITS]
    passed, known = h.probe("dut.passed", NUMBER_BITS), h.probe("marker.seen", NUMBER_BITS)
    waits, ends, owes = h.probe("dut.waits"), h.past(dut.ended), h.probe("marker.parts")
    first = Mux(inside == 0, passed, numbers[0])
    last = Mux(inside == 2, numbers[1], first)
    h.lemma("the number is a Gray code", dut.number == (h.probe("dut.count", NUMBER_BITS)
                                                        ^ h.probe("dut.count", NUMBER_BITS)[1:]))
    chain = [first, last, known, seen, way, dut.number]
    h.lemma("no number is before the one that it follows", Cat(
        since(before) <= since(after) for before, after in zip(chain, chain[1:])).all())
    h.lemma("a boundary that is owed", Mux(owes, since(last) < since(known), last == known))
    h.lemma("a boundary has another number than what is before it",
            ((inside == 0) | ((parts[0] & ~noted) == (numbers[0] != passed)))
            & ((inside != 2) | (parts[1] == (numbers[1] != numbers[0]))))
    h.lemma("a boundary that has passed is that of the first", ~noted | (inside != 0) & parts[0])
    stale = h.probe("dut.was_stale")
    h.lemma("the number of the last boundary is the latest one or not", stale == (passed != dut.number))
    h.lemma("what is old is known a clock before", dut.old == (waits | ends | stale))
    h.lemma("the marked one is there", ~marked | (inside > ahead))
    number = Mux(ahead, numbers[1], numbers[0])
    h.lemma("an end has a later number", ~(marked & ended) | waits | ends | (since(number) < since(dut.number)))
    due = marked & ~ahead & ~notes
    h.check("what was put before an end is old", ~(due & ended) | dut.old)
    h.check("what has the latest number is not, unless an end has none yet",
            ~due | (numbers[0] != dut.number) | waits | ends | ~dut.old)
    h.cover("a beat is old", due & ended & dut.old)
    h.cover("one of the next recording is not", due & ~ended & ~dut.old & h.ever(dut.ended))


def _decoded(code):
    """The value of a Gray ``code``."""
    return Cat(code[place:].xor() for place in range(len(code)))
