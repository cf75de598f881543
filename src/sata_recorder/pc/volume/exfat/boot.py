"""The boot region of exFAT: main and backup boot sector, and their checksum.

Microsoft, "exFAT file system specification", section 3 "Main and Backup Boot Regions". A region is
12 sectors: boot sector, 8 extended boot sectors, OEM parameters, a reserved one, the checksum. A sector
of the volume has 512 or 4096 bytes, as the drive's logical sectors.
"""

import struct
from dataclasses import dataclass
from typing import Self

from ....facts.units import SECTOR_BYTES
from .malformed import Malformed

__all__ = ["BOOT_REGION_SECTORS", "BootSector", "SECTOR_SHIFTS", "boot_region", "checksum", "parse_boot_region",
           "settled_region"]

BOOT_REGION_SECTORS = 12
#: A sector has 1 << one of these bytes.
SECTOR_SHIFTS = 9, 12
_BOOT = struct.Struct("<3s8s53xQQIIIIIIHHBBBBB7x390s2s")
_JUMP, _NAME, _SIGNATURE = b"\xeb\x76\x90", b"EXFAT   ", b"\x55\xaa"
_EXTENDED_SIGNATURE = b"\0\0\x55\xaa"
_HALT = b"\xf4" * 390           # BootCode of a volume that nothing boots from (section 3.1.20)
#: VolumeFlags and PercentInUse, which change in use and are left out of the checksum.
_CHANGING = (106, 107, 112)
#: VolumeFlags: what the volume states may be wrong with it (section 3.1.13).
DIRTY, MEDIA_FAILURE = 2, 4


@dataclass(frozen=True)
class BootSector:
    """Where the parts of a volume are: sectors of 512 bytes from its first one (section 3.1), whatever a sector
    of the volume has: 1 << ``sector_shift`` bytes."""

    partition_offset: int       # the LBA of the volume's first sector
    volume_sectors: int
    fat_offset: int
    fat_sectors: int
    heap_offset: int            # of cluster 2, the first one
    clusters: int
    root_cluster: int
    serial: int
    cluster_shift: int          # a cluster has 1 << cluster_shift sectors
    flags: int = 0
    sector_shift: int = 9

    @property
    def unit(self) -> int:
        """A sector of the volume in sectors of 512 bytes."""
        return 1 << self.sector_shift - 9

    @property
    def region_sectors(self) -> int:
        """The sectors of a boot region, of 512 bytes."""
        return BOOT_REGION_SECTORS * self.unit

    @property
    def cluster_bytes(self) -> int:
        return SECTOR_BYTES << self.cluster_shift

    def sector_of(self, cluster: int) -> int:
        """The first sector of ``cluster``, from the first one of the volume."""
        return self.heap_offset + (cluster - 2 << self.cluster_shift)

    def clusters_of(self, size: int) -> int:
        """The clusters that ``size`` bytes take."""
        return -(-size // self.cluster_bytes)

    def pack(self) -> bytes:
        """The 512 bytes with which the sector begins; if it is longer, what follows does not matter."""
        places = (self.partition_offset, self.volume_sectors, self.fat_offset, self.fat_sectors, self.heap_offset)
        return _BOOT.pack(
            _JUMP, _NAME, *(place // self.unit for place in places), self.clusters, self.root_cluster,
            self.serial, 0x100, self.flags, self.sector_shift, self.cluster_shift + 9 - self.sector_shift,
            1, 0x80, 0xFF, _HALT, _SIGNATURE)

    @classmethod
    def parse(cls, sector: bytes) -> Self:
        """The boot sector that begins with 512 bytes. Raises :exc:`.malformed.Malformed`."""
        (jump, name, offset, volume, fat, fat_sectors, heap, clusters, root, serial, revision,
         flags, sector_shift, cluster_shift, fats, _, _, _, signature) = _BOOT.unpack(sector)
        if (name, signature) != (_NAME, _SIGNATURE):
            raise Malformed("is no exFAT volume: its first sector names no such file system")
        if any(sector[11:64]):
            raise Malformed("is no exFAT volume: MustBeZero of its boot sector is not zero")
        if sector_shift not in SECTOR_SHIFTS:
            raise Malformed(f"has sectors of {1 << sector_shift % 64} bytes, only 512 and 4096 are known")
        if revision >> 8 != 1:
            raise Malformed(f"has revision {revision >> 8}.{revision & 0xFF:02}, only 1.00 is "
                            "known")
        if fats != 1:
            raise Malformed(f"has {fats} FATs, only one is known")
        if cluster_shift > 25 - sector_shift or not 1 <= clusters <= (1 << 32) - 11:
            raise Malformed("has a boot sector with sizes that cannot be")
        unit = 1 << sector_shift - 9
        found = cls(unit * offset, unit * volume, unit * fat, unit * fat_sectors, unit * heap, clusters, root, serial,
                    cluster_shift + sector_shift - 9, flags, sector_shift)
        volume, fat_bytes = unit * volume, fat_sectors << sector_shift
        if not (fat >= 24 and fat + fat_sectors <= heap
                and fat_bytes >= 4 * (clusters + 2)
                and found.sector_of(clusters + 2) <= volume and 2 <= root < clusters + 2):
            raise Malformed("has a boot sector with parts that overlap or lie outside of it")
        return found


def checksum(sectors: bytes) -> int:
    """The checksum of the first 11 sectors of a boot region (section 3.4)."""
    total = 0
    for place, byte in enumerate(sectors):
        if place not in _CHANGING:
            total = ((total << 31 | total >> 1) + byte) & 0xFFFFFFFF
    return total


def boot_region(boot: BootSector) -> bytes:
    """The 12 sectors of a boot region."""
    size = 1 << boot.sector_shift
    content = boot.pack().ljust(size, b"\0")
    content += 8 * (bytes(size - 4) + _EXTENDED_SIGNATURE) + bytes(2 * size)
    return content + struct.pack("<I", checksum(content)) * (size // 4)


def parse_boot_region(content: bytes) -> BootSector:
    """The boot sector of a region of 12 sectors, its checksum compared.

    Raises :exc:`.malformed.Malformed`.
    """
    boot = BootSector.parse(content[:SECTOR_BYTES])
    size = len(content) // BOOT_REGION_SECTORS
    if size != 1 << boot.sector_shift:
        raise Malformed(f"is no exFAT volume with sectors of {size} bytes")
    body = content[:11 * size]
    if content[11 * size:] != struct.pack("<I", checksum(body)) * (size // 4):
        raise Malformed("has a boot region whose checksum differs")
    return boot


def settled_region(content: bytes) -> bytes:
    """A boot region with zeros in the fields of its boot sector that change in use."""
    found = bytearray(content)
    for place in _CHANGING:
        found[place] = 0
    return bytes(found)
