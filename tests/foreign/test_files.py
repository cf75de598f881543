"""What the brick of files leaves on a drive, judged by exfatprogs and The Sleuth Kit: the whole
core records onto the drive model."""

import random

import pytest
from integration.files_station import CACHES, TIME, Station, a_run, check_cut, moments
from unit.files.world import pattern

from sata_recorder.files import FileError, FileState
from sata_recorder.recordings import Drive, prepare, verify

SECTORS, ALIGN = 4096, 16 << 10


@pytest.fixture
def prepared(tmp_path):
    """``prepared(slots)``: the content of a prepared disk."""
    def prepared(slots, *, sectors=SECTORS, align=ALIGN, recording_bytes=None):
        path = tmp_path / "prepared.img"
        prepare(path, sectors=sectors, recordings=slots, align=align,
                recording_bytes=recording_bytes, overwrite=True)
        return path.read_bytes()
    return prepared


@pytest.fixture
def judged(fsck, sleuth, tmp_path):
    """``judged(content)``: the recordings that the judges see, by slot; all is clean."""
    def judged(content):
        path = tmp_path / "judged.img"
        path.write_bytes(content)
        fsck(path)
        return {int(name[3:8]): data for name, data in sleuth(path).items()
                if name.endswith(".dat")}
    return judged


def test_three_recordings_over_two_power_cycles(prepared, judged):
    content, data = prepared(4), {}
    for number, (size, by) in enumerate(((20_001, "length"), (513, "last"), (8192, "stop")), 1):
        station = Station(content)
        assert station.find_slot()
        data[number] = pattern(size, number)
        assert station.record(data[number], by=by, time=TIME) == FileError.NONE
        content = station.image.content
        assert judged(content) == data


def test_stop_at_full(prepared, judged):
    station = Station(prepared(1, recording_bytes=16 << 10))
    assert station.find_slot()
    data = pattern(20_000)
    assert station.record(data, by="stop") == FileError.NONE
    assert station.get("bytes") == 16 << 10
    assert not station.find_slot() and station.get("state") == FileState.FULL
    assert judged(station.image.content) == {1: data[:16 << 10]}


@pytest.mark.parametrize("drives, files", [
    (1, 10), pytest.param(4, 50, marks=pytest.mark.long),
    pytest.param(1, 64, marks=pytest.mark.long)])
def test_random_lengths(prepared, judged, drives, files):
    """So many recordings of random byte lengths, until each drive is full."""
    rng = random.Random(files)
    for _ in range(drives):
        station, data = Station(prepared(files, align=4096, recording_bytes=12 << 10)), {}
        for number in range(1, files + 1):
            assert station.find_slot()
            data[number] = pattern(rng.randrange(1, 12 << 10), number)
            by = rng.choice(("length", "last"))
            assert station.record(data[number], by=by) == FileError.NONE
        assert not station.find_slot() and station.get("state") == FileState.FULL
        assert judged(station.image.content) == data


@pytest.mark.parametrize("modes, count", [
    (False, 12), pytest.param(False, 500, marks=pytest.mark.long),
    pytest.param(True, 100, marks=pytest.mark.long)])
def test_power_cuts(prepared, judged, tmp_path, modes, count):
    """At any moment, with the cache kept, lost, or half of it: clean, and the same after the brick
    has been there again."""
    station, data = a_run(prepared(5), modes)
    rng, path = random.Random(count), tmp_path / "cut.img"
    for n, clock in enumerate(moments(station, count, seed=count)):
        content = station.image.cut(clock, CACHES[n % 3], rng)
        seen = judged(content)
        path.write_bytes(content)
        with Drive(path) as drive:
            found = check_cut(drive, station, data, clock)
            assert seen == {slot: data[slot][:one.bytes] for slot, one in found.items()}
        again = Station(content, modes=modes)
        assert again.find_slot(), (clock, CACHES[n % 3])
        assert again.record(pattern(900, 99)) == FileError.NONE
        content = again.image.content
        seen = judged(content)
        assert seen.pop(again.get("slot")) == pattern(900, 99)
        assert set(seen) >= set(found)
        for slot, part in seen.items():
            assert part == data[slot][:len(part)]
        path.write_bytes(content)
        with Drive(path) as drive:
            assert verify(drive).problems == [], (clock, CACHES[n % 3])
