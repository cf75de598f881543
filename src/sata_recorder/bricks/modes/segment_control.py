"""Where the segments of a recording begin, have their trigger and end."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...core.states import OneHotStates
from ...facts.units import SECTOR_SHIFT
from ...interface.recording import SegmentState
from .segment_table import Segment

__all__ = ["SegmentControl"]


class SegmentSteps(wiring.Component):
    """The states of a recording with segments: in one of them, or between two.

    Members
    -------
    begin : In(1)           One clock: a recording begins.
    hit : In(1)             This segment has its trigger now.
    over : In(1)            The word that passes is the last one of this segment.
    last : In(1)            There is no part after that of this segment.
    arrived : In(1)         The words have come to the next part.
    closing : In(1)         No word passes any more.
    waiting : In(1)         A trigger waits for its segment.
    stored : In(1)          The segment that is ``storing`` is in the table.
    before, trailing : Out(1)       The segment waits for its trigger; it has had it.
    ending : Out(1)         One clock: the segment has ended.
    next_part : Out(1)      One clock: what is queued from now on belongs to the next part.
    storing : Out(1)        The segment goes into the table.
    enters : Out(1)         One clock: the next segment begins.
    state : Out(SegmentState)
    """

    begin: In(1)
    hit: In(1)
    over: In(1)
    last: In(1)
    arrived: In(1)
    closing: In(1)
    waiting: In(1)
    stored: In(1)
    before: Out(1)
    trailing: Out(1)
    ending: Out(1)
    next_part: Out(1)
    storing: Out(1)
    enters: Out(1)
    state: Out(SegmentState)

    def elaborate(self, platform):
        m = Module()
        finishing = Signal()        # there is no segment after this one
        states = OneHotStates(m, "IDLE", "BEFORE", "TRAILING", "END", "STORE", "BETWEEN")
        m.d.comb += [
            self.before.eq(states.ongoing("BEFORE")), self.trailing.eq(states.ongoing("TRAILING")),
            self.ending.eq(states.ongoing("END")), self.storing.eq(states.ongoing("STORE")),
            self.state.eq(SegmentState.BETWEEN),
        ]
        with states.state("IDLE"):
            m.d.comb += self.state.eq(SegmentState.NONE)
            with m.If(self.begin):
                states.enter("BEFORE")
        with states.state("BEFORE"):
            m.d.comb += self.state.eq(SegmentState.BEFORE)
            with m.If(self.hit):
                states.enter("TRAILING")
            with m.If(self.over | self.closing):
                states.enter("END")
        with states.state("TRAILING"):
            m.d.comb += self.state.eq(SegmentState.BEHIND)
            with m.If(self.over | self.closing):
                states.enter("END")
        with states.state("END"):
            m.d.comb += self.next_part.eq(~self.last)
            m.d.sync += finishing.eq(self.last | self.closing)
            states.enter("STORE")
        with states.state("STORE"):
            with m.If(self.stored):
                states.enter("BETWEEN")
        with states.state("BETWEEN"):
            with m.If(finishing | (self.closing & ~self.waiting & ~self.arrived)):
                states.enter("IDLE")
            with m.Elif(self.arrived | self.closing):
                m.d.comb += self.enters.eq(1)
                states.enter("BEFORE")
        return m


class SegmentControl(wiring.Component):
    """Counts words, or beats of several, and decides by count and triggers which words are a segment.

    A recording without triggers is one segment. With them a segment ends ``after`` words after its
    trigger, and the next one begins where the spans of its part begin: with word 128 x
    ``boundary``. A trigger in between is that of the next segment, whose words after it are counted from
    the beginning of its part at the earliest. Triggers after the first one of a segment are treated in the
    same way, unless they make the segment longer, or it is the last one.

    Latency: a trigger and a word act in the clock in which they come. ``next_part`` comes a clock
    after the last word of a segment.

    Parameters
    ----------
    beat_shift : int        A beat has 1 << ``beat_shift`` words. What is a word below is a beat, except in ``segment``.

    Members
    -------
    begin : In(1)           One clock: a recording begins; no word passes before the third clock after it.
    triggered : In(1)       It has triggers; like ``after`` and ``extends`` stable while it runs.
    after : In(48)          The words of a segment after its trigger; 0 counts as 1.
    extends : In(1)         A trigger after that of a segment, and before its end, makes it longer:
                            its words are counted again from 0.
    last : In(1)            There is no part after that of this segment.
    passes : In(1)          A word passes.
    waits : In(1)           A word is offered and does not pass.
    trigger : In(1)         One clock: a trigger. A word that passes in this clock is after it.
    now : In(64)            The time.
    close : In(1)           No word passes from the next clock on: the recording ends.
    ends : Out(1)           The word that passes is the last one of the last segment.
    next_part : Out(1)      One clock: what is queued from now on belongs to the next part.
    boundary : In(48)       The sectors of the spans before that part, while ``settled``.
    settled : In(1)         ``boundary`` is valid.
    position : Out(48)      The words that have passed.
    state : Out(SegmentState)
    triggers : Out(16)      All triggers of the recording.
    first_sector : Out(48)  The first sector of the segment.
    segment : Out(stream Segment)   A segment that has ended.
    """

    begin: In(1)
    triggered: In(1)
    after: In(48)
    extends: In(1)
    last: In(1)
    passes: In(1)
    waits: In(1)
    trigger: In(1)
    now: In(64)
    close: In(1)
    ends: Out(1)
    next_part: Out(1)
    boundary: In(48)
    settled: In(1)
    position: Out(48)
    state: Out(SegmentState)
    triggers: Out(16)
    first_sector: Out(48)
    segment: Out(stream.Signature(Segment))

    def __init__(self, *, beat_shift=0):
        self._beat_shift = beat_shift
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.steps = steps = SegmentSteps()
        trigger = Signal()
        waiting = Signal()          # a trigger waits for its segment
        hit = Signal()              # this segment has its trigger now
        first = Signal()            # the words after the trigger count from now on
        counts = Signal()           # a word that passes in this clock is one of them
        over = Signal()             # the word that passes is the last one of the segment
        arrived = Signal()          # the words have come to the next part
        closing = Signal()
        m.d.comb += [
            trigger.eq(self.trigger & self.triggered),
            hit.eq(steps.before & (trigger | waiting)),
            first.eq(hit | (steps.trailing & trigger & self.extends)),
            counts.eq(first | steps.trailing),
            steps.begin.eq(self.begin),
            steps.hit.eq(hit),
            steps.over.eq(over),
            steps.last.eq(self.last),
            steps.arrived.eq(arrived),
            steps.closing.eq(closing),
            steps.waiting.eq(waiting),
            steps.stored.eq(self.segment.ready),
            self.segment.valid.eq(steps.storing),
            self.next_part.eq(steps.next_part),
            self.state.eq(steps.state),
            self.ends.eq(over & self.last),
            self.first_sector.eq(self.segment.payload.first[SECTOR_SHIFT:]),
        ]
        m.d.sync += [
            self.position.eq(self.position + self.passes),
            self.triggers.eq(self.triggers + trigger),
            closing.eq(closing | self.close),
            arrived.eq(self.settled & (self.position[SECTOR_SHIFT - self._beat_shift:] >= self.boundary)),
        ]
        self._count(m, first, counts, over)
        self._note_trigger(m, trigger, waiting, hit, steps)
        self._note_times(m, arrived, over, steps)
        with m.If(self.begin):
            m.d.sync += [self.position.eq(0), self.triggers.eq(0), closing.eq(0)]
        return m

    def _words(self, beats):
        """As many words."""
        return Cat(Const(0, self._beat_shift), beats) if self._beat_shift else beats

    def _count(self, m, first, counts, over):
        """The words after the trigger."""
        left = Signal(48)           # those that have not come
        final = Signal()            # one of them is left
        one = Signal()
        two = Signal()
        m.d.comb += over.eq(self.passes & counts & Mux(first, one, final))
        m.d.sync += [
            one.eq(self.after[1:] == 0),
            two.eq(self.after == 2),
            left.eq(Mux(first, self.after, left) - (self.passes & counts)),
            final.eq(Mux(self.passes & counts, Mux(first, two, left == 2),
                         Mux(first, one, final))),
        ]

    def _note_trigger(self, m, trigger, waiting, hit, steps):
        """The trigger of this segment, and the one that waits for the next."""
        segment = self.segment.payload
        more = Signal(16)           # triggers after that of the segment
        keeps = Signal()            # the trigger is one of the next segment
        position = Signal(48)       # that of the trigger that waits, or of one that came a clock ago
        time = Signal(64)
        direct = Signal()           # a trigger that did not wait came a clock ago
        m.d.comb += keeps.eq(
            trigger & (steps.before | ~waiting) & (waiting | ~steps.before)
            & ~((steps.before | steps.trailing) & (self.extends | self.last)))
        m.d.sync += direct.eq(hit & ~waiting)
        with m.If(hit):
            m.d.sync += [waiting.eq(0), segment.triggered.eq(1)]
        with m.If((hit & waiting) | direct):
            m.d.sync += [segment.trigger.eq(self._words(position)), segment.trigger_time.eq(time)]
        # Without a trigger, too, as a trigger comes late in its clock; then nobody reads them.
        with m.If(steps.before | ~waiting):
            m.d.sync += [position.eq(self.position), time.eq(self.now)]
        with m.If(keeps):
            m.d.sync += waiting.eq(1)
        with m.Elif(trigger & (waiting | ~steps.before)):
            m.d.sync += more.eq(more + 1)
        with m.If(steps.ending):
            m.d.sync += [segment.more.eq(more), more.eq(trigger & ~keeps)]
        with m.If(steps.enters):
            m.d.sync += segment.triggered.eq(0)
        with m.If(self.begin):
            m.d.sync += [waiting.eq(0), more.eq(0), segment.triggered.eq(0)]

    def _note_times(self, m, arrived, over, steps):
        """What else goes into the table."""
        segment = self.segment.payload
        started = Signal()          # there was a word
        arrival = Signal(64)        # when the words came to the next part, or the first one came
        first = Signal()            # the recording began, or its first word came, a clock ago
        gapped = Signal()           # a word had to wait in this segment
        gap_time = Signal(64)
        waited = Signal(48)
        complete = Signal()
        m.d.sync += [complete.eq(over), first.eq(self.begin | (self.passes & ~started))]
        with m.If(~arrived | self.begin | (self.passes & ~started)):
            m.d.sync += arrival.eq(self.now)
        with m.If(self.passes):
            m.d.sync += started.eq(1)
        with m.If(steps.enters | first):
            m.d.sync += segment.first_time.eq(arrival)
        with m.If(steps.ending):
            m.d.sync += [
                segment.end.eq(self._words(self.position)), segment.complete.eq(complete),
                segment.waited.eq(waited), segment.gaps.eq(gapped), segment.gap_time.eq(gap_time),
                gapped.eq(0),
            ]
        with m.If(self.waits & started):
            m.d.sync += [gapped.eq(1), waited.eq(waited + 1)]
            with m.If(~gapped | steps.ending):
                m.d.sync += gap_time.eq(self.now)
        with m.If(steps.enters):
            m.d.sync += segment.first.eq(Cat(Const(0, SECTOR_SHIFT), self.boundary))
        with m.If(self.begin):
            m.d.sync += [started.eq(0), gapped.eq(0), waited.eq(0), segment.first.eq(0)]
