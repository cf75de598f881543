"""The answer for one drive: whether it fits, what FIFO, how many drives, how long they live."""

import math
from dataclasses import asdict, dataclass, replace

from ..config import Configuration
from ..units import SECTOR_BYTES, WORD_BYTES
from .inputs import inputs
from .queue import Channel, waiting

__all__ = ["BUFFER_WORDS", "MOST_DRIVES", "DrivePlan", "fifo_words", "plan", "plans",
           "share"]

#: The core's own buffer, in front of which the FIFO stands.
BUFFER_WORDS = Configuration.model_fields["buffer_words"].default
#: More drives than these are not looked for.
MOST_DRIVES = 256
_YEAR = 365.25 * 86400


@dataclass(frozen=True)
class DrivePlan:
    """What ``requirement`` needs with the drive of ``profile``.

    ``fits``: one drive takes all of it with a FIFO of at most the depth asked for, and ``reasons``
    are texts why, or why not. ``fifo_words`` is the depth in front of the core (None: more than
    that). ``link_rate`` bytes a second with the gaps of commands, ``first_rate`` and ``last_rate``
    those of drive and link at the beginning and at the end of it, ``mean_rate`` of all of it with
    its stalls. ``stall_seconds`` of the longest standstill, ``stalls`` of them, ``stall_bytes``
    that arrive in one. ``cache_bytes`` and ``cache_seconds`` until the cache is full (None: none,
    or never). ``lasts_seconds`` until the FIFO is full, or the drive. ``drives`` striped that take
    it (None: more than 256), each with ``striped_fifo_words``. ``life_years`` of each drive (None:
    what it is rated for is not published), striped where that is needed.
    """

    requirement: object
    profile: object
    fits: bool
    reasons: list
    fifo_words: int | None
    link_rate: float
    first_rate: float
    last_rate: float
    mean_rate: float
    stall_seconds: float
    stalls: int
    stall_bytes: int
    cache_bytes: int
    cache_seconds: float | None
    lasts_seconds: float
    drives: int | None
    striped_fifo_words: int | None
    life_years: float | None

    @property
    def words_per_stall_ms(self):
        """Words that arrive for each drive in a millisecond: what a stall that the profile does not
        have would add to the FIFO."""
        return self.requirement.rate / (self.drives or 1) / WORD_BYTES / 1e3

    @property
    def inputs(self):
        """The :class:`.inputs.Input` of all that decided it."""
        return inputs(self.requirement, self.profile)

    def as_data(self):
        """Dictionaries, lists, texts and numbers, as JSON can hold them."""
        data = {name: value for name, value in vars(self).items()
                if name not in ("requirement", "profile")}
        return {"drive": self.profile.name, "description": self.profile.description,
                "scale": self.profile.scale, **data,
                "stalls_known": bool(self.profile.write.stalls),
                "words_per_stall_ms": self.words_per_stall_ms,
                "inputs": [asdict(one) for one in self.inputs]}


def plans(requirement, profiles):
    """The :class:`DrivePlan` of each profile: real drives before scaled shapes, the fewest drives
    first."""
    found = [plan(requirement, profile) for profile in profiles]
    return sorted(found, key=lambda one: (one.profile.scale != 1, one.drives or math.inf,
                                          -one.mean_rate))


def plan(requirement, profile):
    """The :class:`DrivePlan` of one profile. Raises ``ValueError`` for one with a million stalls."""
    alone = _waiting(requirement, profile)
    link = Channel.of(requirement, profile)
    capacity = SECTOR_BYTES * profile.capacity_sectors
    depth = _depth(alone)
    too_deep = WORD_BYTES * depth > requirement.fifo_bytes
    too_small = requirement.bytes > capacity
    drives, striped = (1, alone) if not (too_deep or too_small) else _striped(requirement, profile)
    lasts = min(capacity, requirement.bytes if alone.lasts is None else alone.lasts)
    if alone.lasts is None and not too_small:
        lasts = _until_full(requirement, profile)
    cache = profile.write_cache_bytes
    cached = cache if 0 < cache < requirement.bytes else None
    return DrivePlan(
        requirement, profile, not (too_deep or too_small),
        list(_reasons(requirement, profile, alone, depth, too_deep, too_small)),
        None if too_deep else depth, 1 / link.cost(0.0, profile.write.buffer_bytes),
        alone.fastest, alone.last, alone.mean, alone.longest, alone.stalls,
        round(requirement.rate * alone.longest), cache,
        None if cached is None else cached / requirement.rate, lasts / requirement.rate, drives,
        None if striped is None else _depth(striped), _life(requirement, profile, drives or 1))


def fifo_words(requirement, profile):
    """Words of a FIFO in front of the core with which one drive of ``profile`` loses nothing, however
    deep that is. Raises ``ValueError`` for a profile with a million stalls."""
    return _depth(_waiting(requirement, profile))


def _waiting(requirement, profile):
    return waiting(requirement, profile, requirement.fifo_bytes, BUFFER_WORDS)


def _depth(found):
    """Words of a FIFO that loses nothing."""
    return max(1, math.ceil(found.peak / WORD_BYTES) - BUFFER_WORDS)


def _until_full(requirement, profile):
    """Bytes until the FIFO overflows or the drive is full, however long that takes."""
    capacity = SECTOR_BYTES * profile.capacity_sectors
    whole = replace(requirement, seconds=None, size=capacity)
    found = _waiting(whole, profile)
    return capacity if found.lasts is None else min(capacity, found.lasts)


def share(requirement, count):
    """What each of ``count`` striped drives has of the requirement."""
    return replace(requirement, rate=requirement.rate / count, seconds=None,
                   size=math.ceil(requirement.bytes / count))


def _striped(requirement, profile):
    """The fewest drives, each of which takes its share, and the :class:`.queue.Waiting` of one."""
    capacity = SECTOR_BYTES * profile.capacity_sectors
    for count in range(max(1, math.ceil(requirement.bytes / capacity)), MOST_DRIVES + 1):
        if requirement.rate < count:
            break
        part = share(requirement, count)
        if part.bytes > capacity:
            continue
        found = _waiting(part, profile)
        if WORD_BYTES * _depth(found) <= requirement.fifo_bytes:
            return count, found
    return None, None


def _life(requirement, profile, drives):
    rated = profile.rated_writes_tb if requirement.rated_tb is None else requirement.rated_tb
    if rated is None:
        return None
    return rated * 1e12 * drives / (requirement.rate * requirement.duty * _YEAR)


def _reasons(requirement, profile, found, depth, too_deep, too_small):
    """Why it fits, or why not."""
    rate, size = requirement.rate, requirement.bytes
    capacity = SECTOR_BYTES * profile.capacity_sectors
    if too_small:
        yield f"capacity: {size:,} bytes do not fit into its {capacity:,}"
    link = 1 / Channel.of(requirement, profile).cost(0.0, profile.write.buffer_bytes)
    if rate > link:
        yield f"link: {rate / 1e6:.6g} MB/s are more than the {link / 1e6:.2f} that it carries"
    elif too_deep:
        yield (f"rate: after {found.lasts or 0:,.0f} bytes more than the FIFO holds would wait; at "
               f"the end the drive takes {found.last / 1e6:.2f} MB/s without stalls, "
               f"{found.mean / 1e6:.2f} in the mean of all of it")
    cache = profile.write_cache_bytes
    if cache and not too_deep:
        yield (f"cache: all of it fits into {cache:,} bytes" if size <= cache else
               f"cache: full after {cache / rate:.4g} s; the drive is fast enough after it")
    if not (too_deep or too_small):
        yield (f"rate: the drive takes {found.mean / 1e6:.2f} MB/s in the mean of all of it, with "
               "its commands and stalls")
    if found.longest and not too_deep:
        yield f"FIFO: stalls of {1e3 * found.longest:g} ms make it {WORD_BYTES * depth:,} bytes deep"
