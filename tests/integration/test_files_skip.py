"""Files of a core that passes over what it cannot write: the whole core with the drive model."""

import pytest
from integration.files_modes import record_mode
from integration.files_station import Station
from sata_drive_model import Fault
from unit.bricks.files.world import pattern

from sata_recorder.core.drive_port import Error
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import Drive, copy, prepare, sidecar, verify

pytestmark = pytest.mark.wide

#: A sector of the data of slot 1.
SECTOR = 21
SECTORS = 40


@pytest.fixture
def prepared(tmp_path):
    path = tmp_path / "skip.img"
    prepare(path, sectors=4096, recordings=3, align=4096, recording_bytes=512 * SECTORS)
    return path.read_bytes()


def slots_of(content, tmp_path):
    path = tmp_path / "slots.img"
    path.write_bytes(content)
    with Drive(path) as drive:
        return drive.table, drive.slots


def station_of(content, *, modes=True, skips=True, faults=(), **options):
    core = {"retries": 1, "on_failure": "skip" if skips else "stop"}
    station = Station(content, modes=modes, core=core, **options)
    station.port.inject(list(faults))
    return station


def bad(lba, count=100, **fields):
    return Fault(kind="media", lba=lba, count=count, **fields)


def damage(content, data, lba):
    """The sectors, counted from ``lba`` on, in which the disk has not what was recorded."""
    size = -(-len(data) // 512)
    found = content[512 * lba:512 * (lba + size)]
    data = data.ljust(512 * size, b"\0")
    return [n for n in range(size) if found[512 * n:512 * n + 512] != data[512 * n:512 * n + 512]]


def named(log, lba):
    return sorted(place - lba for one in log.journal if one.kind == 2
                  for place in range(one.position, one.position + one.length))


@pytest.mark.sample(3)
@pytest.mark.parametrize("modes, by, size", [(False, "length", 15_001), (True, "last", 15_001), (True, "stop", 16_000)])
def test_a_sector_is_passed_over(prepared, seen, tmp_path, modes, by, size):
    """The recording continues, and all that tells of it tells that: error, log, listing and sidecar."""
    _, slots = slots_of(prepared, tmp_path)
    lba = slots[0].lba
    station = station_of(prepared, modes=modes, faults=[bad(lba + SECTOR)])
    assert station.find_slot()
    data = pattern(size)
    assert station.record(data, by=by) == FileError.SKIPPED and station.get("bytes") == size
    assert station.find_slot()
    # The next one has nothing to do with it.
    assert station.record(data, by=by) == FileError.NONE
    station.find_slot()
    drive = seen(station.image.content)
    recording = drive.find(1)
    wrong = damage(station.image.content, data, lba)
    assert SECTOR in wrong and len(wrong) <= 4
    assert {*wrong} <= {*named(recording.log, lba)} and recording.log.skipped == len(named(recording.log, lba)) <= 4
    assert recording.log.crc32 is None and recording.log.error == Error.NONE and not recording.log.journal_full
    doubt, = recording.doubts
    assert "passed over" in doubt and "names all" in doubt and drive.find(2).doubts == []
    told = sidecar(recording, copy(drive.source, recording.extents, recording.bytes, None))
    assert told["skipped_sectors"] == recording.log.skipped and told["crc32_matches"] is None
    covered = {n for one in told["journal"] if one["kind"] == "skipped"
               for n in range(one["offset"] // 512, (one["offset"] + one["bytes"]) // 512)}
    assert {*wrong} <= covered
    found = verify(drive)
    assert found.problems == [] and found.notes == [f"{recording.name}: {doubt}"]
    assert drive.find(2).log.crc32 is not None and drive.find(2).log.skipped == 0
    assert station.violations() == []


@pytest.mark.sample(2)
@pytest.mark.parametrize("mode", [RecordingMode.RING, RecordingMode.UNTIL_STOPPED])
def test_what_an_earlier_operation_passed_over_is_not_forgotten(prepared, seen, tmp_path, mode):
    """The journal at the end is that of the latest operation; the log has the number of all."""
    _, slots = slots_of(prepared, tmp_path)
    lba = slots[0].lba
    station = station_of(prepared, faults=[bad(lba + 2, count=2)], offers=0.4)
    assert station.find_slot()
    taken = record_mode(station, stop=128 * 30, interval=1, mode=mode)
    assert taken.error == FileError.SKIPPED and station.updates
    station.find_slot()
    drive = seen(station.image.content)
    recording = drive.find(1)
    assert damage(station.image.content, taken.data, lba) and named(recording.log, lba) == []
    assert 1 <= recording.log.skipped <= 4 and recording.log.journal_full and recording.log.crc32 is None
    doubt, = recording.doubts
    assert "names 0 of them" in doubt


def test_a_ring_that_is_brought_up_to_date_tells_what_was_passed_over(prepared, seen, tmp_path):
    """In the log of an update, too: here the power fails after it."""
    _, slots = slots_of(prepared, tmp_path)
    station = station_of(prepared, faults=[bad(slots[0].lba + 2, count=2)], offers=0.4)
    assert station.find_slot()
    record_mode(station, stop=128 * 30, interval=1, mode=RecordingMode.RING)
    clock = station.updates[-1][0]
    drive = seen(bytes(station.image.cut(clock, "kept", station.rng)))
    recording = drive.find(1)
    assert not recording.log.ended and recording.log.skipped and "passed over" in recording.doubts[0]


@pytest.mark.sample(6)
@pytest.mark.parametrize("place", ["log", "directory"])
@pytest.mark.parametrize("modes", [False, True])
def test_log_and_directory_are_not_passed_over(prepared, seen, tmp_path, place, modes):
    """A failure in one of them is what it is with `stop`, and so is the disk."""
    _, slots = slots_of(prepared, tmp_path)
    lba = slots[0].log_lba if place == "log" else slots[0].directory_lba
    ended = []
    for skips in True, False:
        station = station_of(prepared, modes=modes, skips=skips)
        assert station.find_slot()
        station.port.inject([bad(lba)])
        assert station.record(pattern(3000)) == FileError.CUT_SHORT
        assert station.get("drive_error") == Error.DRIVE_ERROR and station.get("bytes") == 0
        ended.append(station.image.content)
        assert [one for one in seen(ended[-1]).recordings if one.is_file] == []
    assert ended[0] == ended[1]


@pytest.mark.sample(5)
@pytest.mark.parametrize("place", ["header", "slot", "boot", "folder", "directory", "log"])
def test_what_cannot_be_read_is_not_zeros(prepared, tmp_path, place):
    """A playback of the user's has zeros in the place of what is passed over. What the stage reads has not: the
    verdict on the drive is that with `stop`."""
    table, slots = slots_of(prepared, tmp_path)
    lba = {"header": 1024, "slot": 1025,
           "boot": table.partition_lba + 3, "folder": table.folder_lba,
           "directory": slots[1].directory_lba, "log": slots[0].log_lba}[place]
    verdicts = []
    for skips in True, False:
        station = station_of(prepared, skips=skips, faults=[bad(lba, count=1000)])
        station.until(lambda: station.get("state") != FileState.OFFLINE)
        station.until(lambda: station.get("state") != FileState.SEARCHING)
        verdicts.append((station.get("state"), station.get("refusal"), station.get("drive_error")))
        if station.get("state") == FileState.READY:
            verdicts[-1] += (station.record(b"abcd" * 200), station.get("slot"))
        assert station.get("error") in (FileError.NONE, FileError.CUT_SHORT)
    assert verdicts[0] == verdicts[1]
