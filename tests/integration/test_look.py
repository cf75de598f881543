"""Reading back while recording, on the whole core and the drive model: its words are those that were recorded."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from integration.looks import BETWEEN, CORE, FAILED, GONE, IDLE, OUT_OF_RANGE, READS, READY, REPLAYS, WAITS
from integration.looks import bench_of, codes, goes_on, look, looking, shown
from integration.modes import Numbers, Plan, check_recording
from integration.small import connect
from sata_drive_model import Behaviour, Health
from short import short

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.simulation import Event, Hold
from sata_recorder.facts.units import SECTOR_WORDS

FIXED, UNTIL_STOPPED, RING, TRIGGERED = RecordingMode
SLOW = Hold(40, 60)


def begun(b, mode=RING, *, lba=100, sectors=64, hold=SLOW, clocks=30_000, **inputs):
    """A recording that has run for a while."""
    b.engine.source(Numbers(), hold=hold)
    b.engine.set(recording_mode=mode, **{f"recording_{name}": value for name, value in inputs.items()})
    b.start(Operation.RECORD, lba, sectors)
    b.run(clocks)


def ended(b, state, clocks=5000):
    """Runs until the readback has ended, in ``state``."""
    for _ in range(clocks):
        if b.engine.output("look_state") not in (WAITS, READS):
            break
        b.run(1)
    assert b.engine.output("look_state") == state


def over(b):
    """Ends the recording, which was one without an error."""
    b.stop()
    b.wait(Event.DONE)
    assert b.outputs()["error"] == Error.NONE
    b.check()


@pytest.mark.wide
@pytest.mark.parametrize("position", [0, 33, 63])
def test_ring(bench, position):
    """Anywhere in it, over its end, too; what it has gone over is GONE."""
    b = bench_of(bench)
    plan = Plan(RING, 100, 64, position=position, stop=SECTOR_WORDS * 400 + 40, hold=SLOW)
    found, looks = looking(b, plan, seed=position, least=25)
    assert found.outputs["error"] == Error.NONE and found.outputs["recording_newest"] == 401
    assert {"READY", "GONE"} <= {*looks.found}, looks.found
    assert found.outputs["looks"] == looks.reads
    check_recording(b, plan, found)
    b.check()
    goes_on(b)


@pytest.mark.wide
@pytest.mark.parametrize("mode, sectors, more", [
    (FIXED, 300, {"words": SECTOR_WORDS * 170 + 3}), (FIXED, 200, {"ahead": 65536}),
    (UNTIL_STOPPED, 180, {"stop": SECTOR_WORDS * 150}), (UNTIL_STOPPED, 90, {})])
def test_once(bench, mode, sectors, more):
    """What is filled once has all of it, to the end of the recording."""
    b = bench_of(bench)
    plan = Plan(mode, 1000, sectors, position=7, hold=SLOW, **more)
    found, looks = looking(b, plan, seed=sectors, least=5)
    assert found.outputs["error"] == Error.NONE and found.outputs["recording_oldest"] == 0
    b.check()


@pytest.mark.wide
def test_segments(bench):
    """Those of the segment that is recorded; those of an earlier one are GONE."""
    b = bench_of(bench)
    plan = Plan(TRIGGERED, 100, 240, words=SECTOR_WORDS * 20, part=60, chunk=8, segments=4, hold=SLOW,
                triggers=tuple((SECTOR_WORDS * n, 3) for n in (90, 200, 330, 480)))
    found, looks = looking(b, plan, seed=5, least=25, margin=70)
    assert found.outputs["error"] == Error.NONE and len(found.segments) == 4
    check_recording(b, plan, found)
    b.check()


def test_a_look_over_the_end_of_the_ring_is_read_in_two_parts(bench):
    """Between them comes a write command."""
    b = bench_of(bench, fis_log=True)
    begun(b, hold=Hold(40, 200), clocks=60_000)
    while not 4 < b.engine.output("recording_newest") % 64 < 20:
        b.run(100)
    end = b.engine.output("recording_newest") // 64 * 64
    before = codes(b).count("R")
    look(b, end - 5, 7)
    ended(b, READY)
    assert shown(b, 7) == [1 + SECTOR_WORDS * (end - 5) + n for n in range(SECTOR_WORDS * 7)]
    assert codes(b).count("R") - before == 2 and codes(b).rstrip("W").endswith("R") and "RWR" in codes(b)
    reads = [(one.lba, one.sectors) for one in b.drive.completed if one.command == 0x25]
    assert reads == [(159, 5), (100, 2)] and b.outputs()["looks"] == 1
    over(b)


def test_states(bench):
    """Without a recording, in its start, after its stop, of sectors that are not there, of a count that is
    none; withdrawn."""
    b = bench_of(bench)
    assert b.outputs()["look_state"] == IDLE
    look(b, 0, 1)
    ended(b, GONE)
    for count in 0, 17, 64, 127:
        look(b, 0, count)
        assert b.outputs()["look_state"] == OUT_OF_RANGE
    b.engine.source(Numbers(), hold=SLOW)
    b.engine.set(recording_mode=RING)
    b.start(Operation.RECORD, 100, 64)
    b.run(4)
    look(b, 0, 1)
    ended(b, GONE, 3)
    b.run(400)
    look(b, 0, 1)       # nothing is recorded yet
    ended(b, GONE, 20)
    b.run(30_000)
    newest, oldest = b.engine.output("recording_newest"), b.engine.output("recording_oldest")
    for sector, count, state in ((newest - 1, 1, READY), (newest - 1, 2, GONE), (newest, 1, GONE),
                                 (oldest - 1, 16, GONE), (newest - 16, 16, READY), ((1 << 48) - 1, 16, GONE),
                                 (0, 16, GONE)):
        look(b, sector, count)
        ended(b, state)
    look(b, newest, 1, room=513)
    b.run(100)
    look(b, b.engine.output("recording_newest") - 1, 1, room=513)
    b.run(2000)
    assert b.outputs()["look_state"] == WAITS
    b.engine.set(look_stop=1)
    b.run(2)
    assert b.outputs()["look_state"] == IDLE
    look(b, b.engine.output("recording_newest") - 1, 1, room=513)
    b.stop()
    b.run(3)
    assert b.outputs()["look_state"] == GONE
    b.wait(Event.DONE)
    assert b.outputs()["looks"] == 2
    b.check()
    goes_on(b)


def test_what_waits_is_gone_when_the_ring_has_gone_over_it(bench):
    b = bench_of(bench)
    begun(b, hold=Hold())
    look(b, b.engine.output("recording_oldest") + 10, 4, room=513)
    assert b.outputs()["look_state"] == WAITS
    ended(b, GONE)
    over(b)


def test_the_recording_comes_first(bench):
    """With less room than it requires a readback never begins, and costs no clock: the stream takes as long."""
    clocks = []
    for room in None, 513, 400:
        b = bench_of(bench)
        begun(b, hold=Hold(), clocks=3000)
        if room is not None:
            look(b, b.engine.output("recording_newest") - 1, 1, room)
        while b.engine.state().taken < SECTOR_WORDS * 60:
            b.run(1)
        assert b.outputs()["look_state"] == (IDLE if room is None else WAITS)
        clocks.append(b.engine.state().cycle)
        assert "R" not in codes(b)
        over(b)
    assert len({*clocks}) == 1, clocks


@pytest.mark.wide
@pytest.mark.parametrize("core, room", [(CORE, 100), (CORE, 250), (CORE, 400), (CORE, 512), (REPLAYS, 1700)])
def test_room(bench, core, room):
    """In the clock in which a readback begins the buffer has room for this many words, but for the two latest; with
    those that it has kept for a replay."""
    b = bench_of(bench, core)
    begun(b, hold=Hold(40, 220))
    reads, levels = 0, []
    for _ in range(40_000):
        state = b.engine.output("look_state")
        if state == READS and not reads:
            taken = b.engine.state().taken
            b.run(8)        # until the command before is told to be done
            levels.append(taken - SECTOR_WORDS * b.engine.output("recording_newest"))
        reads = state == READS
        if state not in (READS, WAITS):
            look(b, b.engine.output("recording_newest") - 3, 3, room)
        else:
            b.run(1)
    assert len(levels) > 10 or room == 512
    assert all(core["buffer_words"] - level >= room - 3 for level in levels), levels
    over(b)


@pytest.mark.parametrize("after", short([0, 1, 2, 3, 5, 8, 20, 60, 100, 150, 250, 400, 600], [0, 3, 60, 150]))
def test_a_stop_meanwhile(bench, after):
    """The look ends, and is READY, or GONE if it had not begun; the recording is what it is without."""
    b = bench_of(bench)
    begun(b)
    look(b, b.engine.output("recording_newest") - 4, 4)
    b.run(after)
    state = b.engine.output("look_state")
    taken = b.engine.state().taken
    b.stop()
    b.wait(Event.DONE)
    outputs = b.outputs()
    assert outputs["error"] == Error.NONE and outputs["words"] in (taken, taken + 1)
    assert outputs["look_state"] in ((READY, GONE) if state == WAITS else (READY,))
    assert outputs["recording_newest"] == -(-outputs["words"] // SECTOR_WORDS)
    b.check()
    goes_on(b)


@pytest.mark.parametrize("early", [0, 1, 2])
def test_a_look_in_the_clock_of_done(bench, early):
    """Is GONE; one clock after the start of the next recording, too."""
    b = bench_of(bench)
    begun(b)
    b.stop()
    b.wait(Event.DONE)
    clocks, taken = b.engine.state().cycle, b.engine.state().taken
    b = bench_of(bench)
    begun(b)
    b.stop()
    b.run(clocks - 1 - early - b.engine.state().cycle)
    b.engine.set(look_start=1, look_sector=3, look_count=2, start=early == 0)
    b.run(1 + early)
    assert b.outputs()["done"]
    b.run(3)
    assert b.outputs()["look_state"] == GONE
    if not early:
        assert b.outputs()["busy"]
        b.run(20_000)
        newest = b.engine.output("recording_newest")
        look(b, newest - 2, 2)
        ended(b, READY)
        first = 1 + taken + SECTOR_WORDS * (newest - 2)
        assert shown(b, 2) == [*range(first, first + 2 * SECTOR_WORDS)] and b.outputs()["looks"] == 1


def test_the_next_one_waits_for_the_end_of_the_one_that_is_read(bench):
    """It replaces none that is read; it is withdrawn alone."""
    b = bench_of(bench)
    begun(b)
    for withdrawn in False, True:
        looks, newest = b.engine.output("looks"), b.engine.output("recording_newest")
        look(b, newest - 6, 6)
        while b.engine.output("look_state") != READS:
            b.run(1)
        b.run(30)
        look(b, newest - 2, 2)
        assert b.engine.output("look_state") == READS
        if withdrawn:
            b.engine.set(look_stop=1)
        b.run(1)
        ended(b, IDLE if withdrawn else READY)
        assert b.engine.output("looks") == looks + 1 + (not withdrawn)
        first = 1 + SECTOR_WORDS * (newest - 2)
        assert withdrawn or shown(b, 2) == [*range(first, first + 2 * SECTOR_WORDS)]
    look(b, 0, 2)
    b.engine.set(look_start=1, look_count=0)
    b.run(2)
    assert b.outputs()["look_state"] == OUT_OF_RANGE
    over(b)


@pytest.mark.wide
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_any_recording_on_hostile_drives(bench, seed):
    rng = random.Random(seed)
    b = bench(connect(behaviour=Behaviour.random(seed), seed=seed), **CORE)
    mode = rng.choice([*RecordingMode])
    sectors = rng.randrange(8, 90)
    stop = SECTOR_WORDS * 200 if mode in (RING, UNTIL_STOPPED) else None
    plan = Plan(mode, rng.randrange(1, 5000), sectors, part=rng.randrange(8, sectors + 1), chunk=4,
                words=rng.randrange(1, 4000) if mode == TRIGGERED else 0, segments=3,
                position=rng.choice([0, rng.randrange(sectors)]) if mode != TRIGGERED else 0,
                ahead=rng.choice([0, 2]), stop=stop, flush=rng.random() < 0.5,
                triggers=tuple((rng.randrange(9000), 1) for _ in range(4)) if mode == TRIGGERED else (),
                hold=rng.choice([Hold(1, 1), Hold(3, 5), Hold(100, 700)]), base=rng.randrange(1 << 31))
    if mode == TRIGGERED:
        plan.stop = 14_000
    found, looks = looking(b, plan, seed=seed, least=0, stops=True, room=300)
    assert found.outputs["error"] in (Error.NONE, Error.OUT_OF_RANGE), Error(found.outputs["error"])
    if plan.ahead == 0 and found.outputs["error"] == Error.NONE:
        check_recording(b, plan, found)
    assert not looks.found[FAILED.name]
    b.check()


@pytest.mark.wide
@pytest.mark.parametrize("options, between", short([
    (BETWEEN, "T"), ({"smart_commands": 1}, "S"), ({"flush_commands": 1}, "F")], [(BETWEEN, "T")]))
def test_a_look_is_not_kept_out(bench, options, between):
    """Where something is due after each write command it comes after that."""
    b = bench_of(bench, CORE | options, unit={"health": Health()})
    if "trim_ahead" in options:
        b.engine.set(trim_ahead=2)
    begun(b, sectors=39, hold=Hold())
    assert f"W{between}W" in codes(b) and "WW" not in codes(b)[10:]
    for _ in range(5):
        look(b, b.engine.output("recording_newest") - 2, 2)
        ended(b, READY)
    assert "WR" not in codes(b) and codes(b).count("R") == 5
    over(b)
