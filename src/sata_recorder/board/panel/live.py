"""An operation of the board while it runs, from what it reports when it is queried.

All figures are the board's: words and clocks of its core. They are cumulative, so leaving out a point
loses resolution and nothing else. But for a file that is updated while it is recorded, the board counts
words and ledger from the latest update on: the sums here then lack what came between the last point before
an update and that update, and no rate is shown across an update.
"""

import time
from dataclasses import dataclass, field

from ...pc.console.grammar import ENDLESS, FILE_VERBS
from ...facts.units import SECTOR_WORDS, WORD_BYTES
from ...pc.console.sound import ACCOUNTS, SpoiltAnswer, sound_fields

#: Most points that are kept of a series.
_MOST = 400
#: Seconds over which the rate for the time left is taken.
_RECENT = 5.0


@dataclass(frozen=True)
class MovedSoFar:
    """Words that were through after ``clocks`` of the core; ``at`` is the time here in s, ``part`` the
    number of updates of the file that were noticed by then."""

    clocks: int
    words: int
    at: float
    part: int = 0


@dataclass(frozen=True)
class LedgerPoint:
    """The clocks of each account so far, and the buffer: the most words that waited, and the clocks
    in which a word waited."""

    accounts: tuple
    high_water: int
    held: int

    @property
    def clocks(self):
        """The clocks of all accounts."""
        return sum(self.accounts)

    def since(self, before):
        """This point of a part, plus what was counted ``before`` that part."""
        return LedgerPoint(tuple(map(sum, zip(self.accounts, before.accounts))),
                           max(self.high_water, before.high_water), self.held + before.held)


#: Where a ledger begins.
_BEGIN = LedgerPoint((0,) * len(ACCOUNTS), 0, 0)


@dataclass
class LiveOperation:
    """An operation that the panel began, or found running.

    ``verb``, ``lba``, ``sectors`` (None if it was found running), ``pattern``; ``numbers`` of a
    request that names no extent; ``clock_hz`` of the board. ``state``: "running", "done", "stopped",
    "failed", or "lost", if the connection ended first. ``fields`` are those of its answer, ``error`` the
    name of its error. ``way``: what an access does, "read" or "write"; ``timed``: the board's histogram of commands
    was cleared just before it. ``series``: the scan or the care of which it is a part, None if it was
    requested by itself; ``stopping``: it is to end early.
    """

    verb: str
    clock_hz: float
    lba: int | None = None
    sectors: int | None = None
    pattern: str | None = None
    numbers: tuple = ()
    way: str | None = None
    timed: bool = False
    state: str = "running"
    error: str | None = None
    fields: dict = field(default_factory=dict)
    begun: float = field(default_factory=time.monotonic)
    ended: float | None = None
    progress: list = field(default_factory=list)
    ledger: list = field(default_factory=list)
    sectors_done: int = 0
    retries: int = 0
    series: object = None
    stopping: bool = False

    def __post_init__(self):
        self.progress.append(MovedSoFar(0, 0, self.begun))
        self._before, self._ledger_before = 0, _BEGIN       # what was counted before this part of the file

    @property
    def running(self):
        """Whether its answer is still due."""
        return self.state == "running"

    @property
    def moves(self):
        """Whether it moves the words of a stream."""
        return self.verb in ("record", "play", *FILE_VERBS, *ENDLESS)

    @property
    def words(self):
        """Words that are through."""
        return self.progress[-1].words

    @property
    def share(self):
        """The part of its words that is through, 0 to 1; None if the whole is not known."""
        whole = self._whole()
        return min(1.0, self.words / whole) if whole else None

    def _whole(self):
        """The number of all its words; None if it is not known."""
        if self.verb == "file" and self.numbers:
            return -(-self.numbers[0] // WORD_BYTES) or None
        if self.verb in ENDLESS:
            return None
        return self.sectors * SECTOR_WORDS if self.sectors else None

    def left(self):
        """Seconds until the end at the rate of the latest seconds; None if that is not known."""
        whole = self._whole()
        if not whole or not self.running:
            return None
        last = self.progress[-1]
        first = next((point for point in self.progress if last.at - point.at <= _RECENT), last)
        if last.words <= first.words or last.at <= first.at:
            return None
        rest = whole - last.words
        return max(0.0, rest * (last.at - first.at) / (last.words - first.words))

    def told_status(self, fields, now=None):
        """Takes what the board's status shows about it."""
        self.sectors_done, self.retries = fields["sectors_done"], fields["retries"]
        self._through(fields["clocks"], fields["words"], now)

    def _through(self, clocks, words, now, ended=False):
        """Notes that ``words`` of this part are through, or of the whole if it has ended."""
        last = self.progress[-1]
        part = last.part + (bool(last.part) and ended)
        total = words if ended else self._before + words
        if clocks > last.clocks and total < last.words and self.verb in FILE_VERBS and not ended:
            self._before, part, total = last.words, part + 1, last.words + words
        if clocks > last.clocks and total >= last.words:
            self.progress.append(MovedSoFar(clocks, total, time.monotonic() if now is None else now, part))
            self.progress = thinned(self.progress)

    def told_counters(self, fields):
        """Takes what the board's counters show about it."""
        told = LedgerPoint(tuple(fields[name] for name in ACCOUNTS), fields["high_water"],
                           fields["held_cycles"])
        point, last = told.since(self._ledger_before), self.ledger[-1] if self.ledger else _BEGIN
        if point.clocks < last.clocks and self.verb in FILE_VERBS:
            self._ledger_before, point = last, told.since(last)
        if point.clocks > last.clocks:
            self.ledger.append(point)
            self.ledger = thinned(self.ledger)

    def end(self, answer=None, now=None):
        """Takes its answer; None: it will never come. Raises :class:`...pc.console.sound.SpoiltAnswer`."""
        self.ended = time.monotonic() if now is None else now
        if answer is None:
            self.state = "lost"
            return
        self.error = answer.error
        try:
            self.fields = sound_fields(answer)
        except SpoiltAnswer:
            self.state, self.error = "failed", self.error or "spoilt-answer"
            raise
        self.lba = self.fields.get("lba", self.lba)
        self.sectors = self.fields.get("sectors", self.sectors)
        self.pattern = self.fields.get("pattern", self.pattern)
        self.sectors_done = self.fields.get("sectors_done", self.sectors_done)
        self.retries = self.fields.get("retries", self.retries)
        if self.verb == "file" and "bytes" in self.fields:
            self.fields.setdefault("words", -(-self.fields["bytes"] // WORD_BYTES))
        if "words" in self.fields and self.fields.get("clocks"):
            self._through(self.fields["clocks"], self.fields["words"], self.ended, ended=True)
        self.state = "failed" if self.error else "stopped" if self.fields.get("stopped") else "done"

    def speeds(self):
        """(seconds of the core, MB/s, LBA) of each interval; the LBA is None if the first one is not
        known, and for `ring-at` and `segments-at`."""
        for before, after in zip(self.progress, self.progress[1:]):
            if before.part != after.part:
                continue
            middle = (before.clocks + after.clocks) / 2
            rate = 4 * (after.words - before.words) * self.clock_hz / (after.clocks - before.clocks)
            lba = None if self.lba is None or self.verb in ENDLESS else \
                self.lba + (before.words + after.words) / 2 / SECTOR_WORDS
            yield middle / self.clock_hz, rate / 1e6, lba

    def shares(self):
        """(seconds of the core at the end, percent of each account) of each interval of the
        ledger."""
        before = _BEGIN
        for after in self.ledger:
            clocks = after.clocks - before.clocks
            yield after.clocks / self.clock_hz, tuple(
                100 * (new - old) / clocks for old, new in zip(before.accounts, after.accounts))
            before = after

    def buffer(self):
        """(seconds of the core, most words that waited so far, percent of the interval's clocks in
        which a word waited) at each point of the ledger."""
        held = clocks = 0
        for point in self.ledger:
            yield (point.clocks / self.clock_hz, point.high_water,
                   min(100.0, 100 * (point.held - held) / (point.clocks - clocks)))
            held, clocks = point.held, point.clocks


def thinned(points):
    """Every second one of ``points`` if they are too many; the first and the last one stay."""
    if len(points) <= _MOST:
        return points
    return [*points[:-1:2], points[-1]]

