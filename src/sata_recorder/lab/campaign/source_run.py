"""The stream of a run: what its operations record of it, also on a core with a source stage."""

from ...facts.units import SECTOR_WORDS
from ...interface.group import WORD
from ...simulation import Event, Gapped, Hold, Pattern, Rate
from .recording_run import Recorded

#: Words that a stream has to give: many more than an extent takes, since some are dropped.
_STREAM = 1 << 22
#: From so many clocks after the start, what comes beside the source counts, however slow that is.
_COUNTS = 64
#: Words that a stage may hold besides those of its FIFO: a register before it and one after it, and what is offered.
_BESIDE_FIFO = 4


class _AnyTime:
    """The time of a trigger that has travelled with a beat: the model does not know it."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __repr__(self):
        return "any time"


class _From:
    """The words of a stream from the one with index ``first`` on."""

    def __init__(self, stream, first):
        self._stream, self._first = stream, first

    def read(self, first, count):
        return self._stream.read(self._first + first, count)


class SourceRun:
    """The source at the core of ``plan`` on ``engine``.

    Without a source stage each operation has a stream of its own. With one whose source waits, all have the same, each
    from the first word on that the one before has not recorded: the stage keeps what it has. With one whose source does
    not wait, each has its own, less what is lost. ``stage``: there is one; stops and triggers then come beside the
    source. ``stream``: the words of the operation, in the order in which the core gets them.
    """

    def __init__(self, plan, engine):
        core = plan.configuration
        self._plan, self._engine, self._core = plan, engine, core
        self.stage = core.source_width != WORD or core.source_clock
        self._beat = max(1, core.source_width // WORD)
        self._recorded = 0          # words of the one stream
        self._base = 0              # words that had been taken when the operation began
        self._all = self._pattern(255)
        self.stream = None
        if self.stage and core.source_waits:
            engine.source(self._all)

    def _pattern(self, number):
        return Pattern("random", self._plan.seed << 8 | number, _STREAM)

    @property
    def clock(self):
        """The clock of the source, in clocks of the core."""
        return Rate(*self._plan.source_clock)

    def begin(self, number, step):
        """Prepares the stream for the operation ``number``, ``step``."""
        engine, hold = self._engine, Hold(*step.hold)
        mark = _STREAM if step.stop_after is None else step.stop_after
        if not self.stage:
            self.stream = self._pattern(number)
            engine.source(self.stream, hold=hold, mark=mark)
        elif self._core.source_waits:
            engine.go_on(hold=hold, mark=_STREAM)
            self._base = engine.state().taken
            self.stream = _From(self._all, self._recorded)
        else:
            pattern = self._pattern(number)
            engine.source(pattern, mark=_STREAM, rate=Rate(*self._plan.source_rate))
            self.stream = Gapped(pattern, engine.gaps)

    def follow(self, session, step):
        """Runs a recording that has been started to its end, with what comes beside it; returns a `Recorded`."""
        found = Recorded()
        if session.engine.run(_COUNTS, Event.DONE):
            return found
        events = [(words, "source_trigger") for words, _ in step.recording.triggers] if step.recording else []
        if step.stop_after is not None:
            events.append((step.stop_after, "source_stop"))
        for words, control in sorted(events):
            session.engine.beside(control, self._base + words)
        session.wait(Event.DONE)
        return found

    def taken(self, outputs, report):
        """The words of the stream that the operation has taken."""
        return outputs["words"] + report.dropped if self.stage else self._engine.state().taken

    def place(self, found, outputs):
        """Enters into ``found`` of :meth:`follow` what came, by the words of the recording."""
        accepted = found.accepted = outputs["words"]
        # A trigger comes before the first beat after it, a stop after the last one before it.
        hits = [before - self._since for control, before, _ in self._engine.came() if control == "source_trigger"]
        found.hits = [(place, _AnyTime()) for place in hits if place < accepted]
        if accepted in hits and found.triggers > len(found.hits):
            found.hits.append((accepted, _AnyTime()))
        found.stopped = self._stopped(accepted)

    @property
    def _since(self):
        """The first word of the operation, of those that have been taken."""
        return self._recorded if self._core.source_waits else 0

    def _stopped(self, accepted):
        """The words before the stop; None if it has not reached the core."""
        for control, _, after in self._engine.came():
            if control == "source_stop" and after - self._since <= accepted:
                return after - self._since
        return None

    def check(self, step, report, outputs):
        """Texts of what is wrong with what a stage has taken, lost, and let stop, after an operation."""
        if not self.stage:
            return []
        words = self.taken(outputs, report) if step.is_recorded else 0
        found = self._check_stop(step, report, words) if step.is_recorded and not step.recording else []
        if not self._core.source_waits:
            return [*found, *(self._check_lost(outputs, words) if step.is_recorded else ())]
        self._recorded += words
        held = self._engine.state().taken - self._recorded
        most = self._beat * (self._core.source_depth + _BESIDE_FIFO)
        return found if 0 <= held <= most else [*found, f"source: {held} words are on their way, at most {most} can be"]

    def _check_stop(self, step, report, words):
        """What is wrong unless a stop ends the recording with its beat, or the recording has ended before."""
        stops = [after - self._since for control, _, after in self._engine.came() if control == "source_stop"]
        if not stops or report.error or report.skipped:
            return []
        wanted = min(stops[0], SECTOR_WORDS * step.sectors)
        return [] if words == wanted else [f"stop: {words} words, {wanted} before the stop beside them"]

    def _check_lost(self, outputs, words):
        """What is wrong with what the core counts as lost. Beats that were lost right after the last one may count."""
        gaps, lost = self.stream.ahead_of(words)
        _, most = self.stream.ahead_of(words + 1)
        intact = self.stream.gaps(1)[0][0] if gaps else words
        if outputs["source_intact"] != intact:
            yield f"lost: source_intact is {outputs['source_intact']} instead of {intact}"
        if not lost <= outputs["source_lost"] * self._beat <= most:
            yield f"lost: source_lost is {outputs['source_lost']} beats, {lost} to {most} words were"
