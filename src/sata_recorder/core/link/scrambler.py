"""The scrambler (Serial ATA Revision 3.x, link layer, frame content scrambling)."""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat

__all__ = ["SCRAMBLER_SEED", "scrambler_next"]

#: The keystream for the first dword after SOF: 32 bits of the register with seed FFFFh.
SCRAMBLER_SEED = 0xC2D2768D


def scrambler_next(keystream):
    """The 32-bit keystream that follows ``keystream``; combinational.

    The serial output s of x^16+x^15+x^13+x^4+1 obeys the recurrence of each multiple of that
    polynomial. With x^32+x^11+x^7+x+1 a bit is the XOR of four that are 32 to 21 bits older: of
    ``keystream`` (bit 0 is the oldest), or of the first bits that follow it. ``keystream`` must be
    32 bits of s.
    """
    def follow(older, first, stop):
        return reduce(xor, (older[first + lag:stop + lag] for lag in (0, 1, 7, 11)))
    begin = follow(keystream, 0, 21)
    return Cat(begin, follow(Cat(keystream, begin), 21, 32))
