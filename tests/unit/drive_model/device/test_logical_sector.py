"""Drives with logical sectors of 4096 bytes: commands count them, everything else counts 512 bytes."""

import struct

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort, Monitor
from sata_drive_model.device import Health

from unit.drive_model.device.test_maintenance import trim
from unit.drive_model.scripted_host import ScriptedHost, connect, content

LONG = {"logical_sector": 4096}


def words(host):
    return struct.unpack("<256H", host.identify())


@pytest.mark.parametrize("sectors, told", [(1000, 125), (1007, 125), (1008, 126)])
def test_identify(sectors, told):
    host = connect(sectors=sectors, **LONG)
    said = words(host)
    assert said[106] == 0x5000 and said[117] | said[118] << 16 == 2048
    assert said[60] | said[61] << 16 == told and said[100] == told
    assert host.drive.sectors == 8 * told
    assert host.command(0x25, told, 1) == (0x51, 0x10)


@pytest.mark.parametrize("read, write", [(0x25, 0x35), (0xC8, 0xCA)])
def test_data(read, write):
    host = connect(**LONG)
    data = content(24)
    assert host.write(5, data, opcode=write, sector=4096) == (0x50, 0)
    assert host.drive.image.read_sectors(40, 24) == data
    assert not any(host.drive.image.read_sectors(0, 40)) and not any(host.drive.image.read_sectors(64, 8))
    assert (host.drive.completed[-1].lba, host.drive.completed[-1].sectors) == (40, 24)
    status, error, got = host.read(4, 5, opcode=read)
    assert (status, error) == (0x50, 0) and got == bytes(4096) + data + bytes(4096)
    assert not host.port.link.violations


def test_a_bad_sector_is_a_logical_one():
    host = connect(Behaviour(fail_lba=45), **LONG)
    data = content(24)
    host.drive.image.write(512 * 32, data)
    status, error, got = host.read(4, 3)
    assert (status, error) == (0x51, 0x40) and got == data[:4096]
    assert host.read(6, 1)[0] == 0x50


def test_trim_counts_logical_sectors():
    host = connect(health=Health(), **LONG)
    host.drive.image.write(0, b"\xFF" * 512 * 64)
    assert trim(host, (2, 3)) == (0x50, 0)
    assert [n for n in range(64) if not any(host.drive.image.read_sectors(n))] == [*range(16, 40)]
    assert host.drive.health.trimmed == 24


@pytest.mark.parametrize("options, why", [
    ({"logical_sector": 1000}, "logical_sector = 1000"), ({"logical_sector": 0}, "logical_sector = 0"),
    ({"logical_sector": 4096, "physical_sector": 512}, "physical_sector = 512"),
    ({"logical_sector": 1 << 20}, "no more than the image")])
def test_refused(options, why):
    with pytest.raises(ValueError, match=why):
        Drive(DiskImage(sectors=1000), **options)


@pytest.mark.parametrize("logical_sector", [512, 4096])
def test_the_monitor_learns_the_length(logical_sector):
    monitor = Monitor()
    host = ScriptedHost(DrivePort(Drive(DiskImage(sectors=1000), logical_sector=logical_sector), observer=monitor))
    host.bring_up()
    host.identify()
    blocks = logical_sector // 512
    assert host.write(3, content(2 * blocks), sector=logical_sector) == (0x50, 0)
    assert host.read(3, 2)[2] == content(2 * blocks)
    assert not monitor.violations
