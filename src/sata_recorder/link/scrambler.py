"""The scrambler (Serial ATA 3.x, link layer, frame content scrambling)."""

from .gf2 import linear

__all__ = ["SCRAMBLER_SEED", "scrambler_next"]

#: The key for the first dword after SOF: 32 bits of the register with seed FFFFh.
SCRAMBLER_SEED = 0xC2D2768D


def _columns():
    # The serial output of x^16+x^15+x^13+x^4+1 obeys the recurrence of its polynomial, so the
    # upper half of a key (bit 0 is the oldest) determines the next key.
    history = [1 << i for i in range(16)]
    for n in range(32):
        history.append(history[n + 15] ^ history[n + 13] ^ history[n + 4] ^ history[n])
    for source in range(16):
        yield sum(((bit >> source) & 1) << i for i, bit in enumerate(history[16:]))


_COLUMNS = tuple(_columns())


def scrambler_next(key):
    """The 32-bit key that follows ``key``; combinational."""
    return linear(_COLUMNS, key[16:])
