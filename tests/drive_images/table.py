"""Cases: the recording table, the partition table and the boot region are not as they were."""

import struct
import zlib

from .cases import ALL, ImageCase, record
from .pc import SECTOR

BOOT_SECTORS = 12


def resealed(image, lba):
    """A sector of the recording table with its right CRC-32."""
    place = SECTOR * lba
    struct.pack_into("<I", image, place + 508, zlib.crc32(image[place:place + 508]))


def slot_lba(number):
    return 1024 + number


def version_1(image, planned):
    for lba in range(1024, 1025 + len(planned.slots)):
        place = SECTOR * lba
        struct.pack_into("<I", image, place + 8, 1)
        first = 80 if lba == 1024 else 64
        image[place + first:place + 508] = bytes(508 - first)
        resealed(image, lba)


def version_1_recorded(image, planned):
    record(image, planned, 1)
    version_1(image, planned)


def one_slot_of_version_1(image, planned):
    struct.pack_into("<I", image, SECTOR * slot_lba(2) + 8, 1)
    resealed(image, slot_lba(2))


def header(image, planned):
    image[SECTOR * 1024 + 20] ^= 1


def slot(image, planned):
    image[SECTOR * slot_lba(2) + 20] ^= 1


def slot_elsewhere(image, planned):
    """The directory sector of a slot is not in its block, though the sum is right."""
    struct.pack_into("<Q", image, SECTOR * slot_lba(2) + 40, planned.slots[1].directory_lba + 1)
    resealed(image, slot_lba(2))


def slot_offsets(image, planned):
    struct.pack_into("<II", image, SECTOR * slot_lba(3) + 48, 192, 288)
    resealed(image, slot_lba(3))


def slot_of_another(image, planned):
    image[SECTOR * slot_lba(3):SECTOR * slot_lba(4)] = image[SECTOR * slot_lba(2):SECTOR * slot_lba(3)]


# The partition table.

def gpt(image, *, name=None, partition=None, disk=None, type_id=None, second=False):
    """Changes the partition table as partitioning tools do: both copies, with their sums."""
    last = len(image) // SECTOR - 1
    for at, entries in (1, 2), (last, last - 32):
        place, rows = SECTOR * at, SECTOR * entries
        if disk is not None:
            image[place + 56:place + 72] = disk
        if type_id is not None:
            image[rows:rows + 16] = type_id
        if partition is not None:
            image[rows + 16:rows + 32] = partition
        if name is not None:
            image[rows + 56:rows + 128] = name.encode("utf-16-le").ljust(72, b"\0")
        if second:
            image[rows + 128:rows + 256] = image[rows:rows + 128]
            image[rows + 144:rows + 160] = bytes(range(16))
            struct.pack_into("<QQ", image, rows + 160, last - 40, last - 34)
        size = struct.unpack_from("<I", image, place + 12)[0]
        struct.pack_into("<I", image, place + 88, zlib.crc32(image[rows:rows + 128 * 128]))
        struct.pack_into("<I", image, place + 16, 0)
        struct.pack_into("<I", image, place + 16, zlib.crc32(image[place:place + size]))


def backup_gpt(image, planned):
    image[-SECTOR * 33:] = bytes(SECTOR * 33)


def mbr_record(image, planned):
    image[446 + 4] = 0x07


def boot_code(image, planned):
    """Boot code and disk signature, which Windows writes, stand before the records."""
    image[0:446] = bytes(range(223)) * 2


def repartitioned(image, planned):
    """An MBR with one partition of all, as a camera makes it; the volume stays."""
    image[0:SECTOR * 34] = bytes(SECTOR * 34)
    struct.pack_into("<B3sB3sII", image, 446, 0, b"\1\1\0", 7, b"\xff\xff\xff", 2048,
                     len(image) // SECTOR - 2048)
    image[510:512] = b"\x55\xaa"


# The boot region.

def region(image, planned):
    return SECTOR * planned.table.partition_lba


def with_boot(change, *, seal=True):
    """``change(image, place)`` of both boot regions; with ``seal`` with their right checksums."""
    def make(image, planned):
        for first in region(image, planned), region(image, planned) + SECTOR * BOOT_SECTORS:
            change(image, first)
            if not seal:
                continue
            total = 0
            for place in range(11 * SECTOR):
                if place not in (106, 107, 112):
                    total = (total >> 1 | (total & 1) << 31) + image[first + place] & 0xFFFFFFFF
            struct.pack_into("<128I", image, first + 11 * SECTOR, *128 * [total])
    return make


def field(place, content):
    def change(image, first):
        image[first + place:first + place + len(content)] = content
    return change


def only_main(place, content):
    def make(image, planned):
        field(place, content)(image, region(image, planned))
    return make


def backup_region(image, planned):
    first = region(image, planned) + SECTOR * BOOT_SECTORS
    image[first:first + SECTOR * BOOT_SECTORS] = bytes(SECTOR * BOOT_SECTORS)


CASES = {
    "table of version 1": ImageCase(version_1, as_prepared=False, free=()),
    "table of version 1, recorded": ImageCase(version_1_recorded, as_prepared=False, free=()),
    "one slot of version 1": ImageCase(one_slot_of_version_1, free=(1, 3, 4)),
    "header damaged": ImageCase(header, as_prepared=False, free=()),
    "slot damaged": ImageCase(slot, free=(1, 3, 4)),
    "slot with another directory sector": ImageCase(slot_elsewhere, free=(1, 3, 4)),
    "slot with other offsets": ImageCase(slot_offsets, free=(1, 2, 4)),
    "slot in the place of another": ImageCase(slot_of_another, free=(1, 2, 4)),
    "partition renamed": ImageCase(lambda image, planned: gpt(image, name="holiday"), as_prepared=False,
                              free=()),
    "partition with another GUID": ImageCase(lambda image, planned: gpt(image, partition=bytes(range(16))),
                                        as_prepared=False, free=()),
    "disk with another GUID": ImageCase(lambda image, planned: gpt(image, disk=bytes(range(16))),
                                   as_prepared=False, free=()),
    "partition of another type": ImageCase(lambda image, planned: gpt(image, type_id=bytes(range(16))),
                                      as_prepared=False, free=()),
    "second partition": ImageCase(lambda image, planned: gpt(image, second=True), as_prepared=False, free=()),
    "partition table written anew": ImageCase(lambda image, planned: gpt(image)),
    "backup of the partition table lost": ImageCase(backup_gpt),
    "record of the MBR": ImageCase(mbr_record, as_prepared=False, free=()),
    "boot code in the MBR": ImageCase(boot_code),
    "partitioned anew": ImageCase(repartitioned, as_prepared=False, free=()),
    "boot sector with another serial number": ImageCase(with_boot(field(100, b"ABCD")), as_prepared=False,
                                                   free=()),
    "boot code in the boot sector": ImageCase(with_boot(field(120, b"boot")), as_prepared=False, free=()),
    "extended boot sector": ImageCase(with_boot(field(SECTOR + 7, b"x")), as_prepared=False, free=()),
    "checksum sector": ImageCase(with_boot(field(11 * SECTOR + 300, b"x"), seal=False), as_prepared=False,
                            free=()),
    "boot region lost": ImageCase(only_main(0, bytes(12 * SECTOR)), as_prepared=False, free=()),
    "boot region full of ones": ImageCase(only_main(0, b"\xff" * 12 * SECTOR), as_prepared=False, free=()),
    "backup of the boot region lost": ImageCase(backup_region),
    "volume not unmounted": ImageCase(only_main(106, b"\2")),
    "volume with other flags": ImageCase(only_main(106, b"\x0a")),
    "percent in use": ImageCase(only_main(112, b"\x63")),
}
assert all(set(case.free) <= set(ALL) for case in CASES.values())
