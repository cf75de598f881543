"""A ring and triggered segments as files: the whole core with the drive model, word by word."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from integration.files_modes import (RING_SECTORS, check_ring, check_segments, record_mode,
                                     triggered)
from integration.files_station import CACHES, Station, moments, recorded_next
from sata_drive_model import Fault

from sata_recorder.interface.file import FileError
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import Drive, prepare, verify

pytestmark = pytest.mark.wide

RING = RecordingMode.RING
#: Inputs of a recording, the words after which it is stopped, and the sectors of its slot.
RECORDINGS = pytest.mark.parametrize("options, stop, sectors", [
    ({"mode": RING}, 5000, 24), (triggered(), 11_000, 80)], ids=["ring", "segments"])
MANY = [HealthCheck.function_scoped_fixture]


@pytest.fixture
def prepared(tmp_path_factory):
    """``prepared(slots, sectors)``: the content of a prepared disk."""
    def prepared(slots=3, sectors=RING_SECTORS):
        path = tmp_path_factory.getbasetemp() / "modes.img"
        prepare(path, sectors=4096, recordings=slots, align=4096, recording_bytes=512 * sectors,
                overwrite=True)
        return path.read_bytes()
    return prepared


@settings(suppress_health_check=MANY, max_examples=settings().max_examples // 12)
@given(stops=st.lists(st.one_of(st.integers(1, 5 * 128 * RING_SECTORS),
                                st.integers(15, 18).map(lambda n: 128 * n)),
                      min_size=1, max_size=2),
       offers=st.sampled_from([1, 0.6]), seed=st.integers(0, 99))
def test_any_ring(prepared, seen, stops, offers, seed):
    """Stopped at any word, before the first lap is full or after several."""
    station = Station(prepared(), modes=True, offers=offers, seed=seed)
    found = []
    for stop in stops:
        assert station.find_slot()
        found.append(record_mode(station, stop=stop, seed=stop, mode=RING))
        assert found[-1].error == FileError.NONE
        assert stop <= len(found[-1].data) // 4 <= stop + 1
    station.find_slot()
    drive = seen(station.image.content)
    for number, taken in enumerate(found, 1):
        check_ring(drive, number, taken, RING_SECTORS)
    assert station.violations() == []


@pytest.mark.quick
@pytest.mark.parametrize("words", [1000, 2048, 4999])
def test_a_ring_ends_with_a_last_word(prepared, seen, words):
    station = Station(prepared(), modes=True)
    assert station.find_slot()
    station.rng.seed(words)
    taken = record_mode(station, stop=words, last=True, mode=RING)
    assert (taken.error, len(taken.data)) == (FileError.NONE, 4 * words)
    check_ring(seen(station.image.content), 1, taken, RING_SECTORS)


@pytest.mark.quick
@pytest.mark.parametrize("extend", [0, 1])
def test_triggers_with_pre_roll(prepared, seen, extend):
    """Three segments; the second trigger comes after the first one's, the fourth between two."""
    station = Station(prepared(2, 160), modes=True)
    assert station.find_slot()
    taken = record_mode(station, triggers=(9000, 9300, 14_000, 14_730, 23_000),
                        **triggered(segments=3, extend=extend))
    assert taken.error == FileError.NONE and len(taken.hits) >= 3
    recording = check_segments(seen(station.image.content), 1, taken, extend=extend)
    assert recording.order.segments == len(recording.segments) == 3
    first = recording.segments[0]
    # The part had been filled: as much as it has room for is there before the trigger.
    assert first.overwritten_words > 0 and first.trigger_offset > 4 * 128 * 20
    assert all(one.entry.is_complete for one in recording.segments)


@pytest.mark.quick
@pytest.mark.sample(2)
@pytest.mark.parametrize("stop", [300, 6000, 9200, 11_000, 16_000])
def test_a_segment_is_stopped(prepared, seen, stop):
    """Before its trigger, after it, between two, and in the second one."""
    station = Station(prepared(2, 160), modes=True)
    assert station.find_slot()
    taken = record_mode(station, triggers=(9000,), stop=stop, **triggered())
    assert taken.error == FileError.NONE and stop <= len(taken.data) // 4 <= stop + 1
    recording = check_segments(seen(station.image.content), 1, taken)
    assert recording.segments[-1].entry.is_complete == (stop == 9900)


@pytest.mark.sample(3)
@pytest.mark.parametrize("interval", [0, 1])
@pytest.mark.parametrize("buffer_words", [512, pytest.param(4096, marks=pytest.mark.long)])
@pytest.mark.parametrize("stop", [3000, 7777])
def test_less_room_than_the_buffer_holds(prepared, seen, stop, buffer_words, interval):
    """A part of 2 sectors, in extents of one, and a ring of 8, below buffers of 4 and of 32: the stream
    waits more, and all is as with more room."""
    station = Station(prepared(2, 8), modes=True, buffer_words=buffer_words)
    assert station.find_slot()
    taken = record_mode(station, stop=stop, triggers=(500, 1500), interval=interval,
                        **triggered(2, chunk=1, words=200))
    assert taken.error == FileError.NONE
    assert station.find_slot()
    ring = record_mode(station, stop=stop, mode=RING, interval=interval)
    assert ring.error == FileError.NONE and station.violations() == []
    station.find_slot()
    drive = seen(station.image.content)
    check_segments(drive, 1, taken, part=2, words=200)
    check_ring(drive, 2, ring, 8)


@settings(suppress_health_check=MANY, max_examples=settings().max_examples // 8)
@given(data=st.data())
def test_any_segments(prepared, seen, data):
    part = data.draw(st.integers(24, 40), "part")
    count = data.draw(st.integers(0, 128 // part), "segments")
    words = data.draw(st.integers(0, 900), "words")
    stop = data.draw(st.integers(1, 30_000), "stop")
    extend = data.draw(st.booleans(), "extend")
    triggers = data.draw(st.lists(st.integers(0, 30_000), max_size=5), "triggers")
    station = Station(prepared(2, 128), modes=True,
                      offers=data.draw(st.sampled_from([1, 0.7]), "offers"))
    assert station.find_slot()
    taken = record_mode(station, triggers=triggers, stop=stop, **triggered(
        part, segments=count, words=words, extend=int(extend)))
    assert taken.error == FileError.NONE
    check_segments(seen(station.image.content), 1, taken, part=part, words=max(words, 1),
                   extend=extend)


@RECORDINGS
def test_failures(prepared, seen, options, stop, sectors):
    """The link falls in the middle, or while the file is made: what is said to be there is
    there, in its order."""
    triggers = (9000,) if "part" in options else ()
    clean = Station(prepared(2, sectors), modes=True)
    assert clean.find_slot()
    begin = clean.clocks
    record_mode(clean, stop=stop, triggers=triggers, **options)
    rng, kinds, files = random.Random(stop), set(), 0
    clocks = [rng.randrange(begin + 2000, clean.clocks - 4500) for _ in range(3)]
    for clock in (*clocks, clean.clocks - 700):
        station = Station(prepared(2, sectors), modes=True)
        station.port.inject([Fault(kind="link_loss", clock=clock, clocks=50)])
        assert station.find_slot()
        taken = record_mode(station, stop=stop, triggers=triggers, **options)
        kinds.add(taken.error)
        if not station.get("bytes"):
            continue
        drive = seen(station.image.content)
        recording = drive.find(1)
        for one in recording.segments:
            read = drive.read(recording, segment=one.number if "part" in options else None)
            begin = 4 * one.first_word
            assert read.tobytes() == taken.data[begin:begin + one.bytes]
        assert verify(drive).problems == []
        files += 1
    # A drive that comes back may have lost its cache.
    assert kinds <= {FileError.NONE, FileError.CUT_SHORT, FileError.CUT_IN_DOUBT}
    assert FileError.CUT_IN_DOUBT in kinds and files > 2


@RECORDINGS
@pytest.mark.parametrize("count", [2, pytest.param(120, marks=pytest.mark.long)])
def test_power_cuts(prepared, tmp_path, options, stop, sectors, count):
    """With the cache kept, lost or half of it: the recording is there, or its slot is free."""
    triggers = (9000,) if "part" in options else ()
    station = Station(prepared(2, sectors), modes=True,
                      drive={"completion_latency": 40, "activate_latency": 20})
    assert station.find_slot()
    taken = record_mode(station, stop=stop, triggers=triggers, **options)
    station.find_slot()
    whole = station.promises[0][0]
    rng, path, made = random.Random(count), tmp_path / "cut.img", []
    clocks = [*moments(station, count, seed=count), whole - 200, station.clocks - 1]
    for n, clock in enumerate(clocks):
        content = station.image.cut(clock, CACHES[n % 3], rng)
        path.write_bytes(content)
        with Drive(path) as drive:
            files = [one for one in drive.recordings if one.is_file]
            assert files or clock < whole
            made.append(len(files))
            assert [line for line in drive.problems if "cannot be read" not in line] == []
        if recorded_next(path, content, modes=n % 2 == 0) == 2:
            with Drive(path) as drive:
                for one in drive.find(1).segments:
                    read = drive.read(drive.find(1), segment=one.number if triggers else None)
                    assert read.tobytes() == taken.data[4 * one.first_word:][:one.bytes]
    assert {0, 1} == set(made)
