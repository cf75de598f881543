"""Readbacks of a recording while it runs: each is requested, watched, and its words are read."""

from dataclasses import dataclass, field

from ..interface.look import LookState
from ..interface.recording import RecordingState
from ..facts.units import SECTOR_WORDS
from .signals import Event

#: Clocks between two glances at a readback under way: its times are known no more exactly.
_GLANCE = 16
#: Clocks from look_start until it is known whether its sectors are there.
_JUDGED = 16
#: Clocks from look_address until a word is there.
_WORD = 3
_UNDER_WAY = LookState.WAITS, LookState.READS


@dataclass(frozen=True)
class Moment:
    """What the core showed in a clock: ``newest`` and ``oldest`` sector, ``done`` ones, and whether the
    recording ``runs``, which is neither stopped nor over."""

    clock: int
    newest: int
    oldest: int
    done: int
    runs: bool

    @classmethod
    def now(cls, engine):
        """The moment of the latest clock."""
        return cls(engine.state().cycle, engine.output("recording_newest"), engine.output("recording_oldest"),
                   engine.output("sectors_done"),
                   engine.output("recording_state") == RecordingState.RUNNING.value)


@dataclass
class WatchedLook:
    """A readback of ``count`` sectors from ``sector`` on, with ``room`` words in the buffer, which is
    ``withdrawn`` this many clocks later (None: it is not), and what happened to it.

    ``begun``: the moment in which it was requested; ``judged``: the core knows whether its sectors are
    there; ``waits`` and ``reads``: the latest time that it began to; ``end``: its state, from then on
    ``state``, no longer changes. A moment that was not seen is None, and so is the ``state`` of one whose
    place another readback took. ``waited``: clocks that it waited, to within those between two glances;
    ``words`` that were read of it, ``left``: how many can still be read.
    """

    sector: int
    count: int
    room: int
    withdrawn: int | None
    begun: Moment
    judged: Moment | None = None
    waits: Moment | None = None
    reads: Moment | None = None
    end: Moment | None = None
    state: LookState | None = None
    waited: int = 0
    words: list = field(default_factory=list)
    left: int = 0


class LookWatch:
    """Runs ``engine``, whose core has readbacks, and watches the readback under way. ``looks`` are all that
    were requested."""

    def __init__(self, engine):
        self.engine = engine
        self.looks = []
        self._withdrawn = None      # the clock of look_stop
        self._latest = None         # state of the readback when it was seen last, and the clock
        self._seen = 0

    @property
    def busy(self):
        """Whether a readback is under way, or has words that were not read."""
        return bool(self.looks) and (self.looks[-1].end is None or self.looks[-1].left > 0)

    def begin(self, sector, count, room, withdrawn=None):
        """Requests a :class:`WatchedLook`; returns `Event.DONE` if it holds in that clock."""
        moment = Moment.now(self.engine)
        self.looks.append(WatchedLook(sector, count, room, withdrawn, moment))
        self._withdrawn = None if withdrawn is None else moment.clock + 1 + withdrawn
        self._latest, self._seen = None, moment.clock
        self.engine.set(look_start=1, look_sector=sector, look_count=count, look_room=room)
        return self.engine.run(1, Event.DONE)

    def run(self, clocks):
        """Runs at most this many clocks, and to the end of the recording; returns `Event.DONE` if it
        holds then."""
        engine = self.engine
        if not self.busy:
            return engine.run(min(engine.stride, clocks), Event.DONE)
        look = self.looks[-1]
        if look.end is not None:
            return self._read(look) if clocks >= _WORD else engine.run(clocks, Event.DONE)
        clocks = min(clocks, _GLANCE)
        if self._withdrawn is not None:
            left = self._withdrawn - engine.state().cycle
            if left <= 0:
                engine.set(look_stop=1)
                self._withdrawn, clocks = None, 2
            else:
                clocks = min(clocks, left)
        over = engine.run(clocks, Event.DONE)
        self._glance(look)
        return over

    def _read(self, look):
        self.engine.set(look_address=SECTOR_WORDS * look.count - look.left)
        over = self.engine.run(_WORD, Event.DONE)
        if not over:
            look.words.append(self.engine.output("look_data"))
            look.left -= 1
        return over

    def _glance(self, look):
        state, clock = LookState(self.engine.output("look_state")), self.engine.state().cycle
        if clock - look.begun.clock < _JUDGED:
            return
        if LookState.WAITS in (state, self._latest):
            look.waited += clock - self._seen
        self._seen = clock
        if state is self._latest and look.judged and state in _UNDER_WAY:
            return
        now = Moment.now(self.engine)
        look.judged = look.judged or now
        if state is not self._latest:
            if state is LookState.WAITS:
                look.waits = now
            elif state is LookState.READS:
                look.reads = now
        if state not in _UNDER_WAY:
            look.end, look.state = now, state
            look.left = SECTOR_WORDS * look.count if state is LookState.READY else 0
        self._latest = state

    def finish(self):
        """After the recording: notes what happened to the latest readback, and reads the rest of its words."""
        if not self.looks:
            return
        look = self.looks[-1]
        if look.end is None:
            self.engine.run(_JUDGED)
            self._glance(look)
            look.state = look.state or self._latest
        count = SECTOR_WORDS * look.count
        look.words += self.engine.table("look_address", "look_data", range(count - look.left, count), _WORD)
        look.left = 0
