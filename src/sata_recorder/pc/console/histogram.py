"""Histograms of times, as the console gives them, in rows for people."""

from collections.abc import Iterator

from ...facts.units import BINS

__all__ = ["histogram_rows"]

#: Characters of the longest bar.
_WIDTH = 40


def histogram_rows(found: dict[int, int], clock_hz: float) -> Iterator[tuple[str, str, str]]:
    """Time, count and bar of each bin of ``found``, {n: count}: bin n counts what took 2^n to
    2^(n+1) - 1 clocks. A row of dots stands for empty ones in between."""
    if not found:
        yield "no time", "0", "has been counted"
        return
    most = max(found.values())
    before = min(found)
    for n, count in sorted(found.items()):
        if n > before + 1:
            yield "...", "0", ""
        before = n
        end = "or more" if n == BINS - 1 else f"to {_time((2 << n) / clock_hz)}"
        yield (f"{_time((1 << n) / clock_hz)} {end}", f"{count:,}", "#" * -(-_WIDTH * count // most))


def _time(seconds):
    for unit, scale in ("s", 1), ("ms", 1e3), ("us", 1e6):
        if scale * seconds >= 1:
            return f"{scale * seconds:.3g} {unit}"
    return f"{1e9 * seconds:.3g} ns"
