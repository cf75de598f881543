"""A ring and segments that are brought up to date while they are recorded: on the whole core, with
the power failing at any moment."""

import random

import pytest
from integration.files_modes import check_ring, check_segments
from integration.files_station import CACHES, CLOCK_HZ, Station, moments, recorded_next
from integration.files_updates import UPDATED, check_update, known_at, updated_run
from sata_drive_model import Fault
from short import short
from unit.bricks.files.world import pattern

from sata_recorder.interface.file import FileError
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import Drive, prepare, verify

KINDS = pytest.mark.parametrize("kind", [*UPDATED])


@pytest.fixture
def prepared(tmp_path_factory):
    """``prepared(sectors)``: the content of a prepared disk with two slots of this many sectors."""
    def prepared(sectors):
        path = tmp_path_factory.getbasetemp() / "updates.img"
        prepare(path, sectors=4096, recordings=2, align=4096, recording_bytes=512 * sectors,
                overwrite=True)
        return path.read_bytes()
    return prepared


@pytest.mark.sample(6)
@KINDS
def test_the_recording_is_as_without(prepared, seen, kind):
    """Each word is there, in its order, and the segments are those of its triggers."""
    station, taken = updated_run(prepared, kind)
    assert taken.error == FileError.NONE and len(station.updates) >= 2
    assert station.violations() == []
    station.find_slot()
    drive = seen(station.image.content)
    if UPDATED[kind].options["mode"] == RecordingMode.RING:
        check_ring(drive, 1, taken, UPDATED[kind].sectors)
        return
    recording = check_segments(drive, 1, taken, words=700 if kind == "segments" else 1)
    assert recording.order.segments == len(recording.segments) >= 3
    entries = [one.entry for one in recording.segments]
    assert all(entry.has_waited for entry in entries[1:-1])


@pytest.mark.wide
def test_an_update_tells_what_the_next_quarter_may_write_over(prepared):
    """And the recording, which does not wrap, is there from its first word on."""
    station, taken = updated_run(prepared, "slow")
    words = station.updates[-1][1]
    assert 128 * 60 < words < len(taken.data) // 4 < 128 * 80


def test_an_update_is_told_by_sectors(prepared):
    """A ring is brought up to date before more than a quarter of it has been written since."""
    station, _ = updated_run(prepared, "ring", interval=60)
    words = [words for _, words, _ in station.updates]
    assert words == [128 * 6 * (n + 1) for n in range(len(words))] and len(words) == 9000 // 768


def test_no_update_without_another_segment(prepared):
    station, _ = updated_run(prepared, "segments")
    assert [segments for *_, segments in station.updates] == [1, 2, 3]


@pytest.mark.wide
@pytest.mark.sample(6)
@KINDS
@pytest.mark.parametrize("count", [4, pytest.param(170, marks=pytest.mark.long)])
def test_power_cuts(prepared, tmp_path, kind, count):
    """With the cache kept, lost or half of it: what was there at the latest update is there, and
    what is there is right; and so it is after the stage has been there again."""
    station, taken = updated_run(prepared, kind)
    station.find_slot()
    rng, path, files = random.Random(count), tmp_path / "cut.img", 0
    clocks = [*moments(station, count, seed=count), *(
        clock + rng.randrange(-400, 4000) for clock, *_ in station.updates[1:count])]
    for n, clock in enumerate(clocks):
        clock = min(clock, station.clocks - 1)
        content = station.image.cut(clock, CACHES[n % 3], rng)
        words, segments = known_at(station, clock)
        path.write_bytes(content)
        with Drive(path) as drive:
            is_file = any(one.is_file for one in drive.recordings)
            assert is_file or not words
            if is_file:
                check_update(drive, kind, taken, words=words, segments=segments)
                files += 1
        if recorded_next(path, content, modes=n % 2 == 0) == 2:
            with Drive(path) as drive:
                check_update(drive, kind, taken, words=words, segments=segments)
    assert files >= count // 2


@pytest.mark.wide
@pytest.mark.parametrize("kind", short([*UPDATED], ["ring"]))
def test_link_losses(prepared, seen, kind):
    """In the middle, and while an update is written."""
    clean, _ = updated_run(prepared, kind)
    begin, end = clean.updates[0][0] - 2500, clean.clocks
    rng, kinds = random.Random(5), set()
    for clock in (clean.updates[1][0] - 300, clean.updates[-1][0] - 1200, rng.randrange(begin, end)):
        station, taken = updated_run(prepared, kind, faults=[
            Fault(kind="link_loss", clock=clock, clocks=50)])
        kinds.add(taken.error)
        if station.get("bytes"):
            check_update(seen(station.image.content), kind, taken)
        # What comes next is not held up by what was given up.
        station.find_slot()
        assert station.record(b"abcd" * 50) == FileError.NONE
        drive = seen(station.image.content)
        assert drive.memmap(drive.find(station.get("slot"))).tobytes() == b"abcd" * 50
        assert verify(drive).problems == []
    assert kinds <= {FileError.NONE, FileError.CUT_SHORT, FileError.CUT_IN_DOUBT,
                     FileError.IN_DOUBT}


@pytest.mark.wide
@pytest.mark.parametrize("logical", [512, 4096])
def test_an_update_is_due_with_the_last_word_of_the_slot(tmp_path, seen, logical):
    """The slot is full then: the recording ends, is not gone over again, and the next one begins."""
    path = tmp_path / "full.img"
    prepare(path, sectors=4096, recordings=2, align=4096, recording_bytes=512 * 24, logical=logical)
    core = {"long_logical_sectors": True, "max_command_sectors": 8} if logical == 4096 else {}
    station = Station(path.read_bytes(), modes=True, logical=logical, core=core, buffer_words=1024)
    assert station.find_slot()
    data = pattern(512 * 24)
    station.offer(data)
    last, done = station.words.pop(), station.done
    station.start(interval=1)
    station.until(lambda: not station.words)
    for _ in range(CLOCK_HZ + 500):
        station.tick()
    assert station.updates == []
    station.words.append(last)
    station.until(lambda: station.done > done)
    assert (station.get("error"), station.get("bytes")) == (FileError.NONE, len(data))
    assert station.find_slot()
    assert station.record(b"abcd" * 300, interval=1) == FileError.NONE and station.get("slot") == 2
    drive = seen(station.image.content)
    assert drive.memmap(drive.find(1)).tobytes() == data and verify(drive).problems == []
