"""The partition table: a GUID Partition Table is written, and that or an MBR is read.

UEFI Specification 2.10, chapter 5 "GUID Partition Table (GPT) Disk Layout". GPT at every size, not
only beyond the 2 TiB of an MBR: FirstUsableLBA keeps all partitioning tools away from the sectors
between table and partition, where the recording table is.
"""

import struct
import uuid
import zlib

from ..units import SECTOR_BYTES
from .exfat import Malformed

__all__ = ["BACKUP_SECTORS", "partition_table", "partitions"]

#: Sectors at the end of the disk: the backup's entries and its header.
BACKUP_SECTORS = 33
_ENTRIES, _ENTRY = 128, struct.Struct("<16s16sQQQ72s")
_HEADER = struct.Struct("<8sIIIIQQQQ16sQIII")
_SIGNATURE = b"EFI PART"
_BASIC_DATA = uuid.UUID("EBD0A0A2-B9E5-4433-87C0-68B6B72699C7").bytes_le
_MBR_ENTRY = struct.Struct("<B3sB3sII")
_PROTECTIVE, _EXTENDED = 0xEE, (0x05, 0x0F)


def partition_table(sectors, first, count, name, *, disk, partition):
    """The table of a disk of ``sectors`` with one partition of ``count`` sectors from ``first``:
    (LBA, content) of each part, the main header and the protective MBR last.

    ``disk`` and ``partition`` are ``uuid.UUID``.
    """
    entries = _ENTRY.pack(_BASIC_DATA, partition.bytes_le, first, first + count - 1, 0,
                          name.encode("utf-16-le")).ljust(_ENTRIES * _ENTRY.size, b"\0")

    def header(mine, other, at):
        content = _HEADER.pack(_SIGNATURE, 0x10000, _HEADER.size, 0, 0, mine, other, first,
                               sectors - BACKUP_SECTORS - 1, disk.bytes_le, at, _ENTRIES,
                               _ENTRY.size, zlib.crc32(entries))
        return content[:16] + struct.pack("<I", zlib.crc32(content)) + content[20:]

    last = sectors - 1
    mbr = bytes(446) + _MBR_ENTRY.pack(0, b"\0\2\0", _PROTECTIVE, b"\xff\xff\xff", 1,
                                       min(last, 0xFFFFFFFF)) + bytes(48) + b"\x55\xaa"
    return [(last - 32, entries), (last, _padded(header(last, 1, last - 32))),
            (2, entries), (1, _padded(header(1, last, 2))), (0, mbr)]


def _padded(header):
    return header.ljust(SECTOR_BYTES, b"\0")


def partitions(source):
    """(first sector, sectors) of each partition of a disk; sector 0 alone, where a volume begins
    there. Raises :exc:`.exfat.Malformed`, ``OSError``."""
    sector = source.read(0, SECTOR_BYTES)
    if sector[3:11] == b"EXFAT   ":
        return [(0, source.size // SECTOR_BYTES)]
    if sector[510:] != b"\x55\xaa":
        raise Malformed("has no partition table")
    found = [_MBR_ENTRY.unpack_from(sector, 446 + 16 * number) for number in range(4)]
    if any(kind == _PROTECTIVE for _, _, kind, *_ in found):
        return _guid_partitions(source)
    return [(first, count) for _, _, kind, _, first, count in found
            if kind and count and kind not in _EXTENDED]


def _guid_partitions(source):
    for place in 1, source.size // SECTOR_BYTES - 1:
        header = source.read(place * SECTOR_BYTES, SECTOR_BYTES)
        if header[:8] != _SIGNATURE:
            continue
        (_, _, size, crc, _, _, _, _, _, _, at, count, entry, entries_crc
         ) = _HEADER.unpack_from(header)
        if not _HEADER.size <= size <= SECTOR_BYTES or not 128 <= entry <= 4096 or count > 1024:
            continue
        if zlib.crc32(header[:16] + bytes(4) + header[20:size]) != crc:
            continue
        entries = source.read(at * SECTOR_BYTES, -(-count * entry // SECTOR_BYTES) * SECTOR_BYTES)
        entries = entries[:count * entry]
        if zlib.crc32(entries) != entries_crc:
            continue
        rows = (_ENTRY.unpack_from(entries, entry * number) for number in range(count))
        return [(first, last - first + 1) for kind, _, first, last, _, _ in rows if any(kind)]
    raise Malformed("has a GUID partition table of which neither header is whole")
