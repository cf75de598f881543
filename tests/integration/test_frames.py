"""Recordings in frames: the whole core with the drive model, and what a reader finds on the drive."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from integration.framed import CORE, PAYLOAD, SECTORS, check, good, on_drive
from integration.modes import Numbers
from integration.small import content
from short import short

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event, Hold


@pytest.mark.parametrize("sectors", [1, 2, 16, 17, 18, 50])
def test_a_length(bench, sectors):
    """As many frames as have room, and the end: what was taken is there."""
    b = bench(**CORE)
    b.engine.set(frame_enable=1, frame_stream_id=7)
    outcome = b.record(Numbers(5), 100, sectors)
    used = (sectors - 1) // SECTORS * SECTORS + 1
    outputs = b.outputs()
    assert outcome.error == Error.NONE and outputs["sectors_done"] >= used
    words = check(on_drive(b, 100, used), Numbers(5), 7)
    assert words == (sectors - 1) // SECTORS * PAYLOAD == outcome.taken
    assert (outputs["frame_offered"], outputs["frame_kept"], outputs["frame_lost"]) == (words, words, 0)
    b.check()


@pytest.mark.wide
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**31))
def test_a_stop_at_any_word(bench, seed):
    """With and without frames, one after the other."""
    rng = random.Random(seed)
    b = bench(**CORE)
    for number in range(3):
        stop, framed = rng.randrange(6000), rng.random() < 0.7
        b.engine.set(frame_enable=framed, frame_stream_id=number)
        outcome = b.record(Numbers(seed), 100, 400, stop_after=stop,
                           hold=rng.choice([Hold(), Hold(90, 40)]), flush=rng.random() < 0.5)
        assert outcome.outputs["error"] == Error.NONE
        assert stop <= outcome.taken <= stop + 1
        done = b.outputs()["sectors_done"]
        if framed:
            assert check(on_drive(b, 100, done), Numbers(seed), number) == outcome.taken
            assert b.outputs()["frame_kept"] == b.outputs()["frame_offered"] == outcome.taken
        else:
            found = on_drive(b, 100, done).read(0, 4 * outcome.taken)
            assert found == Numbers(seed).read(0, outcome.taken)
        b.check()


@pytest.mark.parametrize("options", short([{}, {"extents": "modes"}], [{}]))
def test_what_else_there_is_passes(bench, options):
    """`frame_enable` is about recordings only."""
    b = bench(**CORE, **options)
    data = content(1, 30)
    assert b.record(data, 40).error == Error.NONE
    b.engine.set(frame_enable=1)
    assert b.play(40, 30).data == data
    assert b.flush().error == Error.NONE
    # WRITE DMA EXT
    done = b.command(Operation.RECORD, lba=50, data=data[:1024], command=0x35, count=2)
    assert done.error == Error.NONE and b.image.read_sectors(50, 2) == data[:1024]
    b.check()


@pytest.mark.wide
def test_a_source_that_cannot_wait(bench):
    """The drive is slow: what is lost is told by the frames, and nothing else is."""
    b = bench(**CORE, on_overflow="drop", completion_latency=9000)
    outcome = b.record(Numbers(1), 100, 300, stop_after=60_000)
    outputs = b.outputs()
    assert outcome.outputs["error"] == Error.NONE and outcome.clocks > 60_000
    assert outputs["frame_offered"] == outcome.taken
    assert outputs["frame_lost"] == outcome.taken - outputs["frame_kept"] > 5000
    found = good(on_drive(b, 100, outputs["sectors_done"]))
    assert sum(frame.words for frame in found) == outputs["frame_kept"]
    assert sum(frame.gap_ahead for frame in found) >= 2 and found[-1].last
    for frame in found:
        assert frame.payload == Numbers(1).read(frame.first, frame.words)
    assert found[-1].first == outcome.taken
    assert outputs["dropped"] == outputs["frame_lost"] and not outputs["held_cycles"]
    # The source gives a word a clock: each one is counted.
    assert len({frame.clock - frame.first for frame in found[:-1]}) == 1


@pytest.mark.wide
@pytest.mark.parametrize("sectors", [62, 63, 77, 104, 129])
def test_a_length_with_gaps(bench, sectors):
    """Frames that gaps have cut leave room for others; meanwhile each word is counted, too."""
    b = bench(**CORE, on_overflow="drop", completion_latency=9000)
    outcome = b.record(Numbers(1), 100, sectors)
    found = good(on_drive(b, 100, sectors))
    assert found[-1].last and sectors - SECTORS <= found[-1].end // 512 <= sectors
    assert len({frame.clock - frame.first for frame in found[:-1]}) == 1
    outputs = b.outputs()
    assert outputs["frame_offered"] == outcome.taken == outputs["frame_kept"] + outputs["frame_lost"]


@pytest.mark.parametrize("first, then", [(400, 33), (33, 400)])
def test_a_start_in_the_clock_of_done(bench, first, then):
    """What ended the recording before does not end this one."""
    stops = 3000 if first == 400 else None
    for late in None, -1, 0:
        b = bench(**CORE)
        b.engine.set(frame_enable=1, frame_stream_id=1)
        b.engine.source(Numbers(1))
        b.start(Operation.RECORD, 100, first)
        b.engine.run(3000)
        if stops:
            b.engine.set(stop=1)
        if late is None:
            begin = b.engine.state().cycle
            b.wait(Event.DONE)
            clocks = b.engine.state().cycle - begin
            continue
        b.engine.run(clocks + late)
        assert b.outputs()["done"] == (late == 0)
        b.engine.set(frame_stream_id=2)
        b.engine.source(Numbers(7), mark=5000)
        b.start(Operation.RECORD, 1000, then)
        if late:
            # The recorder itself is still busy then, and a start is ignored.
            assert b.engine.run(20_000, Event.DONE) and not b.engine.run(2000, Event.DONE)
            continue
        if then == 400:
            b.engine.run(20_000, Event.SOURCE)
            b.engine.set(stop=1)
        b.engine.run(1)
        b.wait(Event.DONE)
        words = check(on_drive(b, 1000, then), Numbers(7), 2)
        assert words == b.engine.state().taken == b.outputs()["frame_kept"] >= 2 * PAYLOAD


@pytest.mark.wide
def test_a_stop_in_the_clock_of_start_behind_an_error(bench):
    """It is ignored, and the room is that of this recording."""
    b = bench(**CORE, retries=0)
    b.behaviour.fail_lba, b.behaviour.fail_times = 140, 1
    b.engine.set(frame_enable=1, frame_stream_id=1)
    assert b.record(Numbers(1), 100, 200).error == Error.DRIVE_ERROR
    b.engine.set(frame_stream_id=2, stop=1)
    outcome = b.record(Numbers(1), 1000, 28)
    assert check(on_drive(b, 1000, 28), Numbers(1), 2) == outcome.taken == PAYLOAD


def test_a_refused_recording_takes_no_word(bench):
    b = bench(**CORE)
    b.engine.set(frame_enable=1)
    outcome = b.record(Numbers(1), 1 << 47, 400)
    assert (outcome.error, outcome.taken) == (Error.OUT_OF_RANGE, 0)


@pytest.mark.wide
def test_an_error_and_the_next_recording(bench):
    """What had not gone to the drive is not counted as kept; the next recording has no word of it."""
    b = bench(**CORE, retries=0)
    b.behaviour.fail_lba, b.behaviour.fail_times = 130, 1
    b.engine.set(frame_enable=1, frame_stream_id=1)
    outcome = b.record(Numbers(1), 100, 200)
    outputs = b.outputs()
    assert outcome.error == Error.DRIVE_ERROR
    assert 0 < outputs["frame_kept"] < outputs["frame_offered"] == outcome.taken
    assert check(on_drive(b, 100, outputs["sectors_done"]), Numbers(1), 1, end=False) \
        <= outputs["frame_kept"]
    b.engine.set(frame_stream_id=2)
    outcome = b.record(Numbers(9), 100, 50)
    assert outcome.error == Error.NONE
    assert check(on_drive(b, 100, b.outputs()["sectors_done"]), Numbers(9), 2) == outcome.taken


def test_the_first_word(bench):
    """It is taken a clock later than without frames."""
    b, clocks = bench(**CORE), []
    for framed in 0, 1:
        b.engine.set(frame_enable=framed)
        b.engine.source(Numbers(1))
        b.start(Operation.RECORD, 100, 60)
        begin = b.engine.state().cycle
        while not b.engine.state().taken:
            b.run(1)
        clocks.append(b.engine.state().cycle - begin)
        b.wait(Event.DONE)
    assert clocks[1] == clocks[0] + 1
