"""A CRC with the generator 04C11DB7h, a dword a clock: that of a SATA frame, and the CRC-32 of zlib and Ethernet."""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat

__all__ = ["CRC_SEED", "crc32_next", "crc_next"]

#: Value before the first dword of a frame (Serial ATA Revision 3.x, link layer, CRC).
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

#: Sums that many bits of the result have in common: each lists the bits of the input that it adds, 32 and higher
#: being the sums before it. Synthesis does not find them by itself; a search for the fewest 4-input LUTs did.
_SHARED = (
    (9, 27, 31), (0, 1, 6, 13), (3, 8, 15, 29), (4, 5, 21, 24), (2, 7, 14), (6, 22, 25),
    (24, 26, 28), (19, 26, 29), (3, 10, 18, 19), (9, 12, 16, 30), (11, 12, 18, 24), (15, 17, 32),
    (5, 20, 30, 37), (4, 8, 17, 23), (2, 5, 9, 13), (7, 11, 20, 27), (9, 16, 17, 24),
    (10, 16, 21, 28), (0, 2, 25, 34), (6, 10, 31, 38), (0, 14, 16, 39), (0, 1, 3, 12),
    (11, 22, 28, 31), (23, 28, 29, 32), (4, 6, 19, 20), (3, 7, 20, 35), (18, 30, 33), (7, 22, 23),
    (8, 27, 38), (1, 36), (4, 20, 38), (13, 17, 22), (31, 37, 40), (5, 24),
)


def crc_next(crc, dword):
    """The CRC after ``dword`` (32 bits, unscrambled); combinational.

    Generator 04C11DB7h, most significant bit first, no reflection and no final inversion.
    """
    return Cat(_next(list(crc ^ dword)))


def crc32_next(crc, word):
    """The CRC-32 of zlib and Ethernet after ``word`` (32 bits, the first byte in bits 7:0); combinational.

    :func:`crc_next` with all bits in reverse order. ``crc`` is FFFFFFFFh before the first word; after the last one
    its inverse is the CRC-32.
    """
    return Cat(_next(list(crc ^ word)[::-1])[::-1])


def _next(bits):
    rows = [{i for i, column in enumerate(_COLUMNS) if column >> bit & 1} for bit in range(32)]
    for terms in map(set, _SHARED):
        for row in rows:
            if terms <= row:
                row -= terms
                row.add(len(bits))
        bits.append(_sum(bits, terms))
    return [_sum(bits, row) for row in rows]


def _sum(bits, places):
    return reduce(xor, (bits[place] for place in sorted(places)))
