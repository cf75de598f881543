"""A whole core: its own recovery repeats the write of log and directory sector on a drive that was away,
before the brick of files has proved anything."""

import pytest
from integration.files_station import Station
from sata_drive_model import Fault
from unit.files.world import pattern

from sata_recorder.files import FileError
from sata_recorder.recordings import prepare


@pytest.mark.parametrize("what", ["log", "directory"])
def test_the_core_repeats_a_write_on_a_changed_drive(tmp_path, seen, what):
    path = tmp_path / "disk.img"
    prepare(path, sectors=4096, recordings=2, align=16 << 10, overwrite=True)
    content = path.read_bytes()
    drive = seen(content)
    slot = drive.slots[0]
    lba = {"log": slot.log_lba, "directory": slot.directory_lba}[what]
    clean = Station(content)
    assert clean.find_slot() and clean.record(pattern(3000)) == FileError.NONE
    when = next(clock for clock, where, _ in clean.image.log if where == lba)
    found = []
    for before in range(0, 400, 40):
        station = Station(content)
        station.port.inject([Fault(kind="link_loss", clock=when - before, clocks=50)])
        changed = []
        tick = station.below

        def below():
            if not changed and station.clocks >= when - before + 25:
                sector = bytearray(station.image.read(512 * drive.table.partition_lba, 512))
                sector[100] ^= 1
                changed.append(station.clocks)
                station.image.write(512 * drive.table.partition_lba, bytes(sector))
            tick()

        station.below = below
        assert station.find_slot()
        error = station.record(pattern(3000))
        behind = [clock for clock, where, _ in station.image.log if where == lba and changed and clock > changed[0]]
        found.append((before, FileError(error).name, behind))
    print(found)
    assert not any(behind for _, _, behind in found), found


@pytest.mark.parametrize("what", ["slot", "log"])
def test_a_slot_that_cannot_be_read(tmp_path, seen, what):
    """One unreadable sector: the brick must pass the slot over and be READY (docs/files.md, States)."""
    path = tmp_path / "disk.img"
    prepare(path, sectors=4096, recordings=3, align=16 << 10, overwrite=True)
    content = path.read_bytes()
    drive = seen(content)
    lba = {"slot": 1025, "log": drive.slots[0].log_lba}[what]
    station = Station(content, drive={"fail_lba": lba})
    for _ in range(150_000):
        station.tick()
        if station.get("ready"):
            break
    assert station.get("ready"), (station.get("state"), station.image.read_from.count(1024))
    assert station.record(pattern(3000)) == FileError.NONE and station.get("slot") == 2
