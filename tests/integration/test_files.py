"""The files stage on a whole core with the drive model: the recordings are there on the PC."""

import random

import pytest
from integration.files_station import CACHES, TIME, Station, a_run, check_cut, moments
from sata_drive_model import Fault
from unit.bricks.files.world import pattern

from sata_recorder.interface.file import FileError, FileState
from sata_recorder.pc.volume import Drive, prepare, verify

pytestmark = pytest.mark.wide

SECTORS, ALIGN = 4096, 16 << 10


@pytest.fixture
def prepared(tmp_path):
    """``prepared(slots)``: the content of a prepared disk."""
    def prepared(slots, align=ALIGN, sectors=SECTORS):
        path = tmp_path / "disk.img"
        prepare(path, sectors=sectors, recordings=slots, align=align, overwrite=True)
        return path.read_bytes()
    return prepared


@pytest.mark.quick
@pytest.mark.parametrize("modes", [False, True], ids=["core", "modes"])
def test_recordings(prepared, seen, modes):
    """Three recordings that end by length, by a last word and by stop, with the drive's own name in
    the log; not more is written than belongs to them."""
    station = Station(prepared(3), modes=modes)
    data = [pattern(size, size) for size in (5001, 777, 2000)]
    for number, (part, by) in enumerate(zip(data, ("length", "last", "stop")), 1):
        assert station.find_slot()
        assert station.record(part, by=by, time=TIME) == FileError.NONE
        assert station.get("slot") == number
    assert not station.find_slot() and station.get("state") == FileState.FULL
    assert station.violations() == []
    drive = seen(station.image.content)
    result = verify(drive)
    assert result.problems == [] and len(result.checked) == 3
    for number, part in enumerate(data, 1):
        recording = drive.find(number)
        assert drive.memmap(recording).tobytes() == part
        assert (recording.log.model, recording.log.serial) == ("SATA DRIVE MODEL", "SN0001")
        assert recording.created == TIME.datetime()
        assert 0 < recording.log.high_water <= 512
    written = {lba + n for _, lba, content in station.image.log if lba is not None
               for n in range(len(content) // 512)}
    own = {one for slot in drive.slots for one in (
        slot.directory_lba, *range(slot.log_lba, slot.log_lba + 3),
        *range(slot.lba, slot.lba + slot.sectors))}
    assert written <= own
    if modes:
        # Not a sector of zeros more than the length needs.
        slot = drive.slots[2]
        assert max(written & {*range(slot.lba, slot.lba + slot.sectors)}) == slot.lba + 3


def test_link_losses(prepared, seen):
    """The link falls in every phase: while the table is read, data, log and directory are written.
    Either the recording is a whole file, or the user was told that it is not."""
    clean = Station(prepared(2))
    assert clean.find_slot()
    assert clean.record(pattern(3000)) == FileError.NONE
    files = 0
    for clock in range(200, clean.clocks + 500, clean.clocks // 12):
        station = Station(prepared(2))
        station.port.inject([Fault(kind="link_loss", clock=clock, clocks=50)])
        assert station.find_slot()
        error = station.record(pattern(3000))
        if error == FileError.NO_DRIVE:
            assert station.find_slot()
            error = station.record(pattern(3000))
        assert error in (FileError.NONE, FileError.CUT_SHORT, FileError.CUT_IN_DOUBT,
                         FileError.IN_DOUBT)
        station.find_slot()
        drive = seen(station.image.content)
        if size := station.get("bytes"):
            assert size == 3000 or error in (FileError.CUT_SHORT, FileError.CUT_IN_DOUBT)
            assert drive.memmap(drive.find(station.get("slot"))).tobytes() == pattern(3000)[:size]
            files += size == 3000
        assert verify(drive).problems == []
    assert files >= 8


@pytest.mark.sample(2)
@pytest.mark.parametrize("modes, count", [(False, 24), (True, 6)])
def test_power_cuts(prepared, seen, tmp_path, modes, count):
    """At any moment, with the cache kept, lost, or half of it: at the next power-on the stage finds
    what it needs, and all is in order again, the next recording included."""
    station, data = a_run(prepared(5), modes)
    rng, path = random.Random(count), tmp_path / "cut.img"
    for n, clock in enumerate(moments(station, count, seed=count)):
        content = station.image.cut(clock, CACHES[n % 3], rng)
        path.write_bytes(content)
        with Drive(path) as drive:
            check_cut(drive, station, data, clock)
        again = Station(content, modes=modes)
        assert again.find_slot(), (clock, CACHES[n % 3])
        assert again.record(pattern(900, 99)) == FileError.NONE
        path.write_bytes(again.image.content)
        with Drive(path) as drive:
            slot = again.get("slot")
            all_data = data | {slot: pattern(900, 99)}
            for recording in drive.recordings:
                assert recording.is_file
                assert drive.memmap(recording).tobytes() == all_data[recording.slot][
                    :recording.bytes]
            assert verify(drive).problems == [], (clock, CACHES[n % 3])


@pytest.mark.parametrize("missing", ["all", "data and log"])
def test_a_missing_flush_is_found(prepared, tmp_path, missing):
    """What judges a power cut would see it if FLUSH CACHE did not come where it must."""
    station, data = a_run(prepared(5), False)
    log, path = station.image.log, tmp_path / "cut.img"
    flushes = [n for n, (_, lba, _) in enumerate(log) if lba is None]
    assert check_some(station, data, path) == []
    left_out = flushes if missing == "all" else flushes[:2]
    station.image.log = [event for n, event in enumerate(log) if n not in left_out]
    assert check_some(station, data, path) != []


def check_some(station, data, path):
    """The moments, shortly before and after the end of the first recording, at which the disk is
    not as it must be."""
    found = []
    end = station.promises[0][0]
    for n, clock in enumerate(range(end - 300, end + 60, 8)):
        path.write_bytes(station.image.cut(clock, CACHES[1 + n % 2], random.Random(n)))
        with Drive(path) as drive:
            try:
                check_cut(drive, station, data, clock)
            except AssertionError:
                found.append(clock)
    return found


def header_reads(station):
    """Reads of the table's header so far: three for each proof of the drive."""
    return station.image.read_from.count(1024)


@pytest.mark.parametrize("modes", [False, True], ids=["core", "modes"])
def test_one_proof_a_bring_up(prepared, modes):
    """Recordings and updates in a row need no second proof; another bring-up does."""
    station, _ = a_run(prepared(5), modes)
    assert station.find_slot()
    assert header_reads(station) == 3
    station.port.inject([Fault(kind="link_loss", clock=station.clocks + 10, clocks=50)])
    station.until(lambda: station.get("state") == FileState.OFFLINE)
    assert station.find_slot()
    assert header_reads(station) == 6


@pytest.mark.quick
@pytest.mark.parametrize("change", ["formatted", "folder renamed"])
def test_changed_between_two_recordings(prepared, seen, change):
    """The drive is pulled out after a recording and comes back from a PC."""
    station = Station(prepared(3))
    assert station.find_slot()
    assert station.record(pattern(3000)) == FileError.NONE
    assert station.find_slot()
    table = seen(station.image.content).table
    folder = table.proofs[2]
    place = {"formatted": 512 * table.partition_lba + 100,
             "folder renamed": 512 * folder.lba + 4 * folder.first + 66}[change]
    station.port.inject([Fault(kind="link_loss", clock=station.clocks + 10, clocks=50)])
    station.until(lambda: station.get("state") == FileState.OFFLINE)
    sector = bytearray(station.image.read(place // 512 * 512, 512))
    sector[place % 512] ^= 1
    station.image.write(place // 512 * 512, sector)
    before = station.image.content
    assert not station.find_slot()
    assert (station.get("state"), station.get("refusal")) == (FileState.REFUSED, FileError.CHANGED)
    assert station.record(pattern(3000)) == FileError.CHANGED
    assert station.image.content == before
