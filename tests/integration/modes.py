"""The core with the modes of a recording, and a model of it in Python: what must be where."""

import struct
from dataclasses import dataclass, field

from sata_recorder.lab.campaign.segment_check import check_segments as segment_problems
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.bricks.modes import ENTRIES, FIELDS
from sata_recorder.interface.recording import RecordingMode, RecordingState
from sata_recorder.simulation import Event, Hold
from sata_recorder.facts.units import SECTOR_WORDS

__all__ = ["REFUSED", "Numbers", "Plan", "PlannedRun", "check_recording", "check_segments", "record"]

#: What is wrong with a recording of 40 sectors, and the error of it: its mode, error, and other fields of its plan.
REFUSED = [
    (RecordingMode.TRIGGERED, Error.ZERO_SECTORS, {"part": 0}),
    (RecordingMode.RING, Error.ZERO_SECTORS, {"position": 40}),
    (RecordingMode.RING, Error.OUT_OF_RANGE, {"position": 41}),
    (RecordingMode.RING, Error.OUT_OF_RANGE, {"position": (1 << 48) - 1}),
    (RecordingMode.FIXED, Error.OUT_OF_RANGE, {"position": (1 << 48) - 1, "words": 500}),
    (RecordingMode.UNTIL_STOPPED, Error.OUT_OF_RANGE, {"lba": 1 << 20}),
]
_MANY = 1 << 30
#: Clocks until a trigger counts.
_STARTING = 12
#: Clocks in which a recording without a word is over, or has an error, at the latest.
_PATIENCE = 4_000_000


class Numbers:
    """Words that are all different: word n of a recording is ``base`` + n."""

    words = _MANY

    def __init__(self, base=1):
        self.base = base

    def read(self, first, count):
        """Words ``first`` to ``first`` + ``count`` - 1."""
        return struct.pack(f"<{count}I", *range(self.base + first, self.base + first + count))


@dataclass
class Plan:
    """A recording as the user wants it, and what happens to it.

    ``triggers`` are pairs of (words accepted, clocks): a trigger comes this many clocks after this many
    words. ``stop`` comes after this many words.
    """

    mode: RecordingMode
    lba: int
    sectors: int
    words: int = 0
    position: int = 0
    part: int = 0
    chunk: int = 0
    segments: int = 0
    extend: bool = False
    ahead: int = 0
    stop: int | None = None
    triggers: tuple = ()
    hold: Hold = Hold()
    flush: bool = False
    base: int = 1

    @property
    def room(self):
        """The sectors of its ring, or of what is filled once."""
        if self.mode == RecordingMode.TRIGGERED:
            return min(self.part, self.sectors)
        return self.sectors


@dataclass
class PlannedRun:
    """What became of a :class:`Plan`.

    ``accepted`` words; ``hits`` the triggers: (words accepted before it, time); ``segments`` as
    the table tells them, a dict each; ``done`` the clock of it; ``stopped`` the clock of stop and
    the words accepted before it, if it came.
    """

    outputs: dict
    accepted: int
    hits: list
    segments: list = field(default_factory=list)
    done: int = 0
    stopped: tuple | None = None


def record(bench, plan, *, at_stop=lambda: None):
    """Does it on a :class:`.benches.CoreBench`; the disk is the bench's. ``at_stop()`` is called in the
    clock before stop comes."""
    engine = bench.engine
    events = sorted([*((words, clocks, "trigger") for words, clocks in plan.triggers),
                     *([(plan.stop, 0, "stop")] if plan.stop is not None else [])])
    engine.source(Numbers(plan.base), hold=plan.hold, mark=events[0][0] if events else _MANY)
    engine.set(recording_mode=plan.mode, recording_words=plan.words,
               recording_position=plan.position, recording_part=plan.part,
               recording_chunk=plan.chunk, recording_segments=plan.segments,
               recording_extend=plan.extend, recording_ahead=plan.ahead)
    bench.start(Operation.RECORD_FLUSH if plan.flush else Operation.RECORD, plan.lba, plan.sectors)
    engine.run(_STARTING)
    hits, stopped, over = [], None, False
    for words, clocks, what in events:
        over = over or _reach(bench, words) or bool(clocks and engine.run(clocks, Event.DONE))
        if over:
            break
        before = engine.state().taken
        if what == "stop":
            at_stop()
        engine.set(**{"recording_trigger" if what == "trigger" else "stop": 1})
        over = bool(engine.run(1, Event.DONE))
        if what == "trigger":
            if engine.outputs()["recording_state"] == RecordingState.RUNNING:
                hits.append((before, engine.outputs()["recording_time"]))
            # Low for a clock, so that the next one rises.
            over = over or bool(engine.run(1, Event.DONE))
        else:
            stopped = engine.state().cycle, before
    if not over:
        assert engine.run(_PATIENCE, Event.DONE), ("it does not end", bench.outputs())
    done, outputs = engine.state().cycle, bench.outputs()
    engine.run(30)
    table = _table(bench, bench.outputs()["recording_segment_count"])
    shown = {name: bench.outputs()[name] for name in ("recording_newest", "recording_oldest")}
    return PlannedRun(outputs | shown, engine.state().taken, hits, table, done, stopped)


def _reach(bench, words):
    """Runs until this many words have been accepted; whether the recording is over before."""
    engine = bench.engine
    spent = 0
    while engine.state().taken < words:
        missing = words - engine.state().taken
        clocks = missing // engine.beat if missing > 64 else 1
        if engine.run(clocks, Event.DONE):
            return True
        spent += clocks
        assert spent < _PATIENCE, ("no word is accepted", bench.outputs())
    return False


def _table(bench, count):
    """The segments that the table has, the oldest first."""
    def entry(number):
        found = {}
        for index, name in enumerate(FIELDS):
            bench.engine.set(recording_segment_address=len(FIELDS) * (number % ENTRIES) + index)
            bench.engine.run(3)
            found[name] = bench.outputs()["recording_segment_data"]
        return found
    return [entry(number) for number in range(max(0, count - ENTRIES), count)]


def check_recording(bench, plan, found, *, logical=1):
    """Each sector that must be there is where it must be, word by word; no other was written. This many
    sectors are a ``logical`` one of the drive."""
    outputs = found.outputs
    sectors = -(-found.accepted // SECTOR_WORDS)
    assert outputs["words"] == found.accepted
    newest, room = outputs["recording_newest"], plan.room
    assert sectors <= newest <= -(-sectors // logical) * logical + plan.ahead
    firsts = [segment["first"] // SECTOR_WORDS for segment in found.segments] \
        if plan.mode == RecordingMode.TRIGGERED else [0]
    assert outputs["recording_segment_count"] <= ENTRIES, "the table has the latest ones only"
    ends = [*firsts[1:], newest]
    for number, (first, end) in enumerate(zip(firsts, ends, strict=True)):
        lba = plan.lba + number * room
        for sector in range(max(first, end - room), min(end, sectors)):
            place = lba + (plan.position + sector - first) % room
            _check_sector(bench, plan, place, sector, found.accepted)
    if ends[-1] > firsts[-1]:
        assert outputs["recording_oldest"] == max(firsts[-1], newest - room)
    for lba in (plan.lba - 1, plan.lba + plan.sectors):
        assert not any(bench.image.read_sectors(lba, 1)), f"sector {lba} was written"


def _check_sector(bench, plan, place, sector, accepted):
    there = struct.unpack("<128I", bench.image.read_sectors(place, 1))
    first = SECTOR_WORDS * sector
    wanted = tuple(plan.base + n if n < accepted else 0 for n in range(first, first + SECTOR_WORDS))
    assert there == wanted, f"sector {sector} at {place}"


def check_segments(plan, found, *, spill):
    """The segments are those that the triggers ask for.

    ``spill``: the most words from the end of a segment to the first word of the next part.
    """
    assert [] == segment_problems(plan, plan.sectors, found.segments, found.hits, found.accepted,
                                  found.outputs["recording_triggers"], spill=spill)
