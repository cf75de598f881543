"""Commands through the dword port: a small scripted host against a friendly drive."""

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort

from unit.drive_model.scripted_host import SECTORS, ScriptedHost, connect, content


@pytest.fixture
def host():
    host = connect()
    yield host
    assert not host.port.link.violations


def test_signature():
    drive = Drive(DiskImage(None, sectors=8))
    host = ScriptedHost(DrivePort(drive))
    assert host.bring_up() == (0x50, 0x01)
    assert host.port.link.violations == []


def test_packet_device():
    host = connect(atapi=True)
    assert host.identify() == (0x41, 0x04)


def test_identify(host):
    assert host.identify() == host.drive.page


@pytest.mark.parametrize("dwords", [128, 64, (1, 50), 1])
def test_identify_in_pieces(dwords):
    host = connect(Behaviour(pio_dwords=dwords))
    assert host.identify() == host.drive.page
    assert not host.port.link.violations


@pytest.mark.parametrize("read, write", [(0x25, 0x35), (0xC8, 0xCA)])
def test_write_and_read(host, read, write):
    data = content(40)
    assert host.write(9, data, opcode=write) == (0x50, 0)
    assert host.drive.image.read_sectors(9, 40) == data
    assert host.read(8, 42, opcode=read) == (0x50, 0, bytes(512) + data + bytes(512))


def test_28_bit_address_uses_the_device_register():
    host = connect(sectors=0x0F000010)
    assert host.write(0x0F000001, content(1), opcode=0xCA) == (0x50, 0)
    assert host.drive.image.read_sectors(0x0F000001) == content(1)
    assert host.read(0x0F000001, 1, opcode=0xC8)[2] == content(1)


@pytest.mark.parametrize("opcode, low, high, device", [(0xC8, 0x000001, 0, 0x4F), (0x25, 0x000001, 0x0F, 0x40)])
def test_an_error_names_its_sector_as_wide_as_the_command(opcode, low, high, device):
    """Bits 27:24 are in Device after a command of 28 bits, and in the upper LBA after one of 48."""
    host = connect(Behaviour(fail_lba=0x0F000001), sectors=0x0F000010)
    sent, enqueue = [], host.drive.enqueue

    def listening(data, *arguments, **options):
        sent.append(data)
        enqueue(data, *arguments, **options)
    host.drive.enqueue = listening
    assert host.read(0x0F000000, 4, opcode=opcode)[:2] == (0x51, 0x40)
    status = sent[-1]
    assert (int.from_bytes(status[4:7], "little"), int.from_bytes(status[8:11], "little"), status[7]) == (
        low, high, device)


def test_count_zero_28_bit(host):
    status, error, data = host.read(0, 0, opcode=0xC8)
    assert (status, error, len(data)) == (0x50, 0, 256 * 512)
    assert host.drive.completed[-1].sectors == 256


def test_count_zero_48_bit():
    # The whole command is 8.4 million dwords: its extent shows without moving it.
    host = connect(Behaviour(fail_lba=65535, fail_after_data=1, fail_status=0x51, fail_error=0x40))
    host.read(0, 0)
    assert host.drive.completed[-1].sectors == 65536
    host = connect(sectors=65535)
    assert host.read(0, 0)[:2] == (0x51, 0x10)


def test_flush(host):
    assert host.command(0xE7) == (0x50, 0)
    assert host.command(0xEA) == (0x50, 0)


@pytest.mark.parametrize("opcode", [0x00, 0xEF, 0xB0, 0x60])
def test_unknown_command(host, opcode):
    assert host.command(opcode) == (0x51, 0x04)


@pytest.mark.parametrize("opcode", [0x25, 0x35, 0xEA])
def test_48_bit_commands_need_48_bits(opcode):
    host = connect(lba48=False)
    assert host.command(opcode, 0, 1) == (0x51, 0x04)
    assert host.read(0, 1, opcode=0xC8)[:2] == (0x50, 0)


def test_without_dma():
    host = connect(dma=False)
    assert host.command(0xC8, 0, 1) == (0x51, 0x04)


@pytest.mark.parametrize("opcode", [0x25, 0xC8, 0x35, 0xCA])
def test_beyond_the_end(host, opcode):
    assert host.command(opcode, SECTORS - 1, 2) == (0x51, 0x10)
    assert host.read(SECTORS - 1, 1)[:2] == (0x50, 0)


@pytest.mark.parametrize("size", [2048, 128, (1, 2048), 1000])
def test_data_fis_sizes(size):
    host = connect(Behaviour(data_fis_dwords=size))
    host.drive.image.write(0, content(50))
    assert host.read(0, 50)[2] == content(50)
    sizes = [dwords - 1 for _, way, kind, dwords in host.port.observer.log if kind == 0x46]
    assert sum(sizes) == 50 * 128 and max(sizes) <= 2048


def test_the_latest_commands_are_remembered(host):
    for _ in range(1100):
        host.command(0xE7)
    host.read(7, 1)
    assert len(host.drive.completed) == 1024 and host.drive.completed[-1].lba == 7
