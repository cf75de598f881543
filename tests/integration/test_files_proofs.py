"""The files stage on a whole core: what the core's own recovery does, and what the stage makes of it."""

import pytest
from integration.files_station import Station
from sata_drive_model import Fault
from unit.bricks.files.world import pattern

from sata_recorder.interface.file import FileError
from sata_recorder.pc.volume import prepare


@pytest.fixture
def content(tmp_path):
    path = tmp_path / "disk.img"
    prepare(path, sectors=4096, recordings=3, align=16 << 10, overwrite=True)
    return path.read_bytes()


@pytest.mark.wide
@pytest.mark.parametrize("what", ["log", "directory"])
def test_a_write_that_the_core_repeats(content, seen, what):
    """The link falls in, or shortly before, a write, and the drive comes back formatted. The core may
    repeat the command that was in flight; then nobody is told that all is well."""
    drive = seen(content)
    slot = drive.slots[0]
    lba = {"log": slot.log_lba, "directory": slot.directory_lba}[what]
    clean = Station(content)
    assert clean.find_slot() and clean.record(pattern(3000)) == FileError.NONE
    when = next(clock for clock, where, _ in clean.image.log if where == lba)
    for before in range(0, 400, 80):
        station = Station(content)
        station.port.inject([Fault(kind="link_loss", clock=when - before, clocks=50)])
        changed = []

        def format_meanwhile(station=station, changed=changed, below=station.below, at=when - before + 25):
            if not changed and station.clocks >= at:
                place = 512 * drive.table.partition_lba
                sector = bytearray(station.image.read(place, 512))
                sector[100] ^= 1
                changed.append(station.clocks)
                station.image.write(place, bytes(sector))
            below()

        station.below = format_meanwhile
        assert station.find_slot()
        error = station.record(pattern(3000))
        if not changed:         # it was all over by then, also where no operation ran just then
            assert error in (FileError.NONE, FileError.CUT_SHORT)
            continue
        # What was over before the drive went may be well.
        again = [clock for clock, where, _ in station.image.log
                 if where in (slot.log_lba, slot.directory_lba) and clock > changed[0]]
        assert len(again) <= 1
        assert error == FileError.CHANGED or not again
        assert not station.find_slot() and station.get("refusal") == FileError.CHANGED


@pytest.mark.parametrize("what", ["slot", "log"])
def test_a_slot_that_cannot_be_read(content, seen, what):
    """The core tries again, which is no drive that was away: the slot is passed over."""
    lba = {"slot": 1025, "log": seen(content).slots[0].log_lba}[what]
    station = Station(content, drive={"fail_lba": lba})
    assert station.find_slot()
    assert station.image.read_from.count(1024) == 3
    assert station.record(pattern(3000)) == FileError.NONE and station.get("slot") == 2
