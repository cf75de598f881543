"""A drive that is locked by ATA Security (ATA8-ACS, security mode command actions)."""

import struct

import pytest
from sata_drive_model import Health
from unit.drive_model.device.test_maintenance import ABORTED, GOOD, SMART, give, pages
from unit.drive_model.scripted_host import connect, content


@pytest.fixture(params=[None, Health()], ids=["plain", "with SMART"])
def host(request):
    host = connect(health=request.param and Health(), locked=True)
    yield host
    assert not host.port.link.violations


def test_it_says_so(host):
    page = host.identify()
    words = struct.unpack("<256H", page)
    assert sum(page) % 256 == 0 and words[128] == 0x0007
    assert words[82] >> 1 & 1 and words[85] >> 1 & 1
    assert struct.unpack("<256H", connect().identify())[128] == 0


@pytest.mark.parametrize("opcode", [0xCA, 0x35])
def test_writes_are_aborted(host, opcode):
    before = host.drive.image.read_sectors(100)
    assert host.write(100, content(2), opcode=opcode) == ABORTED
    assert host.drive.image.read_sectors(100) == before


def test_reads_and_the_rest_of_the_medium_are_aborted(host):
    assert host.read(100, 2)[:2] == ABORTED
    for command in 0x25, 0x20, 0x42, 0xE7, 0xEA, 0xB4:
        assert host.command(command, 0, 1) == ABORTED
    assert give(host, 0x06, bytes(512), features=1) == ABORTED


def test_what_it_still_does(host):
    assert host.command(0xE5) == GOOD
    if host.drive.health:
        assert pages(host, 0xB0, SMART, 1, 0xD0)[0] == 0x50
        assert pages(host, 0x2F, 4 | 7 << 8)[0] == 0x50


def test_it_is_unlocked():
    host = connect(locked=True)
    host.drive.locked = False
    host.drive.renew_page()
    assert host.write(100, content(2)) == GOOD
