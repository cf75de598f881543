"""What comes beside a stream of any width, in its own clock or not: a core with the source stage, one without it that
gets its words, have the same at each place."""

import itertools
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import pytest
from integration.staged import Beat, Plain, Staged, options_of

from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import prepare

pytestmark = pytest.mark.wide

#: Clocks of the source in clocks of the core; None: the same clock.
RATIOS = [None, (1, 1), (3, 1), (1, 3), (100, 99), (7, 10)]
RECORDINGS, SLOT_SECTORS = 3, 48
_WORD, _FULL = 32, 4
#: So many words are at one place only.
_SOME = 2


@dataclass
class Planned:
    """A recording: what starts it, its places by beats, and how it ends."""

    start: dict
    places: dict
    most_stop: int | None = None


def planned(rng, width, lines):
    """A recording with something at random beats, several at one of them."""
    beats = 32 / width
    most = rng.choice((40, 300, 1500))
    places = defaultdict(set)
    for _ in range(rng.randint(1, 6)):
        kinds = rng.choice((("trigger", "pps", "last"), ("trigger",), ("pps",), ("last",), ("trigger", "last")))
        at = int(rng.randint(0, most) * beats)
        for kind in kinds:
            if kind != "last" or lines:
                places[kind].add(at + rng.choice((0, 0, 1)))
    start = {"mode": rng.choice((RecordingMode.UNTIL_STOPPED, RecordingMode.RING, RecordingMode.TRIGGERED))}
    if start["mode"] == RecordingMode.TRIGGERED:
        start |= {"part": SLOT_SECTORS, "segments": 1, "words": rng.choice((0, 1, 50, 700)),
                  "extend": rng.randint(0, 1), "chunk": rng.choice((0, 4))}
        if rng.random() < 0.6:
            places["trigger"].add(int(most * beats))
            return Planned(start, places)
        start["words"] = 1 << 20
    elif start["mode"] == RecordingMode.UNTIL_STOPPED and rng.random() < 0.3:
        start["length"] = 4 * rng.randint(1, most)
        return Planned(start, places)
    end = int(rng.randint(0, most) * beats)
    stop = None
    if not lines and rng.random() < 0.5:
        places["last"], stop = {end}, end
    if stop is None or rng.random() < 0.3:
        places["stop"].add(end)
        if rng.random() < 0.5:
            for kind in ("trigger", "pps", *(["last"] if lines else [])):
                places[kind].add(end)
    return Planned(start, places, stop)


@dataclass
class Packed:
    """The words of a log, as `Beat` objects; (kind, words before it, number of the recording) of what is beside
    them; by word the places in the log of the first and the last of its beats."""

    words: list = field(default_factory=list)
    events: list = field(default_factory=list)
    beats: list = field(default_factory=list)

    def script(self, number, first=0, lines=False):
        """The words from ``first`` on, and what recording ``number`` has before each, as :meth:`Plain.script` has
        them. What comes after a beat that ends the file, as one does without ``lines``, comes after the recording."""
        events = defaultdict(set)
        ends = (place for place in range(first, len(self.words)) if self.words[place].keep is not None and not lines)
        last = next(ends, len(self.words))
        for kind, place, recording in self.events:
            if recording == number and first <= place <= last:
                events[place - first].add(kind)
                if kind == "stop":
                    # What comes after it comes after the recording.
                    break
        return self.words[first:], events


def packed(came, width, begin=0, most=None):
    """What the log ``came`` has from its item ``begin`` on, to the word ``most`` at least."""
    found, parts = Packed(), []

    def complete(keep):
        value = sum(part.data << n * width for n, (part, _) in enumerate(parts))
        found.words.append(Beat(value, keep))
        found.beats.append((parts[0][1], parts[-1][1]))
        parts.clear()

    for place in range(begin, len(came)):
        one = came[place]
        if most is not None and len(found.words) >= most:
            break
        if one.is_lost:
            continue
        if not isinstance(one.what, Beat):
            # A stop fills a word.
            if one.what == "stop" and parts:
                complete(None)
            found.events.append((one.what, len(found.words), one.recording))
        elif width < _WORD:
            parts.append((one.what, place))
            keep = one.what.keep
            if keep is not None or len(parts) == _WORD // width:
                complete(None if keep is None else width // 8 * (len(parts) - 1) + keep)
        else:
            keep = one.what.keep
            count = width // _WORD if keep is None else -(-keep // _FULL)
            for n in range(count):
                ends = keep is not None and n == count - 1
                found.words.append(Beat(one.what.data >> _WORD * n & 0xFFFF_FFFF, keep - _FULL * n if ends else None))
                found.beats.append((place, place))
    return found


def found_in(came, width, taken, after):
    """Where in the log the words begin that were ``taken``: after the item ``after``, at a beat; and the log from there
    on. Of a source that does not wait, of which nobody knows when the core begins."""
    part, some = (1 << min(width, _WORD)) - 1, taken[:_SOME]
    for begin in range(after + 1, len(came)):
        one = came[begin]
        if isinstance(one.what, Beat) and not one.is_lost and one.what.data & part == taken[0] & part:
            if [word.data for word in packed(came, width, begin, len(some)).words[:len(some)]] == some:
                return begin, packed(came, width, begin)
    raise AssertionError("the first word was not given")


class PositionTrial:
    """A core of these ``options`` with a stage, at a source with clocks of this ``ratio``, and one without a stage."""

    def __init__(self, content, seed, *, lines, ratio, width, waits):
        rng = self.rng = random.Random(seed)
        self.width, self.waits, self.lines = width, waits, lines
        options = {"file_lines": lines}
        stage = options | {"source_width": width, "source_clock": ratio is not None, "source_waits": waits,
                           **({"source_depth": rng.choice((16, 64))} if ratio and width == 128 else {})}
        drive = {"completion_latency": rng.choice((0, 40, 900)), "activate_latency": rng.choice((0, 20, 300))}
        fast, slow = ratio or (1, 1)
        self.staged = Staged(options_of(**stage), content, seed=seed, clocks=(fast, slow),
                             phase=rng.randrange(slow), drive=drive, offers=self._offers(fast / slow))
        self.staged.alone = rng.choice((0, 0.3))
        self.plain = Plain(options_of(**options), content, seed=seed, offers=rng.choice((1, 0.3)), drive=drive)
        self.plans = [planned(rng, width, lines) for _ in range(RECORDINGS)]

    def _offers(self, ratio):
        """So that the core keeps up, mostly."""
        rng = self.rng
        if self.waits:
            return rng.choice((1, 0.6, 0.1))
        return min(1, rng.choice((0.1, 0.5, 1.2)) * _WORD / self.width / ratio)

    def run(self, path):
        """What both have: of each recording the words, their error and the places of pulses; then the files."""
        staged, plain = self.staged, self.plain
        for plan in self.plans:
            late = self.waits and self.rng.random() < 0.4
            offers, staged.offers = staged.offers, 0 if late else staged.offers
            staged.find_slot()
            staged.place(plan.places, plan.most_stop)
            staged.begin(**plan.start)
            for _ in range(200 * late):
                staged.tick()
            staged.offers = offers
            staged.finish()
        first, after = 0, -1
        whole = packed(staged.came, self.width)
        for number, (plan, run) in enumerate(zip(self.plans, staged.taken), 1):
            log = whole
            if not self.waits and run.words:
                after, log = found_in(staged.came, self.width, run.words, after)
            words, events = log.script(number, first if self.waits else 0, self.lines)
            assert run.words == [word.data for word in words[:len(run.words)]]
            self.check_pulses(log, run, number, first if self.waits else 0)
            after_last = events.get(len(run.words), set())
            late = (plan.start["mode"] == RecordingMode.TRIGGERED and "trigger" in after_last
                    and "stop" not in after_last)
            if late:
                after_last.remove("trigger")
            plain.script(words, events)
            plain.begin(**plan.start)
            plain.finish()
            # A trigger after the last word counts if the recording has not closed by then.
            run.triggers -= late and run.triggers == plain.taken[-1].triggers + 1
            if not self.waits and run.words:
                self.check_lost(log, run, number)
                after = log.beats[len(run.words) - 1][1]
            first += len(run.words)
        return self.told(staged, path), self.told(plain, path)

    def told(self, core, path):
        return [(one.error, one.words, one.triggers) for one in core.taken], core.files(path)

    def check_pulses(self, log, run, number, first):
        """Each is at its word. One that came after the end of its recording may be at that in the next."""
        pulses = [(place - first, recording) for kind, place, recording in log.events
                  if kind == "pps" and 0 <= place - first < len(run.words)]
        found = Counter(place for place in run.pulses if place < len(run.words))
        found.subtract(place for place, recording in pulses if recording == number)
        assert all(count >= 0 for count in found.values()), (run.pulses, pulses)
        assert found <= Counter(place for place, recording in pulses if recording < number), (run.pulses, pulses)

    def check_lost(self, log, run, number):
        """What the core counts, against what the source knows."""
        came, (begin, _), (_, end) = self.staged.came, log.beats[0], log.beats[len(run.words) - 1]
        within = [place for place in range(begin, end) if came[place].is_lost]
        more = sum(one.is_lost and one.recording <= number for one in came[end:])
        assert len(within) <= run.lost <= len(within) + more
        intact = next((n for n, (_, last) in enumerate(log.beats) if within and last > within[0]), len(run.words))
        assert run.intact == intact


#: By --long all; some with --wide, and one by default.
WIDE = {(True, (1, 3), 16, True), (False, None, 128, True), (True, (3, 1), 8, False), (False, (7, 10), 64, False)}
DEFAULT = (True, (100, 99), 64, True)
CASES = [pytest.param(*case, marks=() if case == DEFAULT else pytest.mark.wide if case in WIDE else pytest.mark.long)
         for case in itertools.product((True, False), RATIOS, (8, 16, 32, 64, 128), (True, False))
         for _, ratio, width, waits in [case] if (waits or ratio) and (ratio or width != _WORD)]


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """Of a prepared drive."""
    path = tmp_path_factory.mktemp("positions") / "drive.img"
    prepare(path, sectors=4096, recordings=RECORDINGS, align=4096, recording_bytes=512 * SLOT_SECTORS)
    return path.read_bytes()


@pytest.mark.parametrize("lines, ratio, width, waits", CASES)
def test_the_same_at_each_place(turns, content, tmp_path, seed, lines, ratio, width, waits):
    """The words, triggers, pulses, stops, ends of files and lines of random recordings after each other."""
    for number in range(turns(3, 6)):
        trial = PositionTrial(content, seed + number, lines=lines, ratio=ratio, width=width, waits=waits)
        staged, plain = trial.run(tmp_path / "seen.img")
        assert staged == plain, (seed + number, trial.plans)
