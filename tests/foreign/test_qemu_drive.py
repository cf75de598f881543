"""The drive model's link in front of QEMU's disk, and a scripted host."""

import os
import signal

import pytest
from sata_drive_model import Behaviour, DrivePort, Monitor, QemuDisk, QemuDrive, QemuError
from sata_drive_model.protocol import fis

from unit.drive_model.scripted_host import ScriptedHost, content

SECTORS = 70000
EIO, ENOSPC = 5, 28
GOOD = (0x50, 0)


@pytest.fixture
def connect(qemu):
    """`connect(...)`: a host that has brought up QEMU's disk; its keywords are the disk's."""
    hosts = []

    def connect(path=None, behaviour=None, **disk):
        disk = qemu(path, **({"sectors": SECTORS} | disk))
        host = ScriptedHost(DrivePort(QemuDrive(disk, behaviour=behaviour), observer=Monitor()))
        host.disk = disk
        host.first = host.bring_up()
        hosts.append(host)
        return host

    yield connect
    for host in hosts:
        assert host.port.link.violations == []
        assert host.port.observer.violations == []


def _words(page):
    return [int.from_bytes(page[n:n + 2], "little") for n in range(0, 512, 2)]


def test_bring_up(connect):
    host = connect(serial="SN 42")
    assert host.first[1] == 0x01
    page = host.identify()
    words = _words(page)
    assert words[60] | words[61] << 16 == SECTORS
    assert words[100] | words[101] << 16 == SECTORS
    assert b"".join(page[n:n + 2][::-1] for n in range(20, 40, 2)).strip() == b"SN 42"


@pytest.mark.parametrize("write, read", [(0x35, 0x25), (0xCA, 0xC8), (0x35, 0xC8), (0xCA, 0x25)])
def test_what_is_written_is_read(connect, tmp_path, write, read):
    host = connect(tmp_path / "disk.img")
    data = content(40)
    assert host.write(60, data, write) == GOOD
    assert host.read(59, 42, read) == (*GOOD, bytes(512) + data + bytes(512))
    assert host.command(0xE7) == host.command(0xEA) == GOOD
    assert (tmp_path / "disk.img").read_bytes()[60 * 512:100 * 512] == data
    assert host.disk.read_sectors(60, 40) == data


def test_count_0_is_256_sectors(connect):
    host = connect()
    data = content(256)
    assert host.write(1000, data, 0xCA) == GOOD
    assert host.read(1000, 256, 0xC8) == (*GOOD, data)


def test_longest_command(qemu):
    disk = qemu(sectors=SECTORS)
    data = content(1) * 65536
    written = disk.command(fis.register_h2d(0x35, 4464, 0), data)
    assert written.register_d2h[2:4] == bytes(GOOD)
    assert disk.command(fis.register_h2d(0x25, 4464, 0)).data == data


def test_lba_above_28_bits(connect, tmp_path):
    last = 1 << 28
    host = connect(tmp_path / "disk.img", sectors=last + 1)
    data = content(1)
    assert host.write(last, data) == GOOD
    assert host.read(last, 1) == (*GOOD, data)
    assert host.read(0, 1) == (*GOOD, bytes(512))
    assert host.read(last - 1, 1, 0xC8)[:2] == GOOD


@pytest.mark.parametrize("write, read", [(0x35, 0x25), (0xCA, 0xC8)])
@pytest.mark.parametrize("lba, sectors", [(SECTORS, 1), (SECTORS - 1, 2)])
def test_beyond_the_capacity(connect, write, read, lba, sectors):
    host = connect()
    assert host.write(SECTORS - 1, content(1), write) == GOOD
    status, error = host.write(lba, content(sectors, 2), write)
    assert status & fis.ERR and error in (fis.IDNF, fis.ABRT)
    status, error, data = host.read(lba, sectors, read)
    assert status & fis.ERR and error in (fis.IDNF, fis.ABRT) and data == b""
    assert host.read(SECTORS - 1, 1, read) == (*GOOD, content(1))


@pytest.mark.parametrize("command", [0x01, 0xF4, 0xA1, 0x3D])
def test_commands_that_it_does_not_have(connect, command):
    host = connect()
    assert host.command(command) == (0x41, fis.ABRT)
    assert host.read(0, 1)[:2] == GOOD


@pytest.mark.parametrize("command", [0x30, 0x34, 0x60, 0x61])
def test_commands_that_are_not_framed(connect, command):
    host = connect()
    assert host.command(command, 0, 1) == (0x51, fis.ABRT)
    assert host.read(0, 1)[:2] == GOOD


def test_bad_sector(connect):
    host = connect(faults=[{"event": "none", "iotype": "read", "errno": EIO, "sector": 500}])
    assert host.write(490, content(20)) == GOOD
    status, error, data = host.read(490, 20)
    assert status & fis.ERR and error & (fis.UNC | fis.ABRT) and data == b""
    assert host.read(490, 10) == (*GOOD, content(20)[:5120])
    assert host.read(501, 9) == (*GOOD, content(20)[5632:])


def test_full_host(connect):
    host = connect(faults=[{"event": "none", "iotype": "write", "errno": ENOSPC, "sector": 100}])
    status, error = host.write(96, content(8))
    assert status & fis.ERR and error & fis.ABRT
    assert host.write(96, content(4)) == GOOD
    assert host.read(96, 8) == (*GOOD, content(4) + bytes(4 * 512))


def test_failed_flush(connect):
    host = connect(faults=[{"event": "flush_to_disk", "errno": EIO, "once": True}])
    assert host.write(0, content(1)) == GOOD
    status, error = host.command(0xEA)
    assert status & fis.ERR and error & fis.ABRT
    assert host.command(0xEA) == GOOD


def test_comreset(connect):
    host = connect()
    assert host.write(5, content(2)) == GOOD
    host.port.drop_link(20)
    host.cycle()
    assert host.bring_up() == host.first
    assert host.read(5, 2) == (*GOOD, content(2))


def test_refused_data_are_not_written(connect):
    host = connect(behaviour=Behaviour(refuse_data=1))
    assert host.write(0, content(40)) == (0x51, fis.ICRC | fis.ABRT)
    assert host.disk.read_sectors(0, 40) == bytes(40 * 512)
    assert host.write(0, content(40)) == GOOD
    assert host.disk.read_sectors(0, 40) == content(40)


@pytest.mark.sample(3)
@pytest.mark.parametrize("number", range(4))
def test_hostile_link(connect, number):
    host = connect(behaviour=Behaviour.random(number))
    data = content(70, number)
    assert host.write(11, data) == GOOD
    assert host.read(11, 70, 0xC8) == (*GOOD, data)
    assert host.command(0xE7) == GOOD


def test_read_only_image(qemu, tmp_path):
    path = tmp_path / "disk,1.img"
    path.write_bytes(content(8))
    path.chmod(0o444)
    disk = qemu(path, writable=False)
    assert disk.command(fis.register_h2d(0x25, 0, 8)).data == content(8)
    assert disk.command(fis.register_h2d(0x35, 0, 1), bytes(512)).register_d2h[2] == 0x50
    assert disk.command(fis.register_h2d(0x25, 0, 1)).data == bytes(512)
    disk.close()
    assert path.read_bytes() == content(8)


def test_image_below_the_capacity(qemu, tmp_path):
    path = tmp_path / "disk.img"
    path.write_bytes(bytes(512 * 7 + 100))
    with pytest.raises(ValueError, match="disk.img has 7 sectors of the 8 wanted"):
        qemu(path, sectors=8)
    assert path.stat().st_size == 512 * 7 + 100
    assert qemu(path).sectors == 7


def test_image_in_use(qemu, tmp_path):
    path = tmp_path / "disk.img"
    qemu(path, sectors=8)
    with pytest.raises(QemuError, match='ended with status 1: .*"write" lock'):
        qemu(path)


def test_qemu_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(QemuError, match="no qemu-system-x86_64 found in PATH: install QEMU "
                                        r"\(Debian: qemu-system-x86\)"):
        QemuDisk(tmp_path / "disk.img", sectors=8)
    assert not (tmp_path / "disk.img").exists()


def test_qemu_killed(qemu):
    disk = qemu(sectors=8)
    os.kill(disk.pid, signal.SIGKILL)
    with pytest.raises(QemuError, match="qemu-system-x86_64 ended with status -9"):
        disk.command(fis.register_h2d(0xEC))


def test_temporary_image_is_removed(qemu):
    disk = qemu(sectors=8)
    path = disk.path
    assert os.path.getsize(path) == 8 * 512
    disk.close()
    assert not os.path.exists(path)
    with pytest.raises(ProcessLookupError):
        os.kill(disk.pid, 0)
