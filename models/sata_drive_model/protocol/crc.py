"""The CRC of a FIS (Serial ATA Revision 3.x, link layer, CRC).

One file of plain ints: crc.pxd beside it states how it is compiled.

Polynomial 04C11DB7h, seed 52325032h, over whole dwords most significant bit first, no reflection,
no final XOR.
"""

import zlib
from array import array
from collections.abc import Iterable

POLYNOMIAL = 0x04C11DB7
SEED = 0x52325032


def _table():
    table = []
    for value in range(256):
        crc = value << 24
        for _ in range(8):
            crc = (crc << 1) ^ (POLYNOMIAL if crc & 0x80000000 else 0)
        table.append(crc & 0xFFFFFFFF)
    return array("I", table)


_TABLE = _table()
_REVERSED = bytes(int(f"{value:08b}"[::-1], 2) for value in range(256))


def crc_dwords(dwords: Iterable[int], crc: int = SEED) -> int:
    """CRC of a sequence of 32-bit ints, by table, a byte at a time from the top."""
    for dword in dwords:
        for shift in (24, 16, 8, 0):
            crc = (crc << 8) & 0xFFFFFFFF ^ _TABLE[(crc >> 24) ^ (dword >> shift) & 0xFF]
    return crc


def _reverse(value: int) -> int:
    return int.from_bytes(value.to_bytes(4, "big").translate(_REVERSED), "little")


_ZLIB_SEED = _reverse(SEED) ^ 0xFFFFFFFF


def crc_swapped(data: bytes) -> int:
    """The same CRC at the speed of zlib.

    ``data`` holds the dwords in big-endian byte order: with the bits of every byte mirrored this is
    the bit order zlib's reflected CRC of the same polynomial works in; only seed and result need
    mirroring.
    """
    return _reverse(zlib.crc32(data.translate(_REVERSED), _ZLIB_SEED) ^ 0xFFFFFFFF)
