"""The scrambler's keystream (Serial ATA Revision 3.x, link layer, scrambling).

G(x) = x^16 + x^15 + x^13 + x^4 + 1, seed FFFFh, restarted at each SOF; 32 bits a dword, bit 0
first.
"""


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


def _packed(count):
    return b"".join(dword.to_bytes(4, "little") for dword in keystream(count))


_stream = []
_bytes = b""


def keystream(count: int) -> list:
    """At least ``count`` dwords of the sequence of a FIS, shared and extended when needed."""
    global _stream
    if len(_stream) < count:
        _stream = generate(max(count, 2 * len(_stream), 2050))
    return _stream


def xor(data: bytes) -> bytes:
    """Scramble or descramble a whole FIS (header to CRC), dwords in little-endian byte order."""
    global _bytes
    size = len(data)
    if len(_bytes) < size:
        _bytes = _packed((size + 3) // 4)
    return (int.from_bytes(data, "little") ^ int.from_bytes(_bytes[:size], "little")
            ).to_bytes(size, "little")


#: Dwords sent after CONT: another stretch of the sequence, indexed with the clock modulo its
#: length.
JUNK = generate(4096, seed=0xF0F6)
