"""Data by PIO, READ VERIFY, settings, power modes and EXECUTE DEVICE DIAGNOSTIC, command by
command (ATA8-ACS)."""

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort, Monitor, VolatileImage

from unit.drive_model.scripted_host import SECTORS, ScriptedHost, connect, content

GOOD, ABORTED = (0x50, 0), (0x51, 0x04)
READS, READS_EXT = (0x20, 0xC4), (0x24, 0x29)
WRITES, WRITES_EXT = (0x30, 0xC5), (0x34, 0x39)


@pytest.fixture
def host():
    host = connect()
    yield host
    assert not host.port.link.violations


def words(host):
    page = host.identify()
    assert sum(page) % 256 == 0
    return [int.from_bytes(page[n:n + 2], "little") for n in range(0, 512, 2)]


# Data by PIO --------------------------------------------------------------------------------------

@pytest.mark.parametrize("multiple", [1, 4, 16])
@pytest.mark.parametrize("read, write", [*zip(READS, WRITES), *zip(READS_EXT, WRITES_EXT)])
def test_data(host, read, write, multiple):
    data = content(21)
    assert host.command(0xC6, 0, multiple) == GOOD
    assert host.write(9, data, opcode=write) == GOOD
    assert host.drive.image.read_sectors(9, 21) == data
    assert host.read(8, 23, opcode=read) == (*GOOD, bytes(512) + data + bytes(512))
    assert [(one.command, one.lba, one.sectors, one.status) for one in host.drive.completed][-2:] \
        == [(write, 9, 21, 0x50), (read, 8, 23, 0x50)]
    assert host.identify() == host.drive.page


@pytest.mark.parametrize("opcode, blocks", [(0x20, [512] * 7), (0xC4, [2048, 1536])])
def test_blocks(host, opcode, blocks):
    """A sector a Data FIS; of MULTIPLE as many as were set, and the rest."""
    host.command(0xC6, 0, 4)
    host.read(0, 7, opcode=opcode)
    assert [4 * len(dwords) - 4 if isinstance(dwords, bytes) else 4 * (dwords - 1)
            for _, way, kind, dwords in host.port.observer.log if kind == 0x46] == blocks


@pytest.mark.parametrize("opcode", [*READS, *READS_EXT, *WRITES, *WRITES_EXT, 0x40, 0x42])
def test_beyond_the_end(host, opcode):
    host.command(0xC6, 0, 4)
    verb = host.read(SECTORS - 1, 2, opcode=opcode) if opcode not in (*WRITES, *WRITES_EXT) else \
        host.write(SECTORS - 1, content(2), opcode=opcode)
    assert verb[:2] == (0x51, 0x10)


@pytest.mark.parametrize("opcode", [0xC4, 0xC5, 0x29, 0x39])
def test_multiple_that_is_not_set(host, opcode):
    assert host.command(opcode, 0, 1) == ABORTED


@pytest.mark.parametrize("opcode", [*READS_EXT, *WRITES_EXT, 0x42])
def test_48_bit_commands_of_a_28_bit_drive(opcode):
    host = connect(lba48=False)
    host.command(0xC6, 0, 4)
    assert host.command(opcode, 0, 1) == ABORTED


@pytest.mark.parametrize("opcode", [*READS, *READS_EXT])
def test_read_of_a_bad_sector(host, opcode):
    host.command(0xC6, 0, 4)
    host.drive.image.write(0, content(8))
    host.drive.behaviour.fail_lba = 6
    status, error, data = host.read(0, 8, opcode=opcode)
    assert (status, error, data) == (0x51, 0x40, content(8)[:6 * 512])


@pytest.mark.parametrize("opcode", [*WRITES, *WRITES_EXT])
def test_write_of_a_bad_sector(host, opcode):
    host.command(0xC6, 0, 4)
    host.drive.behaviour.fail_lba = 6
    assert host.write(0, content(8), opcode=opcode)[0] == 0x51
    assert host.drive.image.read_sectors(0, 6) == content(8)[:6 * 512]
    assert host.drive.image.read_sectors(6, 2) == bytes(1024)


@pytest.mark.parametrize("opcode", [0x40, 0x42])
def test_verify(host, opcode):
    assert host.read(5, 9, opcode=opcode) == (*GOOD, b"")
    assert host.drive.completed[-1].sectors == 9
    host.drive.behaviour.fail_lba = 7
    assert host.read(5, 9, opcode=opcode) == (0x51, 0x40, b"")
    assert host.read(8, 9, opcode=opcode) == (*GOOD, b"")


@pytest.mark.parametrize("seed", range(6))
def test_a_monitor_has_nothing_to_say(seed):
    """Of drives of any behaviour, and of the commands that follow."""
    monitor = Monitor()
    port = DrivePort(Drive(DiskImage(sectors=300), behaviour=Behaviour.random(seed)), seed=seed,
                     observer=monitor)
    host = ScriptedHost(port, seed=seed)
    host.bring_up()
    assert host.command(0xC6, 0, 4) == GOOD
    for read, write in zip(READS + READS_EXT, WRITES + WRITES_EXT):
        assert host.write(3, content(9, seed), opcode=write) == GOOD
        assert host.read(3, 9, opcode=read) == (*GOOD, content(9, seed))
        assert host.command(0xE5)[0] == 0x50
    assert monitor.violations == port.link.violations == []


# Settings -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("count", range(20))
def test_set_multiple_mode(host, count):
    good = count in (0, 1, 2, 4, 8, 16)
    assert words(host)[47] == 0x8010 and words(host)[59] == 0
    assert host.command(0xC6, 0, count) == (GOOD if good else ABORTED)
    assert words(host)[59] == (0x100 | count if good and count else 0)


@pytest.mark.parametrize("feature, on, bit", [(0x02, True, 5), (0x82, False, 5), (0xAA, True, 6),
                                              (0x55, False, 6)])
def test_set_features_of_the_cache(host, feature, on, bit):
    before = words(host)
    assert before[82] & before[85] & 1 << bit
    assert host.command(0xEF, 0, 0, 0x40, feature) == GOOD
    assert words(host)[85] >> bit & 1 == on
    assert words(host)[82] == before[82]


@pytest.mark.parametrize("mode, word, selected", [
    (0x00, 88, 0x40), (0x01, 88, 0x40), (0x08, 88, 0x40), (0x0C, 88, 0x40),
    (0x20, 63, 0x01), (0x22, 63, 0x04), (0x40, 88, 0x01), (0x45, 88, 0x20), (0x46, 88, 0x40)])
def test_set_transfer_mode(host, mode, word, selected):
    assert host.command(0xEF, 0, mode, 0x40, 0x03) == GOOD
    found = words(host)
    assert found[word] >> 8 == selected and found[word ^ 63 ^ 88] >> 8 == 0
    assert (found[63] & 0xFF, found[88] & 0xFF) == (0x07, 0x7F)


@pytest.mark.parametrize("feature, count", [(0x03, 0x0D), (0x03, 0x23), (0x03, 0x47), (0x03, 0x10),
                                            (0x03, 0x80), (0x05, 0), (0x10, 3), (0, 0), (0xFF, 0)])
def test_set_features_that_are_not_there(host, feature, count):
    before = host.identify()
    assert host.command(0xEF, 0, count, 0x40, feature) == ABORTED
    assert host.identify() == before


def test_settings_end_with_a_reset(host):
    before = host.identify()
    host.command(0xC6, 0, 4)
    host.command(0xEF, 0, 0, 0x40, 0x82)
    assert host.identify() != before
    host.drive.link_up()
    assert host.drive.page == before


def test_without_a_write_cache_everything_is_on_the_medium():
    image = VolatileImage(DiskImage(sectors=100))
    host = ScriptedHost(DrivePort(Drive(image)))
    host.bring_up()
    host.write(0, content(2))
    assert image.unflushed
    assert host.command(0xEF, 0, 0, 0x40, 0x82) == GOOD and not image.unflushed
    for opcode in (0x35, 0xCA, 0x30, 0x34):
        host.write(4, content(2), opcode=opcode)
        assert not image.unflushed
    assert host.command(0xEF, 0, 0, 0x40, 0x02) == GOOD
    host.write(8, content(2))
    assert image.unflushed


# Power modes --------------------------------------------------------------------------------------

def power(host):
    answer = host.registers(0xE5)
    assert answer[2:4] == b"\x50\0"
    return int.from_bytes(answer[12:14], "little")


@pytest.mark.parametrize("opcode, mode", [(0xE0, 0x00), (0xE2, 0x00), (0xE1, 0x80), (0xE3, 0x80)])
def test_power_modes(host, opcode, mode):
    """CHECK POWER MODE tells them; a command that needs the medium ends them."""
    assert power(host) == 0xFF
    assert host.command(opcode, 0, 12) == GOOD
    assert power(host) == power(host) == mode
    assert len(host.identify()) == 512 and power(host) == mode
    assert host.read(0, 1)[0] == 0x50
    assert power(host) == 0xFF
    assert words(host)[82] & words(host)[85] & 1 << 3


@pytest.mark.parametrize("opcode", [0xE0, 0xE2, 0xE6])
def test_standby_writes_the_cache_first(opcode):
    image = VolatileImage(DiskImage(sectors=100))
    host = ScriptedHost(DrivePort(Drive(image)))
    host.bring_up()
    host.write(0, content(2))
    assert image.unflushed
    assert host.command(opcode) == GOOD
    assert not image.unflushed


def test_sleep(host):
    """Nothing but a reset wakes it."""
    assert host.command(0xE6) == GOOD
    host.limit = 3000
    with pytest.raises(AssertionError, match="no end after"):
        host.command(0xE5)
    sleeper = host.drive
    host = ScriptedHost(host.port)
    host.port.plug(sleeper, 50)
    for _ in range(40):
        host.cycle()
    assert host.bring_up() == (0x50, 0x01)
    assert power(host) == 0xFF


def test_diagnostic(host):
    """The signature, and 01h: passed."""
    answer = host.registers(0x90)
    assert answer == host.signature
    assert answer[2:8] == b"\x50\x01\x01\0\0\0" and answer[12:14] == b"\x01\0"
    assert host.read(0, 1)[0] == 0x50


@pytest.mark.parametrize("opcode", [0x20, 0x30, 0xEF, 0xC6, 0xE0, 0xE5])
def test_of_a_packet_device(opcode):
    assert connect(atapi=True).command(opcode, 0, 1)[0] == 0x41
