"""The scrambler (Serial ATA Revision 3.x, link layer, frame content scrambling)."""

from .gf2 import linear

__all__ = ["SCRAMBLER_SEED", "scrambler_next"]

#: The keystream for the first dword after SOF: 32 bits of the register with seed FFFFh.
SCRAMBLER_SEED = 0xC2D2768D


def _columns():
    # The serial output of x^16+x^15+x^13+x^4+1 obeys the recurrence of its polynomial, so the
    # upper half of a keystream (bit 0 is the oldest) determines the next keystream.
    history = [1 << i for i in range(16)]
    for n in range(32):
        history.append(history[n + 15] ^ history[n + 13] ^ history[n + 4] ^ history[n])
    for source in range(16):
        yield sum(((bit >> source) & 1) << i for i, bit in enumerate(history[16:]))


_COLUMNS = tuple(_columns())


def scrambler_next(keystream):
    """The 32-bit keystream that follows ``keystream``; combinational."""
    return linear(_COLUMNS, keystream[16:])
