"""Recordings in frames: the whole core with the drive model, and what a reader finds on the drive."""

import random
import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from integration.benches import FAST, Bench, drive_port, port_of
from integration.files_station import CACHES, LoggedImage
from integration.modes import Numbers, Plan, check_recording
from integration.modes import record as record_plan
from integration.small import content
from short import short
from sata_drive_model import Drive

from sata_recorder.config import Configuration
from sata_recorder.drive_port import Error, Operation
from sata_recorder.files import FileError, FileState
from sata_recorder.recording import RecordingMode
from sata_recorder.recordings import prepare, verify
from sata_recorder.simulation import Compiled, Event, Hold
from sata_recorder.vita49 import AROUND, Lost, Ring, frames
from unit.vita49.framed import Bytes

CORE = {"buffer_words": 512, "max_command_sectors": 8, "frames": True}
#: Of a longest frame.
SECTORS = 16
PAYLOAD = 128 * SECTORS - AROUND
#: Clocks in which whatever it is has happened.
_PATIENCE = 4_000_000


def on_drive(b, lba, sectors):
    return Bytes(b.image.read_sectors(lba, sectors))


def good(source):
    """The frames of ``source``, behind which there may be something else."""
    found = list(frames(source))
    if isinstance(found[-1], Lost):
        found.pop()
    return found


def check(source, words, stream_id, *, end=True):
    """The frames of ``source`` have words 0 on of the producer ``words``, and no gap; how many words
    they have."""
    found = good(source)
    assert {frame.stream_id for frame in found} == {stream_id}
    assert [frame.count for frame in found] == [n % 4096 for n in range(len(found))]
    assert [frame.last for frame in found] == [False] * (len(found) - 1) + [end]
    behind = 0
    for frame in found:
        assert frame.first == behind and not frame.gap_ahead
        assert frame.payload == words.read(frame.first, frame.words)
        behind = frame.behind
    return behind


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


@pytest.mark.parametrize("options", short([{}, {"extents": "modes"}, {"commands": True}],
                                          [{"commands": True}]))
def test_what_else_there_is_passes(bench, options):
    """`frame_enable` is about recordings only."""
    b = bench(**CORE, **options)
    data = content(1, 30)
    assert b.record(data, 40).error == Error.NONE
    b.engine.set(frame_enable=1)
    assert b.play(40, 30).data == data
    assert b.flush().error == Error.NONE
    if "commands" in options:
        # WRITE DMA EXT
        done = b.command(Operation.RECORD, lba=50, data=data[:1024], command=0x35, count=2)
        assert done.error == Error.NONE and b.image.read_sectors(50, 2) == data[:1024]
    b.check()


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


@pytest.mark.parametrize("stop, sectors", [(100, 80), (30_000, 80), (19_000, 75), (30_000, 75)])
def test_a_ring(bench, stop, sectors):
    """The newest frames are there, up to the end; one of them is across that of the ring."""
    b = bench(**CORE, extents="modes")
    b.engine.set(frame_enable=1, recording_mode=RecordingMode.RING)
    outcome = b.record(Numbers(1), 100, sectors, stop_after=stop)
    assert outcome.error == Error.NONE
    ring = Ring(on_drive(b, 100, sectors), 0, 512 * sectors)
    assert ring.newest.last and ring.newest.first == outcome.taken
    kept = [frame for frame in frames(ring) if not isinstance(frame, Lost)]
    for before, after in zip(kept, kept[1:]):
        assert before.behind == after.first
    for frame in kept:
        assert frame.payload == Numbers(1).read(frame.first, frame.words)
    assert kept[-1].behind == outcome.taken and kept[0].first <= max(0, stop - 3 * PAYLOAD)


@pytest.mark.parametrize("sectors", [400, 75])
def test_power_cuts(bench, sectors):
    """At any moment, with the cache kept, lost, or half of it: each whole frame is found, no other
    one is, and the newest is the newest."""
    image = LoggedImage(bytes(512 * sectors))
    image.clock_of = lambda: len(image.log)
    b = bench(port_of(Drive(image)), configuration=Configuration(**FAST, **CORE, extents="modes"))
    b.engine.set(frame_enable=1, recording_mode=RecordingMode.RING)
    taken = b.record(Numbers(1), 0, sectors, stop_after=30_000).taken
    rng = random.Random(sectors)
    seen = set()
    for number in range(60):
        cut = rng.randrange(len(image.log))
        ring = Ring(Bytes(image.cut(cut, CACHES[number % 3], rng)), 0, 512 * sectors)
        found = [frame for frame in frames(ring) if not isinstance(frame, Lost)]
        for frame in found:
            assert frame.payload == Numbers(1).read(frame.first, frame.words)
        if CACHES[number % 3] == "kept":
            written = sum(len(data) for _, _, data in image.log[:cut + 1]) // 512
            whole = min(written // SECTORS * PAYLOAD, taken // PAYLOAD * PAYLOAD)
            assert max((frame.behind for frame in found), default=0) >= whole
            assert len(found) >= min(written, sectors) // SECTORS - 2
            assert ring.newest is None or ring.newest.behind >= whole
            seen.add(whole)
        elif CACHES[number % 3] == "lost":
            assert not found        # nothing was flushed
    assert len(seen) > 5


@pytest.mark.parametrize("words, sectors, used", [(0, 40, 33), (20 * 128 + 5, 40, 17),
                                                  (4000 * 128, 40, 33)])
def test_fixed_words(bench, words, sectors, used):
    """`recording_words` are words of the frames, too."""
    b = bench(**CORE, extents="modes")
    b.engine.set(frame_enable=1, recording_mode=RecordingMode.FIXED, recording_words=words)
    outcome = b.record(Numbers(1), 100, sectors)
    assert outcome.error == Error.NONE and b.outputs()["sectors_done"] == used
    assert check(on_drive(b, 100, used), Numbers(1), 0) == outcome.taken == used // SECTORS * PAYLOAD


@pytest.mark.parametrize("mode, words, used", [
    (RecordingMode.FIXED, 0, 33), (RecordingMode.FIXED, 20 * 128, 17),
    (RecordingMode.FIXED, 45 * 128, 33), (RecordingMode.UNTIL_STOPPED, 0, 33)])
def test_a_position(bench, mode, words, used):
    """What is ahead of it is no room."""
    b = bench(**CORE, extents="modes")
    b.engine.set(frame_enable=1, recording_mode=mode, recording_position=10, recording_words=words)
    outcome = b.record(Numbers(1), 100, 50)
    assert outcome.error == Error.NONE
    assert check(on_drive(b, 110, 40), Numbers(1), 0) == outcome.taken == used // SECTORS * PAYLOAD


def test_segments_have_no_frames(bench):
    """A segment would end within one."""
    b = bench(**CORE, extents="modes")
    b.engine.set(frame_enable=1)
    plan = Plan(RecordingMode.TRIGGERED, 100, 40, part=20, chunk=4, words=700, segments=1,
                triggers=((1000, 0),))
    found = record_plan(b, plan)
    assert found.outputs["error"] == Error.NONE
    check_recording(b, plan, found)


@pytest.fixture(params=short([{}, {"extents": "modes"}], [{"extents": "modes"}]))
def filing(request, tmp_path):
    """A bench whose drive is prepared."""
    path = tmp_path / "disk.img"
    prepare(path, sectors=4096, recordings=3, align=16 << 10)
    port = drive_port(sectors=4096)
    port.drive.image.write(0, path.read_bytes())
    configuration = Configuration(**FAST, **CORE, files=True, **request.param)
    with Compiled(configuration, port) as engine:
        for level in 1, 0:
            engine.set(rst=level)
            engine.run(4)
        yield Bench(engine, port)


def wait(b, what):
    for _ in range(_PATIENCE):
        if what(b.engine.outputs()):
            return b.engine.outputs()
        b.engine.run(2)
    raise AssertionError(b.engine.outputs())


def _found(outputs):
    return outputs["file_state"] in (FileState.READY, FileState.FULL)


def test_files(filing, seen):
    """Three files of frames: of a length, until `file_stop`, until the word with the mark."""
    b, engine = filing, filing.engine
    wait(b, _found)
    taken = []
    engine.set(frame_enable=1)
    for number in range(3):
        engine.source(Numbers(number))
        engine.set(frame_stream_id=10 + number, file_length=0 if number else 20 * 512 + 3,
                   file_start=1)
        engine.run(2)
        if number == 1:
            wait(b, lambda _: engine.state().taken >= 3000)
            engine.set(file_stop=1)
        elif number == 2:
            wait(b, lambda _: engine.state().taken >= 700)
            engine.set(s_axis_tlast=1)
            engine.run(40)
            engine.set(s_axis_tlast=0)
        told = wait(b, _found)
        assert told["file_error"] == FileError.NONE and told["file_slot"] == number + 1
        taken.append(engine.state().taken)
        assert told["file_bytes"] % 512 == 0
    assert taken[0] == PAYLOAD
    drive = seen(b.image.read(0, 512 * 4096))
    assert verify(drive).problems == []
    for number, words in enumerate(taken):
        file = Bytes(drive.memmap(drive.find(number + 1)).tobytes())
        assert check(file, Numbers(number), 10 + number) == words
    assert b.violations() == []


def test_a_slot_that_is_full(filing, seen):
    """It ends in the middle of a frame: what was taken and is not there is told."""
    b, engine = filing, filing.engine
    wait(b, _found)
    engine.source(Numbers(1))
    engine.set(frame_enable=1, frame_stream_id=3, file_start=1)
    engine.run(2)
    told = wait(b, _found)
    assert told["file_error"] == FileError.NONE
    drive = seen(b.image.read(0, 512 * 4096))
    found = good(Bytes(drive.memmap(drive.find(1)).tobytes()))
    for frame in found:
        assert frame.payload == Numbers(1).read(frame.first, frame.words)
    words = sum(frame.words for frame in found)
    assert words <= told["frame_kept"] <= words + PAYLOAD
    assert told["frame_kept"] < told["frame_offered"] - told["frame_lost"]
    assert struct.calcsize("I") * told["frame_offered"] > told["file_bytes"]


def test_each_owner_has_its_own_end(filing):
    """What ends a file does not end a recording of the user's with frames, nor the other way round;
    a file that is refused meanwhile changes nothing."""
    b, engine = filing, filing.engine
    wait(b, _found)
    engine.set(frame_enable=1, frame_stream_id=1, file_length=60 * 512, file_start=1)
    engine.source(Numbers(1))
    engine.run(3000)
    engine.set(stop=1)
    told = wait(b, _found)
    assert (told["file_error"], told["file_bytes"]) == (FileError.NONE, 49 * 512)
    engine.set(file_release=1)
    wait(b, lambda outputs: outputs["file_state"] == FileState.RELEASED)
    engine.set(s_axis_tlast=1, frame_stream_id=2)
    engine.source(Numbers(5))
    b.start(Operation.RECORD, 3000, 50)
    engine.run(2000)
    engine.set(file_stop=1)
    engine.run(300)
    engine.set(file_start=1)
    engine.run(2)
    assert engine.outputs()["file_error"] == FileError.RELEASED
    assert engine.run(_PATIENCE, Event.DONE)
    assert check(on_drive(b, 3000, 50), Numbers(5), 2) == 3 * PAYLOAD == engine.state().taken


def test_a_file_that_is_refused_takes_no_word(filing):
    b, engine = filing, filing.engine
    wait(b, _found)
    engine.source(Numbers(1))
    engine.set(frame_enable=1, file_length=1 << 40, file_start=1)
    engine.run(200)
    assert (engine.outputs()["file_error"], engine.state().taken) == (FileError.TOO_LONG, 0)
