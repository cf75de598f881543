"""Frames: FIS bytes to scrambled dwords with CRC, and back (Serial ATA Revision 3.x, link layer,
frames)."""

from array import array
from collections.abc import Iterable

from .crc import crc_swapped
from .primitives import EOF, SOF
from .scrambler import xor


_PLACE = bytes(4)


def _crc(data: bytes) -> int:
    words = array("I", data)
    words.byteswap()
    return crc_swapped(words.tobytes())


def scrambled(fis: bytes, damage: int = 0) -> array:
    """The dwords of a frame: 0 in the place of SOF, scrambled FIS and CRC, 0 in the place of EOF;
    ``damage`` is XORed into the CRC."""
    crc = _crc(fis) ^ damage
    return array("I", b"".join((_PLACE, xor(fis + crc.to_bytes(4, "little")), _PLACE)))


def encode(fis: bytes, damage: int = 0) -> list:
    """SOF, scrambled FIS and CRC, EOF as 33-bit words; ``damage`` is XORed into the CRC."""
    return [SOF, *scrambled(fis, damage)[1:-1], EOF]


def decode(words: Iterable[int]) -> tuple:
    """(FIS bytes without CRC, CRC is good) of the scrambled dwords between SOF and EOF: ints, or
    bytes."""
    data = xor(array("I", words).tobytes())
    if len(data) < 8:
        return data, False
    return data[:-4], _crc(data[:-4]) == int.from_bytes(data[-4:], "little")
