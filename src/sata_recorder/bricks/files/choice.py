"""One of several words, as a sum of products."""

from functools import reduce
from operator import or_

from amaranth.hdl import Mux

__all__ = ["choice"]


def choice(pairs):
    """The value of the one pair (condition, value) whose condition holds; 0 for none."""
    return reduce(or_, (Mux(condition, value, 0) for condition, value in pairs))
