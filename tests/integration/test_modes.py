"""The modes of a recording, with the whole core and the drive model, word by word."""

import random
import struct

import pytest
from integration.modes import REFUSED, Numbers, Plan, check_recording, check_segments, record
from short import short

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from integration.benches import FAST, CoreBench, clock_of, drive_port

from sata_drive_model import Fault
from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.recording import RecordingMode, RecordingState
from sata_recorder.simulation import Compiled, Event, Hold
from sata_recorder.facts.units import SECTOR_WORDS

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
    """Three segments, each with what was before its trigger, and this many words after it."""
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


@pytest.mark.parametrize("mode, problem, fields", REFUSED)
def test_refused(bench, mode, problem, fields):
    """Before the first word; the next recording is as if nothing had been."""
    b = bench(**CORE)
    found = record(b, Plan(mode, **({"lba": 100, "sectors": 40} | fields)))
    assert (found.outputs["error"], found.accepted) == (problem, 0)
    plan = Plan(RecordingMode.FIXED, 100, 10, words=500)
    found = record(b, plan)
    assert found.outputs["error"] == Error.NONE
    check_recording(b, plan, found)


@pytest.mark.parametrize("stop", [3000, None], ids=["stopped", "by itself"])
@pytest.mark.parametrize("phase", [0, 1])
def test_triggers_count_while_it_runs(bench, phase, stop):
    """Not while it starts, nor while it closes, nor when it is over."""
    b = bench(**CORE)
    engine = b.engine
    engine.source(Numbers())
    engine.set(recording_mode=RecordingMode.TRIGGERED, recording_words=700, recording_part=64, recording_chunk=8,
               recording_segments=2)
    states, counted, closing = set(), 0, 0
    b.start(Operation.RECORD_FLUSH, 100, 200)
    for clock in range(100_000):
        high = clock % 2 == phase
        engine.set(recording_trigger=high, stop=stop is not None and engine.state().taken >= stop)
        engine.run(1)
        state = RecordingState(b.outputs()["recording_state"])
        states.add(state)
        counted += high and state is RecordingState.RUNNING
        closing += state is RecordingState.IDLE
        if closing > 60:
            break
    engine.set(recording_trigger=0)
    assert states == {*RecordingState} and counted > 100
    assert b.outputs()["recording_triggers"] == counted


def any_plan(rng, *, buffer_sectors=BUFFER_SECTORS):
    """Any recording."""
    mode = rng.choice(list(RecordingMode))
    part = rng.randrange(10 * buffer_sectors, 22 * buffer_sectors)
    sectors = rng.choice([part, 3 * part, 4 * part + 7]) if mode == RecordingMode.TRIGGERED else \
        rng.randrange(buffer_sectors, 30 * buffer_sectors)
    length = rng.randrange(1, 60_000)
    triggers = sorted(rng.randrange(length) for _ in range(rng.randrange(6)))
    return Plan(
        mode, rng.randrange(1, 5000), sectors, words=rng.choice([0, rng.randrange(2000)]),
        position=rng.choice([0, rng.randrange(sectors)]) if mode != RecordingMode.TRIGGERED else 0,
        part=part, chunk=rng.randrange(buffer_sectors, 3 * buffer_sectors), segments=rng.randrange(5),
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


def is_cut(found, beat):
    """It has the words accepted before stop, and the ``beat`` of words of its clock if there was one."""
    _, before = found.stopped
    return before <= found.accepted <= before + beat


def check(b, plan, found, *, beat=1):
    """All that is known of a recording without an error, in beats of so many words."""
    assert found.outputs["error"] == Error.NONE
    most = expected_words(plan)
    if most is not None:
        assert found.accepted == most or is_cut(found, beat) and found.accepted < most
    elif plan.mode == RecordingMode.RING:
        assert is_cut(found, beat)
    check_recording(b, plan, found)
    if plan.mode == RecordingMode.TRIGGERED:
        check_segments(plan, found, spill=SECTOR_WORDS * 6 * plan.chunk)
    else:
        segment, = found.segments
        assert (segment["first"], segment["end"]) == (0, found.accepted)


def blank(b, plan):
    """Nothing is on the disk where the plan writes, nor around it."""
    b.image.write(512 * (plan.lba - 1), bytes(512 * (plan.sectors + 2)))


@pytest.fixture(scope="module")
def lasting():
    """A bench for all examples of a test: each recording comes after the one before."""
    port = drive_port(seed=1)
    with Compiled(Configuration(**(FAST | CORE)), clock_of(port)) as engine:
        b = CoreBench(engine, port, limit=2_000_000)
        assert b.bring_up()["ready"]
        yield b


@pytest.mark.wide
@settings(max_examples=2 * settings().max_examples,
          suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rng=st.randoms(use_true_random=False))
def test_any_recordings(lasting, rng):
    """Any recordings one after the other: what their model in Python gives."""
    plan = any_plan(rng)
    blank(lasting, plan)
    check(lasting, plan, record(lasting, plan))
    lasting.check()


#: With room to keep the words of a command until it has been completed.
RETAINING = CORE | {"buffer_words": 4096, "retain_sectors": 8, "retries": 50}


@pytest.mark.wide
@pytest.mark.parametrize("piece", short([*range(12)], [0, 1]))
def test_faults_in_any_recording(bench, piece):
    """The link is lost and commands fail in the middle of each: the words are those of the model."""
    rng = random.Random(f"faults {piece}")
    b = bench(seed=piece, **RETAINING)
    struck = 0
    for _ in range(8):
        plan = any_plan(rng, buffer_sectors=32)
        blank(b, plan)
        b.port.inject([Fault(kind="link_loss", clock=rng.randrange(1, 40_000),
                             clocks=rng.randrange(1, 300)) for _ in range(3)])
        b.behaviour.reject_command = rng.randrange(4)
        found = record(b, plan)
        struck += found.outputs["retries"]
        check(b, plan, found)
        b.port.clear_faults()
        b.behaviour.reject_command = 0
        b.run(20_000)       # the link may be lost still
    assert struck


@pytest.mark.parametrize("mode", [RecordingMode.FIXED, RecordingMode.UNTIL_STOPPED,
                                  RecordingMode.RING])
def test_power_cycles(bench, mode):
    """Three recordings, power away between them: each continues where the one before ended."""
    image, position, kept = None, 0, []
    for number, words in enumerate((3000, 77, 5001)):
        port = drive_port(sectors=2048)
        if image is not None:
            port.drive.image = image
        b = bench(port, **CORE)
        assert b.outputs()["recording_time"] < 100_000, "power was away"
        image = b.image
        plan = Plan(mode, 100, 120, words=words if mode == RecordingMode.FIXED else 0,
                    stop=None if mode == RecordingMode.FIXED else words, position=position,
                    flush=True, base=1 + (number << 20))
        found = record(b, plan)
        check(b, plan, found)
        kept.append((plan, position, found.accepted))
        position += found.outputs["recording_newest"]
    for plan, begin, accepted in kept:
        sectors = -(-accepted // SECTOR_WORDS)
        words = struct.unpack(f"<{SECTOR_WORDS * sectors}I",
                              image.read_sectors(plan.lba + begin, sectors))
        assert words[:accepted] == tuple(range(plan.base, plan.base + accepted))
        assert not any(words[accepted:])


def test_segments_over_power_cycles(bench):
    """Three segments, power away between them: each in its part, with the words before its trigger."""
    image, plans = None, []
    for number, hit in enumerate((5000, 12_345, 40_000)):
        port = drive_port(sectors=2048)
        if image is not None:
            port.drive.image = image
        b = bench(port, **CORE)
        image = b.image
        plan = Plan(RecordingMode.TRIGGERED, 100 + 64 * number, 64, words=700, part=64, chunk=8,
                    triggers=((hit, 0),), flush=True, base=1 + (number << 20))
        found = record(b, plan)
        segment, = found.segments
        assert segment["flags"] & 3 == 3 and segment["trigger"] == found.hits[0][0]
        assert found.accepted == segment["end"] == segment["trigger"] + 700
        plans.append((plan, segment))
    for plan, segment in plans:
        # The latest 64 sectors of each are there, whatever came after it.
        last = -(-segment["end"] // SECTOR_WORDS)
        for sector in range(max(0, last - 64), last):
            words = struct.unpack("<128I", image.read_sectors(plan.lba + sector % 64, 1))
            first = SECTOR_WORDS * sector
            assert words == tuple(plan.base + n if n < segment["end"] else 0
                                  for n in range(first, first + SECTOR_WORDS))


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.FLUSH])
def test_a_start_in_the_clock_of_done(bench, operation):
    """No start is lost where busy is low: nothing is chained more tightly."""
    def begin():
        b = bench(**CORE)
        b.engine.source(Numbers())
        b.engine.set(recording_mode=RecordingMode.FIXED, recording_words=100)
        b.start(Operation.RECORD, 100, 10)
        return b

    b = begin()
    first = b.engine.state().cycle
    assert b.engine.run(100_000, Event.DONE)
    clocks = b.engine.state().cycle - first
    b = begin()
    assert not b.engine.run(clocks - 1, Event.DONE)
    b.engine.set(start=1, operation=operation, lba=200, sectors=10)
    assert b.engine.run(1, Event.DONE)
    assert b.engine.run(100_000, Event.DONE) and b.outputs()["error"] == Error.NONE
    if operation == Operation.RECORD:
        assert b.image.read(512 * 200, 400) == Numbers().read(100, 100)


#: Clocks of a friendly drive for a command beside its payload, and for what follows the last one.
COMMAND_CLOCKS, END_CLOCKS = 160, 5 + 69


@pytest.mark.sample(3)
@pytest.mark.parametrize("ahead", [0, 3])
@pytest.mark.parametrize("mode", list(RecordingMode))
def test_from_stop_to_done(bench, mode, ahead):
    """What is written after stop is the command in flight and what the buffer holds, at most; in
    each mode, wherever the stop comes. The clocks are those of these sectors and commands."""
    b = bench(**CORE)
    rng = random.Random(f"stop {mode} {ahead}")
    longest = min(BUFFER_SECTORS + ahead, CORE["max_command_sectors"])
    for _ in range(6):
        sectors = rng.randrange(40, 60)
        stop = rng.randrange(1, 35 * SECTOR_WORDS * (4 if mode.value > 1 else 1))
        plan = Plan(mode, 100, sectors, part=sectors, chunk=rng.randrange(4, 9), stop=stop,
                    ahead=ahead, position=0 if mode == RecordingMode.TRIGGERED else 3,
                    hold=rng.choice([Hold(), Hold(3, 1), Hold(40, 300)]))
        blank(b, plan)
        seen = []
        found = record(b, plan, at_stop=lambda: seen.append(b.outputs()["sectors_done"]))
        check_recording(b, plan, found)
        written = found.outputs["sectors_done"] - seen[0]
        assert written <= longest + BUFFER_SECTORS + 1
        # The command in flight; what is left, and a boundary or two in it.
        commands = 1 + -(-(written - 1) // longest) + 2
        clocks = found.done - found.stopped[0]
        assert clocks <= written * SECTOR_WORDS * 1.02 + commands * COMMAND_CLOCKS + END_CLOCKS


def test_a_start_while_a_command_runs_changes_nothing(bench):
    """Its data still pass, whatever was to be started."""
    b = bench(**CORE, commands=True)
    data = random.Random(1).randbytes(512 * 8)
    b.engine.set(task_operation=1, task_command=0x35, task_count=8, task_device=0x40, task_features=0, task_pio=0)
    b.engine.source(data, hold=Hold(1, 20))
    b.start(Operation.RECORD, 100, 8)
    b.run(1000)
    b.engine.set(task_operation=0)
    for operation in (Operation.PLAY, Operation.FLUSH, Operation.RECORD):
        assert b.outputs()["busy"]
        b.engine.set(start=1, operation=operation, lba=0, sectors=1)
        b.run(300)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == 0 and b.image.read_sectors(100, 8) == data
    b.check()
