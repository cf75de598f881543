"""The scrambler's keystream (Serial ATA Revision 3.x, link layer, scrambling).

G(x) = x^16 + x^15 + x^13 + x^4 + 1, seed FFFFh, restarted at each SOF; 32 bits a dword, bit 0
first.
"""

import functools
from array import array


def generate(count: int, seed: int = 0xFFFF) -> list:
    """The first ``count`` dwords of the sequence that starts from ``seed``."""
    stream = []
    state = seed
    for _ in range(count):
        dword = 0
        for bit in range(32):
            out = state >> 15
            dword |= out << bit
            state = (state << 1) & 0xFFFF ^ (0xA011 if out else 0)
        stream.append(dword)
    return stream


_stream: list[int] = []


def keystream(count: int) -> list:
    """At least ``count`` dwords of the sequence of a FIS, shared and extended when needed."""
    global _stream
    if len(_stream) < count:
        _stream = generate(max(count, 2 * len(_stream), 2050))
    return _stream


@functools.lru_cache(maxsize=64)
def _key(size):
    """The sequence as one number of ``size`` bytes."""
    stream = array("I", keystream((size + 3) // 4))
    return int.from_bytes(stream.tobytes()[:size], "little")


def xor(data: bytes) -> bytes:
    """Scramble or descramble a whole FIS (header to CRC), dwords in little-endian byte order."""
    size = len(data)
    return (int.from_bytes(data, "little") ^ _key(size)).to_bytes(size, "little")


#: Dwords sent after CONT: another stretch of the sequence, indexed with the clock modulo its
#: length.
JUNK = generate(4096, seed=0xF0F6)
