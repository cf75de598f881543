"""The modes of a recording, with the whole core and the drive model, word by word."""

import random

import pytest
from integration.modes import Plan, check_recording, check_segments, record

from sata_drive_model import Fault
from sata_recorder.drive_port import Error
from sata_recorder.recording import RecordingMode
from sata_recorder.simulation import Hold
from sata_recorder.units import SECTOR_WORDS

#: The buffer is small, so that all of its words turn over often.
CORE = {"buffer_words": 512, "max_command_sectors": 8, "extents": "modes", "retry_delay": 1e-6}
BUFFER_SECTORS = CORE["buffer_words"] // SECTOR_WORDS
ANY = 65536


@pytest.mark.parametrize("ahead", [0, ANY])
@pytest.mark.parametrize("words", [1, 127, 128, 129, 1279, 1280, 1281, 0])
def test_fixed(bench, words, ahead):
    b = bench(**CORE)
    plan = Plan(RecordingMode.FIXED, 100, 10, words=words, ahead=ahead)
    found = record(b, plan)
    assert found.outputs["error"] == Error.NONE
    assert found.accepted == min(words or 1280, 1280)
    check_recording(b, plan, found)
    b.check()


@pytest.mark.parametrize("stop", [1, 700, None])
def test_until_stopped(bench, stop):
    """Until stop, or until the space is full."""
    b = bench(**CORE)
    plan = Plan(RecordingMode.UNTIL_STOPPED, 100, 10, stop=stop, flush=True)
    found = record(b, plan)
    assert found.accepted == 1280 if stop is None else stop <= found.accepted <= stop + 1
    check_recording(b, plan, found)
    segment, = found.segments
    assert (segment["first"], segment["end"], segment["flags"] & 3) == (0, found.accepted, 0)
    b.check()


@pytest.mark.parametrize("position", [0, 3, 39])
@pytest.mark.parametrize("stop", [1, 4999, 40 * 128 * 5 + 77])
def test_ring(bench, stop, position):
    """Several laps; what is left is the latest that the space holds."""
    b = bench(**CORE)
    plan = Plan(RecordingMode.RING, 100, 40, stop=stop, position=position)
    found = record(b, plan)
    assert stop <= found.accepted <= stop + 1
    check_recording(b, plan, found)
    b.check()


@pytest.mark.parametrize("extend", [False, True])
def test_triggers(bench, extend):
    """Three segments, each with what was before its trigger, and so many words behind it."""
    b = bench(**CORE)
    plan = Plan(RecordingMode.TRIGGERED, 100, 400, words=700, part=64, chunk=8, segments=3,
                extend=extend, triggers=((9000, 0), (9300, 5), (21000, 1), (50001, 0)))
    found = record(b, plan)
    assert found.outputs["error"] == Error.NONE and len(found.segments) == 3
    check_recording(b, plan, found)
    check_segments(plan, found, spill=SECTOR_WORDS * 3 * 16)
    first = found.segments[0]
    assert first["end"] - found.hits[extend][0] == 700
    # Before the trigger there is as much as the part has room for.
    assert first["trigger"] - first["first"] == found.hits[0][0]
    b.check()


@pytest.mark.parametrize("mode, problem, fields", [
    (RecordingMode.TRIGGERED, Error.ZERO_SECTORS, {"part": 0}),
    (RecordingMode.RING, Error.ZERO_SECTORS, {"position": 40}),
    (RecordingMode.RING, Error.OUT_OF_RANGE, {"position": 41}),
    (RecordingMode.UNTIL_STOPPED, Error.OUT_OF_RANGE, {"lba": 1 << 20}),
])
def test_refused(bench, mode, problem, fields):
    """Before the first word; the next recording is as if nothing had been."""
    b = bench(**CORE)
    found = record(b, Plan(mode, **({"lba": 100, "sectors": 40} | fields)))
    assert (found.outputs["error"], found.accepted) == (problem, 0)
    plan = Plan(RecordingMode.FIXED, 100, 10, words=500)
    found = record(b, plan)
    assert found.outputs["error"] == Error.NONE
    check_recording(b, plan, found)


def any_plan(rng):
    """Any recording."""
    mode = rng.choice(list(RecordingMode))
    part = rng.randrange(40, 90)
    sectors = rng.choice([part, 3 * part, 400]) if mode == RecordingMode.TRIGGERED else \
        rng.randrange(BUFFER_SECTORS, 120)
    length = rng.randrange(1, 60_000)
    triggers = sorted(rng.sample(range(length), rng.randrange(6)))
    return Plan(
        mode, rng.randrange(1, 5000), sectors, words=rng.choice([0, rng.randrange(2000)]),
        position=rng.choice([0, rng.randrange(sectors)]) if mode != RecordingMode.TRIGGERED else 0,
        part=part, chunk=rng.randrange(BUFFER_SECTORS, 12), segments=rng.randrange(5),
        extend=rng.random() < 0.5, ahead=rng.choice([0, 0, 2, ANY]),
        stop=length, triggers=tuple((words, rng.randrange(20)) for words in triggers),
        hold=rng.choice([Hold(), Hold(3, 1), Hold(1, 2), Hold(100, 700)]),
        flush=rng.random() < 0.5, base=rng.randrange(1 << 31))


def expected_words(plan):
    """Words after which the recording ends by itself; None: that depends on triggers, or it does
    not."""
    room = SECTOR_WORDS * (plan.sectors - plan.position)
    if plan.mode == RecordingMode.FIXED:
        return min(plan.words or room, room)
    return room if plan.mode == RecordingMode.UNTIL_STOPPED else None


def check(b, plan, found):
    """All that is known of a recording without an error."""
    assert found.outputs["error"] == Error.NONE
    most = expected_words(plan)
    if most is not None:
        assert found.accepted == most or plan.stop <= found.accepted <= plan.stop + 1 <= most
    elif plan.mode == RecordingMode.RING:
        assert plan.stop <= found.accepted <= plan.stop + 1
    check_recording(b, plan, found)
    if plan.mode == RecordingMode.TRIGGERED:
        check_segments(plan, found, spill=SECTOR_WORDS * 6 * plan.chunk)
    else:
        segment, = found.segments
        assert (segment["first"], segment["end"]) == (0, found.accepted)


@pytest.mark.parametrize("piece", range(4))
def test_any_recordings(bench, piece):
    """One behind the other, on the same drive."""
    rng = random.Random(f"recordings {piece}")
    b = bench(seed=piece, **CORE)
    for _ in range(12):
        plan = any_plan(rng)
        b.image.write(512 * (plan.lba - 1), bytes(512 * (plan.sectors + 2)))
        check(b, plan, record(b, plan))
        b.check()
