"""Images of drives with logical sectors of 4096 bytes: all that is written in a sector is in a whole one."""

import struct
import zlib

import pytest

from sata_recorder.pc.volume import Drive, LayoutError, Refused, finalise_image, prepare, renew, verify
from sata_recorder.pc.volume.disk_reader import DiskReader
from sata_recorder.pc.volume.exfat import Malformed, Volume
from sata_recorder.pc.volume.partitions import main_partitions, partitions

SECTORS = 16384


@pytest.fixture
def long(tmp_path):
    path = tmp_path / "long.img"
    made = prepare(path, sectors=SECTORS, recordings=3, align=16384, logical=4096)
    return path, made


def test_every_number_is_whole(long):
    """A number of sectors that a drive with 4096 bytes is told is a multiple of 8."""
    path, made = long
    table, boot = made.table, made.boot
    assert table.unit == 8 and table.slots_lba == 1032
    numbers = [table.log_lba, table.partition_lba, table.partition_sectors, table.folder_lba, table.block_sectors,
               boot.fat_offset, boot.fat_sectors, boot.heap_offset,
               *(number for slot in made.slots for number in (slot.lba, slot.sectors, slot.directory_lba,
                                                              slot.log_lba))]
    assert all(number % 8 == 0 for number in numbers)
    with Drive(path) as drive:
        assert [number for one in drive.table.proofs for number in (one.lba, one.sectors)] == [
            0, 48, table.partition_lba, 96, drive.volume.lba(boot.root_cluster), 8]
        assert drive.volume.boot == boot and drive.table.pack()[8:12] == bytes([3, 0, 0, 0])
        assert [drive.state(slot) for slot in drive.slots] == ["free"] * 3 and verify(drive).problems == []


def test_partition_table(long):
    """As UEFI has it, counted in sectors of 4096 bytes, by fields."""
    path, made = long
    content = path.read_bytes()
    first, last = made.table.partition_lba // 8, SECTORS // 8 - 1
    for place, other in (1, last), (last, 1):
        header = content[4096 * place:4096 * place + 92]
        assert header[:8] == b"EFI PART"
        size, crc, _, mine, theirs, lowest, highest = struct.unpack_from("<IIIQQQQ", header, 12)
        assert (size, mine, theirs, lowest, highest) == (92, place, other, first, last - 5)
        assert crc == zlib.crc32(header[:16] + bytes(4) + header[20:])
        at, = struct.unpack_from("<Q", header, 72)
        assert at == (2 if place == 1 else last - 4)
        assert struct.unpack_from("<QQ", content, 4096 * at + 32)[0] == first
    assert content[510:512] == b"\x55\xaa" and struct.unpack_from("<II", content, 454) == (1, last)
    with DiskReader(path) as source:
        wanted = [(made.table.partition_lba, made.table.partition_sectors)]
        assert partitions(source) == main_partitions(source, 8) == wanted
        with pytest.raises(Malformed):
            main_partitions(source)


def test_boot_region(long):
    """Microsoft, exFAT, section 3: BytesPerSectorShift is 12, and all places count such sectors."""
    path, made = long
    start = 512 * made.table.partition_lba
    content = path.read_bytes()[start:]
    boot = made.boot
    assert struct.unpack_from("<QQIII", content, 64) == tuple(number // 8 for number in (
        boot.partition_offset, boot.volume_sectors, boot.fat_offset, boot.fat_sectors, boot.heap_offset))
    assert content[108] == 12 and 512 << boot.cluster_shift == 4096 << content[109]
    assert content[510:512] == b"\x55\xaa"
    for number in range(1, 9):
        assert content[4096 * (number + 1) - 4:4096 * (number + 1)] == b"\0\0\x55\xaa"
    total = 0
    for place, byte in enumerate(content[:11 * 4096]):
        if place not in (106, 107, 112):
            total = ((total << 31 | total >> 1) + byte) & 0xFFFFFFFF
    assert content[11 * 4096:12 * 4096] == struct.pack("<I", total) * 1024
    assert content[12 * 4096:24 * 4096] == content[:12 * 4096]


def test_the_backup_is_read(long):
    path, made = long
    with open(path, "r+b") as file:
        file.seek(512 * made.table.partition_lba)
        file.write(bytes(512))
    with DiskReader(path) as source:
        volume = Volume(source, made.table.partition_lba)
        assert volume.boot == made.boot and "the backup was read" in volume.problems[0]


def test_a_recording_becomes_a_file(long):
    path, made = long
    data = bytes(range(256)) * 77
    slot = made.slots[1]
    with open(path, "r+b") as file:
        file.seek(512 * slot.lba)
        file.write(data)
    finalise_image(path, 2, len(data))
    with Drive(path) as drive:
        assert drive.memmap(drive.find(2)).tobytes() == data and verify(drive).problems == []
    assert renew(path).changes == ()


def test_renew(long):
    """The table is written into sectors of its own, as `prepare` has it."""
    path, made = long
    before = path.read_bytes()
    with open(path, "r+b") as file:
        file.seek(512 * 1024 + 80)
        file.write(b"\xff" * 4)
        header = bytearray(before[512 * 1024:512 * 1025])
        header[92] ^= 1     # the CRC-32 of the first proof
        header[508:] = struct.pack("<I", zlib.crc32(header[:508]))
        file.seek(512 * 1024)
        file.write(header)
    with Drive(path) as drive:
        assert drive.changes
    assert renew(path).free == 3
    assert path.read_bytes() == before


def test_what_is_not_whole(tmp_path):
    with pytest.raises(LayoutError, match="whole logical sectors of 4096"):
        prepare(tmp_path / "odd.img", sectors=SECTORS + 1, recordings=1, align=16384, logical=4096)


def test_a_header_that_fits_no_length(long):
    """Of version 3, with slots in sectors of 512 bytes; and the other way."""
    path, made = long
    content = path.read_bytes()
    for place, value in (8, 2), (16, 1025 & 0xFF):
        header = bytearray(content[512 * 1024:512 * 1025])
        header[place] = value
        header[508:] = struct.pack("<I", zlib.crc32(header[:508]))
        with open(path, "r+b") as file:
            file.seek(512 * 1024)
            file.write(header)
        with pytest.raises(Refused, match="impossible fields"):
            Drive(path)
