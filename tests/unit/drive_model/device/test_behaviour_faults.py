"""Faults that a behaviour asks for, against a small scripted host."""

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort
from sata_drive_model.protocol.primitives import DMAT

from unit.drive_model.scripted_host import ScriptedHost, connect, content, never_ends, sent_by_drive


@pytest.mark.parametrize("fault", ["unknown_fis", "wrong_length", "short_length", "bad_crc",
                                   "refuse_command", "escape_command"])
def test_frames_that_are_repeated(fault):
    host = connect(Behaviour(**{fault: 3}))
    assert host.identify() == host.drive.page
    assert host.write(0, content(20)) == (0x50, 0)
    assert host.read(0, 20) == (0x50, 0, content(20))
    assert getattr(host.drive.behaviour, fault) == 0
    assert host.port.link.violations == []


@pytest.mark.parametrize("behaviour", [{"bad_data_crc": 1}, {"escape_read": (1, 100)}])
def test_read_that_is_broken_once(behaviour):
    host = connect(Behaviour(**behaviour))
    assert host.read(0, 40)[:2] == (0x51, 0x84)
    host.drive.behaviour.escape_read = None
    assert host.read(0, 40)[:2] == (0x50, 0)
    assert host.port.link.violations == []


@pytest.mark.parametrize("behaviour", [{"refuse_data": 1}, {"escape_write": (1, 100)}])
def test_write_that_is_broken_once(behaviour):
    host = connect(Behaviour(**behaviour))
    assert host.write(0, content(40)) == (0x51, 0x84)
    host.drive.behaviour.escape_write = None
    assert host.write(0, content(40)) == (0x50, 0)
    assert host.port.link.violations == []


def test_dmat_is_only_asked_for():
    host = connect(Behaviour(dmat_data=(0, 50), align_interval=1 << 60))
    words = sent_by_drive(host, lambda: host.write(0, content(20)))
    assert words.count(DMAT) == 1
    assert host.drive.image.read_sectors(0, 20) == content(20)


@pytest.mark.parametrize("way", ["read", "write"])
def test_error_at_a_sector(way):
    host = connect(Behaviour(fail_lba=25))
    host.drive.image.write(0, content(60, 9))
    if way == "read":
        status, error, data = host.read(5, 50)
        assert data == content(60, 9)[5 * 512:25 * 512]
    else:
        status, error = host.write(5, content(50))
        assert host.drive.image.read_sectors(0, 60) == \
            content(60, 9)[:5 * 512] + content(50)[:20 * 512] + content(60, 9)[25 * 512:]
    assert (status, error) == (0x51, 0x40)
    assert host.read(26, 4)[:2] == (0x50, 0)


@pytest.mark.parametrize("way, moved", [("read", 2), ("write", 2)])
def test_error_after_some_data(way, moved):
    host = connect(Behaviour(fail_after_data=2, fail_status=0x71, fail_error=0))
    result = host.read(0, 64) if way == "read" else host.write(0, content(64))
    assert result[:2] == (0x71, 0)
    assert host.drive.data_fises == moved


def test_command_rejected_before_data():
    host = connect(Behaviour(reject_command=1))
    assert host.write(0, content(1)) == (0x51, 0x40)
    assert host.write(0, content(1)) == (0x50, 0)


@pytest.mark.parametrize("name, dwords", [("short_data", -10), ("extra_data", 10)])
def test_wrong_amount_of_data(name, dwords):
    host = connect(Behaviour(**{name: 10}))
    status, _, data = host.read(0, 4)
    assert status == 0x50 and len(data) == 4 * (512 + dwords)


def test_identify_faults():
    host = connect(Behaviour(abort_identify=1, corrupt_identify=1))
    assert host.identify() == (0x51, 0x04)
    assert sum(host.identify()) & 0xFF != 0
    assert host.identify() == host.drive.page


@pytest.mark.parametrize("mute", ["command", "activate", "status", "r_rdy", "r_ok"])
def test_write_that_never_ends(mute):
    host = connect(Behaviour())
    host.limit = 5000
    host.drive.behaviour.mute = frozenset({mute})
    never_ends(lambda: host.write(0, content(1)))


@pytest.mark.parametrize("behaviour", [{"mute": frozenset({"data"})}, {"stuck_read": (0, 20)}])
def test_read_that_never_ends(behaviour):
    host = connect(Behaviour(**behaviour))
    host.limit = 5000
    never_ends(lambda: host.read(0, 1))
    assert host.port.link.violations == []


@pytest.mark.parametrize("mute", ["signature", "link"])
def test_drive_without_signature(mute):
    host = ScriptedHost(DrivePort(Drive(DiskImage(None, sectors=8),
                                behaviour=Behaviour(mute=frozenset({mute})))))
    host.limit = 2000
    never_ends(host.bring_up)
