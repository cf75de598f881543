"""Minimum, mean, maximum and a small histogram of some counts."""

from dataclasses import dataclass

__all__ = ["Statistics"]

BINS = 8


@dataclass(frozen=True)
class Statistics:
    """``histogram`` is a list of (lowest, highest, count); the bins are of equal width, to one."""

    count: int
    minimum: int
    mean: float
    maximum: int
    histogram: list

    @classmethod
    def of(cls, numbers):
        """Those of ``numbers``; None for none."""
        numbers = sorted(numbers)
        if not numbers:
            return None
        low, high = numbers[0], numbers[-1]
        width = -(-(high - low + 1) // BINS)
        histogram = []
        for start in range(low, high + 1, width):
            stop = min(start + width, high + 1)
            histogram.append((start, stop - 1, sum(start <= number < stop for number in numbers)))
        return cls(len(numbers), low, sum(numbers) / len(numbers), high, histogram)
