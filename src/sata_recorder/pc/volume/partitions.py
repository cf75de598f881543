"""The partition table: a GUID Partition Table is written, and that or an MBR is read.

UEFI Specification 2.10, chapter 5 "GUID Partition Table (GPT) Disk Layout". GPT at every size, not
only beyond the 2 TiB of an MBR: FirstUsableLBA keeps all partitioning tools away from the sectors
between table and partition, where the recording table is.
"""

import contextlib
import struct
import uuid
import zlib
from typing import Any
from uuid import UUID

from ...facts.units import SECTOR_BYTES
from .disk_reader import DiskSource
from .exfat import Malformed

__all__ = ["main_partitions", "partition_table", "partitions", "table_sectors"]

#: Sectors of 512 bytes that a logical sector of a disk can have.
_UNITS = 1, 8
_ENTRIES, _ENTRY = 128, struct.Struct("<16s16sQQQ72s")
_HEADER = struct.Struct("<8sIIIIQQQQ16sQIII")
_SIGNATURE = b"EFI PART"
_BASIC_DATA = uuid.UUID("EBD0A0A2-B9E5-4433-87C0-68B6B72699C7").bytes_le
_MBR_ENTRY = struct.Struct("<B3sB3sII")
_PROTECTIVE, _EXTENDED = 0xEE, (0x05, 0x0F)


def partition_table(sectors: int, first: int, count: int, name: str, *, disk: UUID, partition: UUID,
                    unit: int = 1) -> list[tuple[int, bytes]]:
    """The table of a disk of ``sectors`` with one partition of ``count`` sectors from ``first``:
    (LBA, content) of each part, the main header and the protective MBR last.

    ``disk`` and ``partition`` are ``uuid.UUID``. A logical sector of the disk has ``unit`` sectors of 512
    bytes, in which all is given and returned.
    """
    sectors, first, count = (number // unit for number in (sectors, first, count))
    size, used = table_sectors(unit)
    held = size // unit - 2         # logical sectors of the entries
    backup = used // unit
    entries = _ENTRY.pack(_BASIC_DATA, partition.bytes_le, first, first + count - 1, 0,
                          name.encode("utf-16-le")).ljust(_ENTRIES * _ENTRY.size, b"\0")

    def header(mine, other, at):
        content = _HEADER.pack(_SIGNATURE, 0x10000, _HEADER.size, 0, 0, mine, other, first,
                               sectors - backup - 1, disk.bytes_le, at, _ENTRIES,
                               _ENTRY.size, zlib.crc32(entries))
        return content[:16] + struct.pack("<I", zlib.crc32(content)) + content[20:]

    last = sectors - 1
    mbr = bytes(446) + _MBR_ENTRY.pack(0, b"\0\2\0", _PROTECTIVE, b"\xff\xff\xff", 1,
                                       min(last, 0xFFFFFFFF)) + bytes(48) + b"\x55\xaa"
    parts = [(last - held, entries), (last, header(last, 1, last - held)),
             (2, entries), (1, header(1, last, 2)), (0, mbr)]
    return [(unit * place, content.ljust(-(-len(content) // (unit * SECTOR_BYTES)) * unit * SECTOR_BYTES, b"\0"))
            for place, content in parts]


def table_sectors(unit: int = 1) -> tuple[int, int]:
    """(sectors of the table and its protective MBR at the beginning of a disk, those of its backup at the end), of 512
    bytes, for a disk whose logical sectors have ``unit`` of them."""
    entries = -(-_ENTRIES * _ENTRY.size // (unit * SECTOR_BYTES))
    return unit * (2 + entries), unit * (1 + entries)


def partitions(source: DiskSource) -> list[Any]:
    """(first sector, sectors) of each partition of a disk; the whole disk alone if a volume begins
    at sector 0. Raises :exc:`.exfat.Malformed`, ``OSError``."""
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
    for unit in _UNITS:
        for place in 1, source.size // SECTOR_BYTES // unit - 1:
            with contextlib.suppress(Malformed):
                return _rows(source, place, unit)
    raise Malformed("has a GUID partition table of which neither header is whole")


def main_partitions(source: DiskSource, unit: int = 1) -> list[Any]:
    """As :func:`partitions`, by the main GUID Partition Table alone: its header and its entries are whole
    and in its sectors. Raises :exc:`.exfat.Malformed`, ``OSError``."""
    if not any(kind == _PROTECTIVE for _, _, kind, *_ in (
            _MBR_ENTRY.unpack_from(source.read(0, SECTOR_BYTES), 446 + 16 * number) for number in range(4))):
        raise Malformed("has no protective MBR")
    return _rows(source, 1, unit, within=table_sectors(unit)[0] // unit)


def _rows(source, place, unit, within=None):
    """(first sector, sectors) of each entry of the GUID Partition Table whose header is at ``place``; this, like all
    that it states, counts in logical sectors of ``unit`` sectors."""
    logical = unit * SECTOR_BYTES
    header = source.read(place * logical, SECTOR_BYTES)
    (magic, _, size, crc, _, _, _, _, _, _, at, count, entry, entries_crc
     ) = _HEADER.unpack_from(header)
    sums = header[:16] + bytes(4) + header[20:size]
    if magic != _SIGNATURE or not _HEADER.size <= size <= SECTOR_BYTES or zlib.crc32(sums) != crc \
            or not 128 <= entry <= 4096 or count > 1024:
        raise Malformed(f"has no GUID partition table at LBA {place}, or a damaged one")
    sectors = -(-count * entry // logical)
    if within is not None and at + sectors > within:
        raise Malformed(f"has a GUID partition table whose entries end at LBA {at + sectors - 1}")
    entries = source.read(at * logical, sectors * logical)[:count * entry]
    if zlib.crc32(entries) != entries_crc:
        raise Malformed(f"has a damaged GUID partition table at LBA {place}")
    rows = (_ENTRY.unpack_from(entries, entry * number) for number in range(count))
    return [(unit * first, unit * (last - first + 1)) for kind, _, first, last, _, _ in rows if any(kind)]
