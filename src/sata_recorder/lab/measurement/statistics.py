"""Minimum, mean, maximum and a small histogram of some counts."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

BINS = 8
_STEEP = 16


@dataclass(frozen=True)
class Statistics:
    """``count`` is how many numbers there are; ``minimum``, ``mean`` and ``maximum`` have their unit, and so have the
    first two of each [lowest, highest, count] of the list ``histogram``: lists, as JSON gives them back.

    The bins are of equal width, except that the last may be narrower; they are of equal ratio if the
    highest number is more than 16 times the lowest, or a few slow ones would leave all others in one bin.
    """

    count: int
    minimum: int
    mean: float
    maximum: int
    histogram: list

    @classmethod
    def of(cls, numbers: Iterable[int]) -> Self | None:
        """The statistics of ``numbers``; None if there are none."""
        numbers = sorted(numbers)
        if not numbers:
            return None
        low, high = numbers[0], numbers[-1]
        histogram = [[start, stop - 1, bisect_left(numbers, stop) - bisect_left(numbers, start)]
                     for start, stop in pairwise(_edges(low, high))]
        return cls(len(numbers), low, sum(numbers) / len(numbers), high, histogram)


def _edges(low, high):
    """Where the bins begin, and the number after the last one."""
    if high <= _STEEP * max(low, 1):
        width = -(-(high - low + 1) // BINS)
        return [*range(low, high + 1, width), high + 1]
    ratio = ((high + 1) / max(low, 1)) ** (1 / BINS)
    inner = {round(max(low, 1) * ratio ** n) for n in range(1, BINS)}
    return sorted({low, high + 1, *(edge for edge in inner if low < edge <= high)})
