"""Linear maps over GF(2): what the CRC advances by in one clock of 32 bits."""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Value

__all__ = ["linear"]


def linear(columns, x, shared=(), width=32):
    """The XOR of the constants ``columns[i]`` over all set bits i of ``x``.

    Parameters
    ----------
    shared : of tuples
        Sums that many bits of the result have in common: each the numbers of bits of ``x``, or,
        from ``len(x)`` on, of sums before it. Synthesis does not find them by itself.
    """
    bits = list(Value.cast(x))
    assert len(columns) == len(bits)
    rows = [{i for i, column in enumerate(columns) if column >> bit & 1} for bit in range(width)]
    for terms in map(set, shared):
        for row in rows:
            if terms <= row:
                row -= terms
                row.add(len(bits))
        bits.append(reduce(xor, (bits[i] for i in sorted(terms))))
    return Cat(reduce(xor, (bits[i] for i in sorted(row))) for row in rows)
