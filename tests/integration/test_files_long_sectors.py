"""Files on drives with logical sectors of 4096 bytes, and on others with the same core: the whole core with the drive
model, which takes no command that splits such a sector."""

import random

import pytest
from integration.files_modes import check_ring, record_mode, triggered
from integration.files_station import CACHES, TIME, Station, a_run, check_cut, moments, recorded_next
from sata_drive_model import Fault
from unit.bricks.files.world import pattern

from sata_recorder.interface.file import FileError, FileState
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import Drive, prepare, verify
from sata_recorder.pc.volume.exfat import FileSet

pytestmark = pytest.mark.wide

CORE = {"long_logical_sectors": True, "max_command_sectors": 8}
DRIVE = {"completion_latency": 40, "activate_latency": 20}
RING = RecordingMode.RING
MODES = pytest.mark.parametrize("modes", [False, True])
LOGICAL = pytest.mark.parametrize("logical", [4096, 512])


@pytest.fixture
def prepared(tmp_path_factory):
    """``prepared(logical, slots, sectors)``: the content of a prepared disk."""
    def prepared(logical=4096, slots=4, sectors=64):
        path = tmp_path_factory.getbasetemp() / "long.img"
        prepare(path, sectors=8192, recordings=slots, align=4096, recording_bytes=512 * sectors, overwrite=True,
                logical=logical)
        return path.read_bytes()
    return prepared


def station_of(content, *, modes=True, logical=4096, core=None, **options):
    return Station(content, modes=modes, logical=logical, core=CORE | (core or {}), buffer_words=1024, **options)


@pytest.mark.sample(6)
@LOGICAL
@MODES
def test_any_length(prepared, seen, modes, logical):
    """To the byte, by length, last word and stop; and so on the next drive that has other sectors."""
    station = station_of(prepared(logical), modes=modes, logical=logical)
    data = {}
    for number, (size, by) in enumerate(((1, "length"), (4097, "last"), (12_000, "stop"), (64 * 512, "length")), 1):
        assert station.find_slot()
        data[number] = pattern(size, number)
        assert station.record(data[number], by=by, time=TIME) == FileError.NONE
        assert (station.get("slot"), station.get("bytes")) == (number, size)
    assert not station.find_slot() and station.get("refusal") == FileError.FULL
    drive = seen(station.image.content)
    assert verify(drive).problems == [] and drive.table.unit == logical // 512
    for number, content in data.items():
        assert drive.memmap(drive.find(number)).tobytes() == content
        assert drive.find(number).log.crc32 is not None
    assert station.violations() == []


@pytest.mark.sample(6)
@LOGICAL
@MODES
def test_power_cuts(prepared, tmp_path, modes, logical):
    """Recordings with and without updates, with the cache kept, lost or half of it."""
    station, data = a_run(prepared(logical, 4, 64), modes, logical=logical, core=CORE, buffer_words=1024)
    station.find_slot()
    rng, path, found = random.Random(3), tmp_path / "cut.img", 0
    for n, clock in enumerate(moments(station, 8, seed=4)):
        content = station.image.cut(clock, CACHES[n % 3], rng)
        path.write_bytes(content)
        with Drive(path) as drive:
            assert [line for line in drive.problems if "cannot be read" not in line] == []
            found += len(check_cut(drive, station, data, clock))
        after = station_of(content, modes=modes, logical=logical)
        if after.find_slot():
            assert after.record(b"1234" * 100) == FileError.NONE
        path.write_bytes(after.image.content)
        with Drive(path) as drive:
            assert verify(drive).problems == []
    assert found


@pytest.mark.sample(10)
@pytest.mark.parametrize("sectors, ahead", [(64, 0), (64, 8), (64, 99), (16, 0), (8, 99), (24, 3)])
def test_rings(prepared, seen, tmp_path, sectors, ahead):
    """Brought up to date, with the power failing, and TRIM ahead: what is read was recorded. A ring of fewer than 4
    logical sectors, too."""
    core = {"trim_ahead": True}
    station = station_of(prepared(4096, 2, sectors), core=core, health={}, drive=DRIVE, offers=0.5)
    assert station.find_slot()
    station.dut.set(user__trim_ahead=ahead)
    taken = record_mode(station, stop=128 * 230 + 70, mode=RING, interval=1)
    assert taken.error == FileError.NONE and len(station.updates) > 2
    assert bool(station.image.trims) == (ahead >= 8 and sectors >= 32)
    assert all(lba % 8 == count % 8 == 0 for _, lba, count in station.image.trims)
    station.find_slot()
    if not station.image.trims:
        check_last(seen(station.image.content), taken, sectors)
    rng, path = random.Random(sectors), tmp_path / "cut.img"
    clocks = [*moments(station, 6, seed=9), *(clock + rng.randrange(-300, 3000) for clock, *_ in station.updates[1:6])]
    for n, clock in enumerate(clocks):
        content = station.image.cut(min(clock, station.clocks - 1), CACHES[n % 3], rng)
        path.write_bytes(content)
        check_read(path, taken)
        if recorded_next(path, content, modes=True, logical=4096, core=CORE, buffer_words=1024) == 2:
            check_read(path, taken)


def check_read(path, taken):
    with Drive(path) as drive:
        for recording in drive.recordings:
            if recording.is_file and recording.slot == 1:
                one, = recording.segments
                begin = 4 * one.first_word
                assert drive.read(recording).tobytes() == taken.data[begin:begin + one.bytes]


def check_last(drive, taken, sectors):
    """The end of the ring is there, but for what the last logical sector took of its begin."""
    recording = drive.find(1)
    one, = recording.segments
    begin = 4 * one.first_word
    assert drive.read(recording).tobytes() == taken.data[begin:]
    whole = -(-len(taken.data) // 4096) * 8
    assert begin == 512 * max(0, whole - sectors)
    assert verify(drive).problems == []


@pytest.mark.parametrize("logical", [4096, 512])
def test_segments(prepared, seen, logical):
    """Each is what was taken; a part, or an extent, that splits a logical sector is refused at once."""
    station = station_of(prepared(logical, 2, 400), logical=logical)
    assert station.find_slot()
    for wrong in ({"part": 84}, {"part": 80, "chunk": 4}):
        options = triggered(**{"part": 80, "chunk": 16} | wrong)
        if logical == 4096:
            station.start(**options)
            station.until(lambda: station.done)
            station.done = 0
            assert station.get("error") == FileError.PARTS_DO_NOT_FIT and station.get("ready")
    taken = record_mode(station, stop=26_000, triggers=(9000, 16_000), interval=1, **triggered(80, chunk=16, words=700))
    assert taken.error == FileError.NONE
    station.find_slot()
    drive = seen(station.image.content)
    recording = drive.find(1)
    assert len(recording.segments) >= 2
    for one in recording.segments:
        begin = 4 * one.first_word
        assert drive.read(recording, segment=one.number).tobytes() == taken.data[begin:begin + one.bytes]
        assert one.bytes
    assert verify(drive).problems == []


def test_a_file_of_others_in_the_sector_stays(prepared, seen):
    """The directory sector of a slot is a whole logical one, with room for entries of others: they are read and
    written with it."""
    content = bytearray(prepared())
    slot = seen(bytes(content)).slots[0]
    place = 512 * slot.directory_lba + 2048
    content[place:place + 96] = FileSet("mine.txt", 0, 0, 0, 0x20).pack()
    station = station_of(bytes(content))
    assert station.find_slot()
    assert station.record(pattern(5000), interval=1) == FileError.NONE and station.get("slot") == 1
    station.find_slot()
    after = station.image.content
    assert after[place - 1800:512 * slot.directory_lba + 4096] == content[place - 1800:512 * slot.directory_lba + 4096]
    drive = seen(after)
    assert verify(drive).problems == [] and drive.volume.find("RECORDINGS/mine.txt") is not None


@pytest.mark.parametrize("place", ["boot", "partitions"])
def test_all_of_a_proof_is_read(prepared, seen, place):
    """In the last of its sectors, too."""
    content = bytearray(prepared())
    table = seen(bytes(content)).table
    content[512 * (table.partition_lba + 95) + 100 if place == "boot" else 512 * 47 + 9] ^= 1
    station = station_of(bytes(content))
    assert not station.find_slot() and station.get("refusal") == FileError.CHANGED
    assert station.image.log == []


@LOGICAL
def test_a_drive_that_was_prepared_for_other_sectors(prepared, logical):
    """Such as an image that was copied: nothing is written to it."""
    station = station_of(prepared(4096 + 512 - logical), logical=logical)
    assert not station.find_slot() and station.get("refusal") == FileError.NOT_PREPARED
    assert station.get("state") == FileState.REFUSED and station.image.log == []


@pytest.mark.sample(2)
@MODES
def test_the_link_falls(prepared, seen, modes):
    clean = station_of(prepared(), modes=modes)
    assert clean.find_slot()
    begin = clean.clocks
    assert clean.record(pattern(20_000), by="last") == FileError.NONE
    rng = random.Random(11)
    for clock in (*(rng.randrange(begin, clean.clocks) for _ in range(3)), clean.clocks - 900):
        station = station_of(prepared(), modes=modes)
        station.port.inject([Fault(kind="link_loss", clock=clock, clocks=50)])
        assert station.find_slot()
        station.record(pattern(20_000), by="last")
        size = station.get("bytes")
        station.find_slot()
        drive = seen(station.image.content)
        assert verify(drive).problems == []
        if size:
            assert drive.memmap(drive.find(1)).tobytes() == pattern(20_000)[:size]


def test_what_a_full_ring_is_on_the_other_kind(prepared, seen):
    """The same core on a drive with sectors of 512 bytes has as much of a ring as without the option."""
    station = station_of(prepared(512, 2, 16), logical=512)
    assert station.find_slot()
    taken = record_mode(station, stop=5000, mode=RING)
    station.find_slot()
    check_ring(seen(station.image.content), 1, taken, 16)
