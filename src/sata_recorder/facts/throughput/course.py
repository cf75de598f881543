"""How fast a drive's medium is from byte to byte of a recording that fills it from LBA 0 on.

Written from the meaning of a profile's fields, not from the drive model: the two are compared.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..units import SECTOR_BYTES
from .channel import Profile

__all__ = ["MOST_STRETCHES", "Stretch", "cost_of", "stretches"]

#: Parts into which a sloping zone is cut.
_PARTS = 32
#: More than these are no plan but a simulation.
MOST_STRETCHES = 1_000_000


@dataclass(frozen=True)
class Stretch:
    """The bytes from ``start`` to ``end`` cost ``cost`` seconds each (0: never the limit), and at
    the end of them the medium stops for ``stall`` seconds."""

    start: float
    end: float
    cost: float
    stall: float = 0.0


def stretches(profile: Profile, size: int, places: Iterable[float] = ()) -> Iterator[Stretch]:
    """The stretches of ``size`` bytes, one after the other; as much of them as the drive has.

    One ends at each of ``places``, which are bytes. Raises ``ValueError`` for an unknown rate that is reached.
    """
    write = profile.write
    size = min(size, SECTOR_BYTES * profile.capacity_sectors)
    cache = min(profile.write_cache_bytes, size)
    if cache < size:
        profile.check_rates("write")
    stalls = _stalls(write, cache, size)
    dips = _dips(profile, cache, size)
    crowded = _crowded(profile)
    edges = {0, size, cache, *places, *stalls,
             *(edge for dip in dips for edge in dip[:2]), *_zone_edges(profile)}
    if crowded is not None:
        edges.add(crowded)
    inner = sorted(edge for edge in edges if 0 <= edge <= size)
    dip = 0
    for start, end in pairwise(inner):
        middle = (start + end) / 2
        while dip < len(dips) and dips[dip][1] <= middle:
            dip += 1
        slow = dips[dip][2] if dip < len(dips) and dips[dip][0] <= middle else 0
        if middle < cache:
            cost = cost_of(write.cache.mb_per_s, profile.scale)
        elif crowded is not None and middle >= crowded:
            cost = max(slow, cost_of(write.crowded.mb_per_s, profile.scale))
        else:
            cost = max(slow, cost_of(_zone(profile, middle), profile.scale))
        yield Stretch(start, end, cost, stalls.get(end, 0.0))


def cost_of(mb_per_s: float | None, scale: float) -> float:
    """Seconds a byte at a rate of a profile with this ``scale``; None is never the limit."""
    return 0.0 if mb_per_s is None else 1e-6 / (mb_per_s * scale)


def _repeat(first: int, every: int, size: int) -> list[int]:
    count = (size - first) // every + 1 if first <= size else 0
    if count > MOST_STRETCHES:
        raise ValueError(f"{count:,} stalls or dips: at most {MOST_STRETCHES:,}")
    return [first + number * every for number in range(int(count))]


def _stalls(write: Any, cache: int, size: int) -> dict[int, float]:
    """Seconds by the byte after which the medium stops for them."""
    found: dict[int, float] = {}
    for stall in write.stalls:
        first = stall.first_bytes or stall.every_bytes
        first += 0 if stall.when == "always" else cache
        for place in _repeat(first, stall.every_bytes, size):
            found[place] = found.get(place, 0.0) + stall.ms / 1e3
    return found


def _dips(profile: Profile, cache: int, size: int) -> list[tuple[int, int, float]]:
    """(start, end, seconds a byte) of the slow stretches; where two overlap, the first counts."""
    write, found = profile.write, []
    for dip in write.dips:
        for end in _repeat(cache + dip.every_bytes, dip.every_bytes, size + dip.every_bytes):
            found.append((end - dip.bytes, end, cost_of(dip.mb_per_s, profile.scale)))
    return sorted(found)


def _crowded(profile: Profile) -> float | None:
    """The byte from which on the drive is crowded; None where it never is."""
    crowded, fill = profile.write.crowded, profile.initial_fill
    if crowded is None:
        return None
    if fill >= crowded.from_fill:
        return 0
    return SECTOR_BYTES * profile.capacity_sectors * (crowded.from_fill - fill) / (1 - fill)


def _zone_edges(profile: Profile) -> Iterator[float]:
    """Places between which a zone's slope is taken as level."""
    knots, capacity = profile.write.knots, SECTOR_BYTES * profile.capacity_sectors
    for (left, before), (right, after) in pairwise(knots):
        parts = 1 if before == after else _PARTS
        yield from (capacity * (left + (right - left) * part / parts) for part in range(parts))


def _zone(profile: Profile, place: float) -> float | None:
    """MB/s, unscaled, at this byte; None: never the limit."""
    fraction = place / (SECTOR_BYTES * profile.capacity_sectors)
    for (left, before), (right, after) in pairwise(profile.write.knots):
        if left <= fraction <= right:
            return before + (after - before) * (fraction - left) / (right - left)
    return None
