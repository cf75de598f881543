"""SMART, logs, TRIM, buffer and APM of a drive that knows its health (ATA8-ACS)."""

import struct

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, Health, VolatileImage
from sata_drive_model.protocol import fis

from unit.drive_model.scripted_host import SECTORS, connect, content

GOOD, ABORTED = (0x50, 0), (0x51, 0x04)
SMART = 0xC24F00
PIO, DMA = fis.PIO_SETUP, fis.DATA


@pytest.fixture
def host():
    host = connect(health=Health(hours=77))
    yield host
    assert not host.port.link.violations


def words(host):
    page = host.identify()
    assert sum(page) % 256 == 0
    return struct.unpack("<256H", page)


def pages(host, command, lba=0, count=1, features=0):
    """The data of a command to the host: (status, error, data)."""
    def script():
        yield from host.issue(command, lba, count, 0x40, features)
        got = b""
        while True:
            data = yield from host.next_fis()
            if data[0] == fis.REGISTER_D2H:
                return data[2], data[3], got
            if data[0] == PIO:
                end, size = data[15], int.from_bytes(data[16:18], "little")
                data = yield from host.next_fis()
                assert len(data) == size + 4
                got += data[4:]
                if not end & 0x88:
                    return end, 0, got
            else:
                got += data[4:]
    return host.run(script())


def give(host, command, data, count=1, features=0, lba=0):
    """A command with data of the host: (status, error)."""
    def script():
        yield from host.issue(command, lba, count, 0x40, features)
        done = 0
        while True:
            answer = yield from host.next_fis()
            if answer[0] == fis.REGISTER_D2H:
                return answer[2], answer[3]
            size = 512 if answer[0] == PIO else 8192
            assert answer[0] in (PIO, fis.DMA_ACTIVATE)
            yield from host.send(fis.data(data[done:done + size]))
            done += size
    return host.run(script())


def attributes(page):
    """{number: (flags, value, worst, raw)} of SMART READ DATA."""
    assert len(page) == 512 and sum(page) % 256 == 0
    found = {}
    for at in range(2, 362, 12):
        number, flags, value, worst = struct.unpack_from("<BHBB", page, at)
        if number:
            found[number] = flags, value, worst, int.from_bytes(page[at + 5:at + 11], "little")
    return found


def trim(host, *ranges, blocks=1, features=1):
    data = b"".join(struct.pack("<Q", count << 48 | first) for first, count in ranges)
    return give(host, 0x06, data.ljust(512 * blocks, b"\0"), blocks, features)


# Without health nothing of this is there ----------------------------------------------------------

@pytest.mark.parametrize("command, features, lba", [
    (0xB0, 0xD0, SMART), (0xB0, 0xDA, SMART), (0x2F, 0, 0), (0x47, 0, 0), (0x06, 1, 0), (0xE4, 0, 0),
    (0xE8, 0, 0), (0xEF, 0x05, 0)])
def test_drive_without_health(command, features, lba):
    host = connect()
    assert host.command(command, lba, 1, 0x40, features) == ABORTED
    assert words(host)[82:86] == (0x0068, 0x7400, 0x4000, 0x0068)


# SMART --------------------------------------------------------------------------------------------

def test_identify(host):
    found = words(host)
    assert found[82] & 1 and found[85] & 1
    assert found[84] >> 5 & 1 and found[87] >> 5 & 1 and found[84] >> 14 == 1
    assert found[105] == 8 and found[169] == 1 and found[69] == 0x4C20
    assert found[83] >> 3 & 1 and not found[86] >> 3 & 1


def test_attributes_move_with_what_is_written(host):
    host.drive.health.amplification = 3e6
    before = attributes(pages(host, 0xB0, SMART, 1, 0xD0)[2])
    assert before[9][3] == 77 and before[12][3] == 1 and before[241][3] == before[242][3] == 0
    assert host.write(100, content(40)) == GOOD
    assert host.write(7, content(3), opcode=0x34) == GOOD
    assert host.read(100, 30)[0] == 0x50 and host.read(9, 2, opcode=0x24)[0] == 0x50
    after = attributes(pages(host, 0xB0, SMART, 1, 0xD0)[2])
    assert after[241][3] == 43 and after[242][3] == 32
    assert after[249][3] == round(43 * 512 * 3e6) // (1 << 30) > 0
    assert {n for n in before if before[n] != after[n]} == {241, 242, 249}


def test_errors_are_counted(host):
    host.drive.behaviour.fail_lba = 6
    host.read(0, 8)
    host.drive.behaviour.refuse_data = 0
    host.write(20, content(2))
    found = attributes(pages(host, 0xB0, SMART, 1, 0xD0)[2])
    assert found[187][3] == 1 and found[199][3] == 1
    host.drive.behaviour.fail_lba = None


def test_thresholds(host):
    status, error, page = pages(host, 0xB0, SMART, 1, 0xD1)
    assert (status, error) == GOOD and sum(page) % 256 == 0
    found = {page[at]: page[at + 1] for at in range(2, 362, 12) if page[at]}
    assert found[5] == found[232] == 10 and found[241] == 0
    assert set(found) == set(attributes(pages(host, 0xB0, SMART, 1, 0xD0)[2]))


def signature(host):
    data = host.registers(0xB0, SMART, 0, 0x40, 0xDA)
    assert data[2:4] == bytes(GOOD)
    return data[5], data[6]


def test_return_status_and_wear(host):
    """First all is well, then the spare is nearly gone, then the drive takes no write any more."""
    health = host.drive.health
    health.endurance_bytes = 100 * 512
    assert host.write(0, content(100)) == GOOD
    assert signature(host) == (0x4F, 0xC2) and not health.read_only
    assert host.write(0, content(9)) == GOOD
    assert signature(host) == (0xF4, 0x2C) and health.spare == 10
    assert host.write(0, content(1, 3)) == GOOD
    assert health.read_only and attributes(pages(host, 0xB0, SMART, 1, 0xD0)[2])[232][1] == 1
    for opcode in (0x35, 0xCA, 0x30, 0x34):
        assert host.write(0, content(1, 4), opcode=opcode) == ABORTED
    assert trim(host, (0, 8)) == ABORTED
    assert host.read(0, 1) == (*GOOD, content(1, 3))


@pytest.mark.parametrize("command", [
    (0xB0, 0, 1, 0x40, 0xD0), (0xB0, SMART, 1, 0x40, 0xFF), (0xB0, 0x2CF400, 0, 0x40, 0xDA),
    (0xB0, SMART | 0x77, 1, 0x40, 0xD5), (0xB0, SMART, 2, 0x40, 0xD5)])
def test_what_smart_refuses(host, command):
    assert host.command(*command) == ABORTED


def test_disable(host):
    assert host.command(0xB0, SMART, 0, 0x40, 0xD9) == GOOD
    assert words(host)[82] & 1 and not words(host)[85] & 1
    for feature in (0xD0, 0xD1, 0xD9, 0xDA):
        assert host.command(0xB0, SMART, 0, 0x40, feature) == ABORTED
    assert host.command(0xB0, SMART, 0, 0x40, 0xD8) == GOOD
    assert words(host)[85] & 1 and signature(host) == (0x4F, 0xC2)


def test_power_cycles():
    drive = Drive(DiskImage(sectors=100), health=Health())
    drive.reset()
    assert attributes(drive.health.data())[12][3] == 1
    drive.power_off()
    assert attributes(drive.health.data())[12][3] == 2


@pytest.mark.parametrize("log", [0, 1, 6])
def test_smart_logs(host, log):
    status, error, page = pages(host, 0xB0, SMART | log, 1, 0xD5)
    assert (status, error) == GOOD and page[0] == 1
    assert log == 0 or sum(page) % 256 == 0


# Logs ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("command", [0x2F, 0x47])
def test_logs(host, command):
    status, error, page = pages(host, command)
    assert (status, error) == GOOD
    directory = struct.unpack("<256H", page)
    assert directory[0] == 1 and directory[4] == 8 and directory[0x10] == 1
    for log in range(1, 256):
        count = directory[log]
        if count:
            status, error, whole = pages(host, command, log, count)
            assert (status, error, len(whole)) == (*GOOD, 512 * count)
            last = pages(host, command, log | (count - 1) << 8, 1)
            assert last == (*GOOD, whole[-512:])
        assert pages(host, command, log, count + 1) == (*ABORTED, b"")
    assert pages(host, command, 4, 0) == (*ABORTED, b"")
    assert pages(host, command, 4 | 1 << 32, 1) == (*ABORTED, b"")


def test_device_statistics(host):
    host.write(0, content(24))
    host.write(0, content(8), opcode=0x34)
    host.read(0, 5)
    log = pages(host, 0x2F, 4, 8)[2]
    assert log[8:16] == bytes((6, 0, 1, 4, 5, 6, 7, 0))
    general = struct.unpack_from("<7Q", log, 512)
    assert general[0] == 1 | 1 << 16
    assert [value & (1 << 48) - 1 for value in general[1:]] == [1, 77, 32, 2, 5, 1]
    assert all(value >> 56 == 0xC0 for value in general[1:])
    assert struct.unpack_from("<2Q", log, 5 * 512) == (5 << 16 | 1, 0xC0 << 56 | 35)
    assert struct.unpack_from("<2Q", log, 7 * 512)[0] == 7 << 16 | 1
    assert log[2 * 512:4 * 512] == bytes(1024)


def test_logs_of_a_28_bit_drive():
    host = connect(lba48=False, health=Health())
    assert host.command(0x2F, 0, 1) == ABORTED and host.command(0x47, 0, 1) == ABORTED


# TRIM ---------------------------------------------------------------------------------------------

def test_trim(host):
    assert host.write(10, content(50)) == GOOD
    assert trim(host, (12, 8), (0, 0), (30, 1)) == GOOD
    left = bytearray(content(50))
    left[2 * 512:10 * 512] = bytes(8 * 512)
    left[20 * 512:21 * 512] = bytes(512)
    assert host.read(10, 50) == (*GOOD, bytes(left))
    assert host.drive.health.trimmed == 9
    assert trim(host, *[(64 + n, 1) for n in range(100)], blocks=8) == GOOD
    assert trim(host, (0, 65535)) == GOOD
    assert host.read(10, 50) == (*GOOD, bytes(50 * 512))


@pytest.mark.parametrize("blocks, features", [(9, 1), (0, 1), (1, 0), (1, 2)])
def test_trim_that_is_refused(host, blocks, features):
    assert host.command(0x06, 0, blocks, 0x40, features) == ABORTED


def test_trim_beyond_the_end(host):
    assert host.write(10, content(1)) == GOOD
    assert trim(host, (10, 1), (SECTORS - 1, 2)) == (0x51, 0x14)
    assert host.read(10, 1)[2] == content(1)
    assert trim(host, (SECTORS - 1, 1)) == GOOD


def test_drive_without_trim():
    host = connect(health=Health(trim_blocks=0))
    assert words(host)[169] == words(host)[105] == 0
    assert host.command(0x06, 0, 1, 0x40, 1) == ABORTED


@pytest.mark.parametrize("flush", [False, True])
def test_trim_in_a_write_cache(flush):
    image = VolatileImage(DiskImage(sectors=100), loss=1)
    image.write(0, content(3))
    image.flush()
    image.discard(1, 1)
    assert image.read_sectors(0, 3) == content(3)[:512] + bytes(512) + content(3)[1024:]
    if flush:
        image.flush()
    image.power_off()
    assert (image.read_sectors(1) == bytes(512)) == flush


# Buffer and APM -----------------------------------------------------------------------------------

@pytest.mark.parametrize("write, read", [(0xE8, 0xE4), (0xEB, 0xE9), (0xE8, 0xE9)])
def test_buffer(host, write, read):
    assert pages(host, read) == (*GOOD, bytes(512))
    assert give(host, write, content(1, 5)) == GOOD
    assert pages(host, read) == (*GOOD, content(1, 5))
    assert host.drive.health.written == host.drive.health.read == 0


@pytest.mark.parametrize("level", [0x01, 0x80, 0xFE])
def test_apm(host, level):
    assert host.command(0xEF, 0, level, 0x40, 0x05) == GOOD
    assert words(host)[86] >> 3 & 1 and words(host)[91] == level
    assert host.command(0xEF, 0, 0, 0x40, 0x85) == GOOD
    assert not words(host)[86] >> 3 & 1 and words(host)[91] == 0


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_apm_levels_that_are_none(host, level):
    assert host.command(0xEF, 0, level, 0x40, 0x05) == ABORTED


def test_another_drive_has_a_health_of_its_own():
    drive = Drive(DiskImage(sectors=100), health=Health(hours=5))
    other = drive.other(DiskImage(sectors=100))
    assert other.health is not None and other.health.hours == 0
    assert Drive(DiskImage(sectors=100)).other(DiskImage(sectors=100)).health is None


@pytest.mark.parametrize("seed", range(4))
def test_hostile_drive(seed):
    """The same with drives of any behaviour."""
    host = connect(Behaviour.random(seed), health=Health())
    assert host.write(3, content(5, seed)) == GOOD
    assert trim(host, (4, 1)) == GOOD
    assert host.read(4, 1) == (*GOOD, bytes(512))
    assert give(host, 0xE8, content(1, seed)) == GOOD and give(host, 0xEB, content(1, 1)) == GOOD
    assert pages(host, 0xE4) == pages(host, 0xE9) == (*GOOD, content(1, 1))
    assert len(pages(host, 0x47, 4, 8)[2]) == len(pages(host, 0x2F, 4, 8)[2]) == 4096
    assert signature(host) == (0x4F, 0xC2)


# SANITIZE -----------------------------------------------------------------------------------------

KEYS = {0x11: 0x43727970, 0x12: 0x426B4572}


def sanitized(host):
    """Count and progress of SANITIZE STATUS."""
    data = host.registers(0xB4, 0, 0, 0x40, 0)
    assert data[2:4] == bytes(GOOD)
    return int.from_bytes(data[12:14], "little"), int.from_bytes(data[4:6], "little")


@pytest.mark.parametrize("feature", KEYS)
def test_sanitize(feature):
    host = connect(health=Health(sanitize_dwords=20_000))
    assert words(host)[59] & 0xB000 == 0xB000
    assert host.write(100, content(200)) == GOOD and sanitized(host) == (0, 0xFFFF)
    assert host.command(0xB4, KEYS[feature], 0, 0x40, feature) == GOOD
    # Meanwhile it reports how far it is, and does nothing else.
    count, progress = sanitized(host)
    assert count == 1 << 14 and 0 < progress < 0xFFFF
    assert host.read(100, 1)[:2] == ABORTED and host.write(100, content(1)) == ABORTED
    assert host.command(0xB4, KEYS[feature], 0, 0x40, feature) == ABORTED
    assert len(host.identify()) == 512 and host.command(0xE5) == GOOD
    while sanitized(host)[0] == 1 << 14:
        assert sanitized(host)[1] >= progress
    assert sanitized(host) == (1 << 15, 0xFFFF)
    assert host.read(100, 200) == (*GOOD, bytes(200 * 512))
    assert host.write(100, content(1)) == GOOD


@pytest.mark.parametrize("feature, key", [(0x11, 0x426B4572), (0x12, 0), (0x14, 0), (0x20, 0)])
def test_sanitize_without_its_key(feature, key):
    host = connect(health=Health(sanitize_dwords=1000))
    assert host.write(100, content(2)) == GOOD
    assert host.command(0xB4, key, 0, 0x40, feature) == ABORTED
    assert host.read(100, 2) == (*GOOD, content(2))


def test_drive_without_sanitize(host):
    assert words(host)[59] == 0 and host.command(0xB4, 0, 0, 0x40, 0) == ABORTED
    assert host.command(0xB4, KEYS[0x12], 0, 0x40, 0x12) == ABORTED


# Physical sectors ---------------------------------------------------------------------------------

@pytest.mark.parametrize("alignment, split", [
    (0, [(1, 7), (0, 9), (8, 1)]), (1, [(0, 8), (7, 9), (8, 8)])])
def test_misaligned_writes_are_counted(alignment, split):
    host = connect(health=Health(), physical_sector=4096, alignment=alignment)
    assert words(host)[106] == 0x6003 and words(host)[209] == 0x4000 | alignment
    for lba, count in split:
        assert host.write(lba, content(count)) == GOOD
    assert host.write(16 - alignment, content(16)) == GOOD and host.write(8 - alignment, content(8),
                                                                          opcode=0x30) == GOOD
    assert host.read(1, 3)[0] == 0x50
    assert host.drive.health.misaligned == len(split)


def test_drive_of_one_size(host):
    assert words(host)[106] == 0x4000 and words(host)[209] == 0
    assert host.write(3, content(5)) == GOOD and host.drive.health.misaligned == 0
