"""The CRC of a frame (Serial ATA Revision 3.x, link layer, CRC)."""

from .gf2 import linear

__all__ = ["CRC_SEED", "crc_next"]

#: Value before the first dword of a frame.
CRC_SEED = 0x52325032

_POLYNOMIAL = 0x04C11DB7


def _columns():
    for bit in range(32):
        value = 1 << bit
        for _ in range(32):
            value = (value << 1) ^ (_POLYNOMIAL if value >> 31 else 0)
            value &= 0xFFFFFFFF
        yield value


_COLUMNS = tuple(_columns())


def crc_next(crc, dword):
    """The CRC after ``dword`` (32 bits, unscrambled); combinational.

    Generator 04C11DB7h, most significant bit first, no reflection and no final inversion.
    """
    return linear(_COLUMNS, crc ^ dword)
