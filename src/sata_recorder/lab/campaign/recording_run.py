"""A recording in a mode on a running core: its triggers, its stop, and what the core reports about it."""

from dataclasses import dataclass, field

from ...bricks.modes import ENTRIES, FIELDS
from ...interface.recording import RecordingState
from ...simulation import Event, LookWatch, Stuck
from .power_fail import fail

#: Clocks from the start until a trigger counts.
_STARTING = 12
#: Clocks after done until the last segment is in the table.
_ENTERED = 16
#: Clocks after stop until what had been passed over before it is shown.
_SHOWN = 8


@dataclass
class Recorded:
    """What came of a recording.

    ``hits`` triggers: (words accepted before it, time); ``stopped`` words accepted before stop, None if it
    did not come; ``cut``: power was about to fail before the end; ``accepted`` words in all;
    ``passed`` sectors done or skipped when it was stopped, None if it was not; ``segments`` of the table, a
    dictionary each, and ``count``, how many there were; ``triggers`` counted by the core; ``newest``,
    ``oldest`` sectors; ``looks``, a `WatchedLook` each; ``looks_ready`` of them, and ``look_clocks``, as the
    core counts them. ``watch`` is what saw them, None if the core has none.
    """

    hits: list = field(default_factory=list)
    stopped: int | None = None
    cut: bool = False
    accepted: int = 0
    passed: int | None = None
    segments: list = field(default_factory=list)
    count: int = 0
    triggers: int = 0
    newest: int = 0
    oldest: int = 0
    looks: list = field(default_factory=list)
    looks_ready: int = 0
    look_clocks: int = 0
    watch: LookWatch | None = None

    def read(self, session, told=True):
        """Reads what the core shows when it has settled after the end; not ``told``: another operation
        has begun, and the newest and the oldest sector are its own."""
        session.run(_ENTERED)
        shown = session.outputs()
        self.accepted = session.engine.state().taken
        self.count, self.triggers = shown["recording_segment_count"], shown["recording_triggers"]
        self.newest, self.oldest = (
            (shown["recording_newest"], shown["recording_oldest"]) if told else (None, None))

        for number in range(max(0, self.count - ENTRIES), self.count):
            first = len(FIELDS) * (number % ENTRIES)
            self.segments.append(dict(zip(FIELDS, session.engine.table(
                "recording_segment_address", "recording_segment_data", range(first, first + len(FIELDS)), 3))))
        if self.watch is not None:
            self.watch.finish()
            self.looks = self.watch.looks
            self.looks_ready, self.look_clocks = shown["looks"], shown["look_clocks"]


def _reach(session, words, watch):
    """Runs until this many words have been taken; returns whether the recording is over before. Raises
    `Stuck`."""
    engine = session.engine
    state = engine.state()
    taken, moved = state.taken, state.cycle
    while taken < words:
        # A clock takes no more than a word.
        if watch.run(words - taken):
            return True
        state = engine.state()
        if state.taken != taken:
            taken, moved = state.taken, state.cycle
        if state.cycle - moved >= session.limit:
            raise Stuck(f"no word is taken for {state.cycle - moved} clocks, at clock "
                        f"{state.cycle}: {session.outputs()}")
    return False


def _pass(session, clocks, watch):
    """Lets this many clocks pass; returns whether the recording is over in them."""
    engine = session.engine
    end = engine.state().cycle + clocks
    while (left := end - engine.state().cycle) > 0:
        if watch.run(left):
            return True
    return False


def _end(session, watch):
    """Runs to the end of the recording. Raises `Stuck`."""
    engine, moved = session.engine, (0, None)
    while watch.busy:
        if watch.run(engine.stride):
            return
        clock, now = engine.state().cycle, (engine.state().taken, engine.output("sectors_done"))
        if now != moved[1]:
            moved = clock, now
        if clock - moved[0] >= session.limit:
            raise Stuck(f"no progress for {clock - moved[0]} clocks, at clock {clock}: {session.outputs()}")
    session.wait(Event.DONE)


def _events(step):
    """What comes while it records, by the words before it and the clocks after them: (words, clocks,
    control, the readback or None)."""
    found = [(words, clocks, "recording_trigger", None) for words, clocks in step.recording.triggers]
    found += [(look.words, look.clocks, "look_start", look) for look in step.recording.looks]
    if step.power_fail is not None:
        found.append((step.stop_after or 0, step.power_fail, "power_fail", None))
    elif step.stop_after is not None:
        found.append((step.stop_after, 0, "stop", None))
    return sorted(found, key=lambda event: event[:3])


def follow(session, step, looks=False):
    """Runs the recording of ``step``, which has been started, to its end; returns :class:`Recorded`, without
    what :meth:`Recorded.read` adds. ``looks``: the core has them."""
    watch = LookWatch(session.engine)
    found = Recorded(watch=watch if looks else None)
    if session.engine.run(_STARTING, Event.DONE):
        return found
    for words, clocks, control, what in _events(step):
        if _reach(session, words, watch) or clocks and _pass(session, clocks, watch):
            return found
        if control == "look_start":
            if what.faults:
                session.port.inject(what.faults)
            shown = session.outputs()
            sector = what.sector(shown["recording_newest"], shown["recording_oldest"])
            if watch.begin(sector, what.count, what.room, what.withdrawn):
                return found
            continue
        if control == "power_fail":
            fail(session)
            found.cut = True
            if session.engine.run(1, Event.DONE):
                return found
            found.stopped = session.engine.state().taken
            break
        before = session.engine.state().taken
        session.engine.set(**{control: 1})
        over = session.engine.run(1, Event.DONE)
        if control == "stop":
            found.stopped = before
            break
        if session.outputs()["recording_state"] == RecordingState.RUNNING:
            found.hits.append((before, session.outputs()["recording_time"]))
        # The control is low for a clock, so that the next trigger is an edge.
        if over or session.engine.run(1, Event.DONE):
            return found
    if found.stopped is not None and not session.outputs()["done"]:
        session.engine.run(_SHOWN, Event.DONE)
        shown = session.outputs()
        found.passed = shown["sectors_done"] + shown["skipped_sectors"]
    if not session.outputs()["done"]:
        _end(session, watch)
    return found
