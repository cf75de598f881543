"""Linear maps over GF(2): what CRC and scrambler advance by in one clock of 32 bits."""

from functools import reduce
from operator import xor

from amaranth.hdl import Const, Mux, Value

__all__ = ["linear"]


def linear(columns, x, width=32):
    """The XOR of the constants ``columns[i]`` over all set bits i of ``x``.

    Written by columns rather than as one parity a result bit: synthesis finds the same
    XOR network, and a simulator works on words instead of bits.
    """
    x = Value.cast(x)
    assert len(columns) == len(x)
    return reduce(xor, (Mux(x[i], Const(column, width), Const(0, width))
                        for i, column in enumerate(columns)))
