"""The modes above an array: rings and segments in sectors of the array, word by word."""

import random

import pytest
from integration.arrays import OFFSET, members
from integration.modes import REFUSED, Numbers, Plan, PlannedRun, check_recording, check_segments, record
from integration.test_modes import any_plan, blank, check, is_cut
from sata_drive_model import Behaviour, Fault

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.facts.units import SECTOR_WORDS
from sata_recorder.interface.recording import RecordingMode, RecordingState
from sata_recorder.simulation import Event, Hold

#: Sectors of each drive; the first one of a linear array has fewer: 384 for recordings.
ROOM, LESS = OFFSET + 12_288, OFFSET + 384
ANY = 65536
SHAPES = {
    "striped": (2, "raid0", 8, {}), "linear": (2, "linear", 128, {}),
    "three": (3, "raid0", 16, {"buffer_words": 1024, "retain_sectors": 0}),
    "wide": (4, "raid0", 8, {"array_width": 128}), "wide linear": (3, "linear", 128, {"array_width": 64}),
    "memories": (2, "raid0", 32, {"memory": 1 << 20, "memory_width": 64, "buffer_words": 2048, "retain_sectors": 0,
                                    "array_width": 64}),
}
#: The others take a compiler's time each.
EACH = [pytest.param(name, marks=[] if name == "striped" else pytest.mark.wide) for name in SHAPES]


def beat_of(shape):
    """The words of a beat."""
    return SHAPES[shape][3].get("array_width", 32) // 32


def made(shape, **options):
    """A bench of an array with modes, brought up."""
    drives, kind, chunk, fields = SHAPES[shape]
    b = members(drives, kind=kind, chunk=chunk, extents="modes", sectors=[
        LESS if kind == "linear" and lane == 0 else ROOM for lane in range(drives)], **fields, **options)
    b.bring_up()
    b.settle()
    assert b.outputs()["ready"]
    return b


@pytest.mark.parametrize("ahead", [0, ANY])
@pytest.mark.parametrize("words", [1, 129, 1024, 1025, 5000, 0])
@pytest.mark.parametrize("shape", EACH)
def test_fixed(shape, words, ahead):
    b = made(shape)
    plan = Plan(RecordingMode.FIXED, 370, 45, words=words, ahead=ahead, flush=True)
    found = record(b, plan)
    wanted = -(-words // beat_of(shape)) * beat_of(shape)
    assert (found.outputs["error"], found.accepted) == (Error.NONE, wanted or 5760)
    check_recording(b, plan, found)
    b.check()


@pytest.mark.parametrize("ahead", [0, ANY])
@pytest.mark.parametrize("sectors", [1, 8, 9, 40, 300])
@pytest.mark.parametrize("shape", EACH)
def test_rings(shape, sectors, ahead):
    """Laps that are shorter than the buffers, and longer; what is left is the latest that the space holds."""
    b = made(shape)
    plan = Plan(RecordingMode.RING, 370, sectors, stop=sectors * 128 * 5 + 77, position=sectors // 3, ahead=ahead)
    found = record(b, plan)
    assert plan.stop <= found.accepted < plan.stop + 2 * beat_of(shape) and is_cut(found, beat_of(shape))
    assert found.outputs["recording_newest"] == -(-found.accepted // SECTOR_WORDS)
    check_recording(b, plan, found)
    b.check()


@pytest.mark.parametrize("extend", [False, True])
@pytest.mark.parametrize("shape", EACH)
def test_segments(shape, extend):
    b = made(shape)
    plan = Plan(RecordingMode.TRIGGERED, 300, 900, words=700, part=200, chunk=32, segments=3, extend=extend,
                triggers=((9000, 0), (9300, 5), (41_000, 1), (90_001, 0)))
    found = record(b, plan)
    assert found.outputs["error"] == Error.NONE and len(found.segments) == 3
    check_recording(b, plan, found)
    check_segments(plan, found, spill=SECTOR_WORDS * 3 * 64)
    first = found.segments[0]
    assert first["end"] - found.hits[extend][0] == 700 and first["trigger"] - first["first"] == found.hits[0][0]
    b.check()


@pytest.mark.parametrize("mode, problem, fields", REFUSED)
def test_refused(mode, problem, fields):
    """Before the first word; the next recording is as if nothing had been."""
    b = made("striped")
    found = record(b, Plan(mode, **({"lba": 100, "sectors": 40} | fields)))
    assert (found.outputs["error"], found.accepted) == (problem, 0)
    plan = Plan(RecordingMode.FIXED, 100, 10, words=500)
    found = record(b, plan)
    assert found.outputs["error"] == Error.NONE
    check_recording(b, plan, found)


@pytest.mark.parametrize("hold", [Hold(), Hold(1, 3)])
@pytest.mark.parametrize("ahead", [0, ANY])
@pytest.mark.parametrize("shape", EACH)
def test_what_a_ring_reports_is_there(shape, ahead, hold):
    """At any time, while its lanes are at different places: from the oldest sector to the newest one."""
    b = made(shape, behaviours={0: Behaviour(command_latency=3000)})
    rng, room = random.Random(shape), 200
    b.engine.source(Numbers(), hold=hold)
    b.engine.set(recording_mode=RecordingMode.RING, recording_ahead=ahead)
    b.start(Operation.RECORD, 360, room)
    b.run(100)
    most = kept = 0
    for _ in range(80):
        b.run(rng.randrange(200, 6000))
        outputs = b.outputs()
        oldest, newest = outputs["recording_oldest"], outputs["recording_newest"]
        for sector in range(oldest, newest):
            assert b.image.read_sectors(360 + sector % room, 1) == Numbers().read(128 * sector, 128), outputs
        assert oldest >= newest - room
        most, kept = max(most, newest), max(kept, newest - oldest)
    # The buffers hold less than half of it, memories all.
    assert most > 2 * room and (kept > room // 2 or "memory" in SHAPES[shape][3])
    b.stop()
    b.run(60_000)
    assert b.outputs()["recording_state"] == RecordingState.IDLE
    b.check()


@pytest.mark.parametrize("shape", EACH)
def test_a_stop_in_each_clock_of_the_beginning(shape):
    """While the extent is divided, the lanes start and the first words come; the recordings follow each other."""
    b = made(shape)
    for clocks in range(160):
        plan = Plan(RecordingMode.RING, 370, 40, flush=clocks % 2 == 0)
        blank(b, plan)
        b.engine.source(Numbers())
        b.engine.set(recording_mode=plan.mode)
        b.start(Operation.RECORD_FLUSH if plan.flush else Operation.RECORD, plan.lba, plan.sectors)
        b.run(1 + clocks)
        b.stop()
        b.wait(Event.DONE)
        accepted = b.engine.state().taken
        b.run(30)
        outputs = b.outputs()
        assert (outputs["error"], outputs["recording_newest"]) == (Error.NONE, -(-accepted // SECTOR_WORDS))
        check_recording(b, plan, PlannedRun(outputs, accepted, []))
    assert accepted and not b.violations()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.wide) for seed in range(1, 8))])
@pytest.mark.parametrize("shape", EACH)
def test_any_recordings(shape, seed):
    """One after the other: what their model in Python gives."""
    rng = random.Random(f"{shape} {seed}")
    b = made(shape)
    for _ in range(4):
        plan = any_plan(rng, buffer_sectors=24)
        # Whole beats, and at least one after a trigger.
        plan.words -= plan.words % beat_of(shape)
        if plan.mode == RecordingMode.TRIGGERED:
            plan.words = max(plan.words, beat_of(shape))
        blank(b, plan)
        check(b, plan, record(b, plan), beat=beat_of(shape))
        b.check()


@pytest.mark.wide
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("shape", ["striped", "linear"])
def test_faults_in_any_recording(shape, seed):
    """The links of the lanes are lost, and commands fail, in the middle of each: the words are those of the model."""
    rng = random.Random(f"faults {shape} {seed}")
    b = made(shape, retries=50, recovery_timeout=2)
    struck = 0
    for _ in range(4):
        plan = any_plan(rng, buffer_sectors=24)
        blank(b, plan)
        for port in b.ports:
            port.inject([Fault(kind="link_loss", clock=rng.randrange(1000, 60_000), clocks=rng.randrange(1, 300))
                         for _ in range(2)])
            port.drive.behaviour.reject_command = rng.randrange(3)
        found = record(b, plan)
        struck += found.outputs["retries"]
        check(b, plan, found)
        for port in b.ports:
            port.clear_faults()
            port.drive.behaviour.reject_command = 0
        b.run(20_000)       # the link may be lost still
        b.settle()
    assert struck
