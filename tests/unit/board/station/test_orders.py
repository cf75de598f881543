"""What can be done to the drive of a station: the orders, and what they refuse."""

from types import SimpleNamespace

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort, Health

from sata_recorder.board.station import ORDERS, BadOrder, obey


@pytest.fixture
def station():
    drive = Drive(DiskImage(sectors=1000), behaviour=Behaviour(), health=Health())
    port = DrivePort(drive)

    def plug():
        if port.drive is None:
            port.plug(drive)
    return SimpleNamespace(drive=drive, lanes=8, port=port, plug=plug, unplug=port.unplug)


def test_bad_sector_and_heal(station):
    assert obey(station, "bad-sector 0x10") == "sector 16 is bad"
    assert station.drive.behaviour.fail_lba == 16
    obey(station, "mute")
    obey(station, "slow 500")
    obey(station, "unplug")
    assert station.port.drive is None
    assert station.drive.behaviour.throttle == station.drive.behaviour.underrun == (1000, 500)
    assert obey(station, "HEAL") == "the drive is good, and connected"
    assert station.drive.behaviour == Behaviour() and station.port.drive is station.drive


def test_flip(station):
    before = station.drive.image.read_sectors(5)
    obey(station, "flip 5")
    after = station.drive.image.read_sectors(5)
    changed = int.from_bytes(before, "little") ^ int.from_bytes(after, "little")
    assert changed.bit_count() == 1
    assert station.drive.image.read_sectors(4) == station.drive.image.read_sectors(6) == bytes(512)


def test_load(station, tmp_path):
    """A file, whatever its name, filled up with zeros; what does not fit changes nothing."""
    file = tmp_path / "My data"
    file.write_bytes(b"1" * 700)
    assert obey(station, f"Load 998 {file}") == "700 bytes are on the drive, from sector 998 on"
    assert station.drive.image.read(512 * 997, 3 * 512) == bytes(512) + b"1" * 700 + bytes(324)
    before = station.drive.image.read(0, 512 * 1000)
    for line, told in ((f"load 999 {file}", "has 700 bytes, 1 to 512 fit there"), ("load 0 none", "No such file"),
                       (f"load 0 {tmp_path}", "Is a directory"), (f"load 1000 {file}", "0 to 999"),
                       ("load 5", "written")):
        with pytest.raises(BadOrder, match=told):
            obey(station, line)
    assert station.drive.image.read(0, 512 * 1000) == before


def test_slow_and_not(station):
    obey(station, "slow 9")
    assert "no HOLD" in obey(station, "slow 0")
    assert station.drive.behaviour.throttle is None


def test_link(station):
    for _ in range(20):
        station.port.clock(0)
    assert station.port.inputs >> 38 & 1
    obey(station, "drop-link")
    station.port.clock(0)
    assert not station.port.inputs >> 38 & 1
    for _ in range(80):
        station.port.clock(0)
    assert station.port.inputs >> 38 & 1
    obey(station, "unplug")
    with pytest.raises(BadOrder, match="drop-link: no drive"):
        obey(station, "drop-link")
    obey(station, "plug")
    assert station.port.drive is station.drive


@pytest.mark.parametrize("line, told", [
    ("", "no such order"), ("destroy", "destroy: no such order"),
    ("bad-sector", "bad-sector LBA"), ("bad-sector x", "bad-sector LBA = x: is no number"),
    ("bad-sector 1000", "bad-sector LBA = 1000: 0 to 999"), ("flip -1", "flip LBA = -1: 0 to 999"),
    ("heat 128", "heat CELSIUS = 128: 0 to 127"),
    ("slow 1000001", "slow DWORDS = 1000001: 0 to 1000000"), ("mute 3", "it is written mute"),
])
def test_refusals(station, line, told):
    with pytest.raises(BadOrder) as found:
        obey(station, line)
    assert told in str(found.value) and "\n" not in str(found.value)
    assert station.drive.behaviour == Behaviour() and station.port.drive is station.drive


def test_heat(station):
    assert obey(station, "heat 71") == "the drive is of 71 degrees Celsius"
    assert station.drive.health.temperature == 71
    obey(station, "heal")
    assert station.drive.health.temperature == 35
    station.drive.health = None
    with pytest.raises(BadOrder, match="heat: the drive reports no temperature: it has no SMART"):
        obey(station, "heat 71")
    obey(station, "heal")


def test_lock(station):
    assert obey(station, "lock") == "the drive has lost power, and is locked"
    assert station.drive.page[256] == 7 and station.port.drive is station.drive
    obey(station, "heal")
    assert station.drive.page[256] == 0 and not station.drive.locked


def test_each_order_is_obeyed(station):
    for name, order in ORDERS.items():
        assert obey(station, f"{name} 7 {__file__}" if name == "load" else f"{name} 7" if order.most else name)
