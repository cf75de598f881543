"""The answer for one drive: whether it fits, what FIFO, how many drives, how long they live."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ...interface.options import BLOCK_RAM_WORDS, MEMORY_BYTES
from ...facts.array import MOST_DRIVES as MOST_LANES
from ...facts.throughput import Channel, Waiting, stalls_known, sustained_rate, waiting
from ...facts.units import SECTOR_BYTES, WORD_BYTES
from ...simulation import Profile
from .doubts import doubts
from .inputs import Input, inputs
from .life import Life, life
from .reasons import reasons
from .requirement import Requirement
from .stages import BUFFER_WORDS

#: No more drives than these are tried.
MOST_DRIVES = 256
#: Figures that are given for a drive at its best if those of the drive are unknown.
_AT_BEST = ("drives", "fifo_words", "mean_rate", "lasts_seconds")


@dataclass(frozen=True)
class DrivePlan:
    """What ``requirement`` needs with the drive of ``profile``.

    ``fits``: one drive takes the whole recording with a FIFO of at most the depth requested, as far as its
    stalls are known, and ``reasons`` are texts why, or why not. ``fifo_words`` is the depth in front
    of the core (None: deeper than requested). ``link_rate`` is in bytes a second with the gaps between commands,
    ``first_rate`` and ``last_rate`` are those of drive and link at the beginning and the end,
    ``mean_rate`` that of the whole with its stalls, ``sustained_rate`` that which lasts indefinitely.
    ``stall_seconds`` of the longest stall, ``stalls`` their number, ``stall_bytes`` that arrive in the longest.
    ``cache_bytes`` and ``cache_seconds`` until the cache is full (None: no cache, or never).
    ``lasts_seconds`` until the first word is lost because the FIFO or the drive is full. ``drives``
    side by side, each with its share of the rate, that take the whole (None: more than 256), each
    with ``striped_fifo_words``; ``sustaining_drives`` that take the rate indefinitely (None: more
    than 256); ``drives_in_turn`` that take it one after the other, if one lacks only
    capacity (None otherwise). ``life`` of each drive, side by side if that is needed.

    Several drives are joined: ``takes_turns`` states that they share the rate, as in RAID 0, and do not follow one
    another, which is enough if only capacity is missing. ``lane`` is what one of them has to take, with a FIFO of
    ``lane_fifo_words``.

    ``unknown`` are texts on what this would rest on that nobody has published. With any, ``fits`` is whether a drive
    that does the best that its maker states takes it, and the figures that follow from what is unknown are None;
    ``at_best`` has those of such a drive. If all bytes of ``requirement`` are known and those after the first
    ``known_bytes`` are not (None: all are), only what rests on the latter is None: ``sustained_rate``,
    ``sustaining_drives``, and ``lasts_seconds`` unless the first word is lost before.
    """

    requirement: Requirement
    profile: Profile
    fits: bool
    reasons: list[str]
    fifo_words: int | None
    link_rate: float
    first_rate: float
    last_rate: float | None
    mean_rate: float | None
    sustained_rate: float | None
    stall_seconds: float
    stalls: int
    stall_bytes: int
    cache_bytes: int
    cache_seconds: float | None
    lasts_seconds: float | None
    drives: int | None
    striped_fifo_words: int | None
    sustaining_drives: int | None
    drives_in_turn: int | None
    life: Life
    unknown: list[str] = field(default_factory=list)
    at_best: "DrivePlan | None" = None
    known_bytes: int | None = None

    @property
    def stalls_known(self) -> bool:
        """Whether the profile states how the drive stalls: if not, ``fits`` and the FIFO hold
        only if it never stalls."""
        return stalls_known(self.profile)

    @property
    def verdict(self) -> str:
        """"yes" if one drive takes all of it, "no", or "unknown" if its stalls or something else are unknown."""
        return "no" if not self.fits else "yes" if self.stalls_known and not self.unknown else "unknown"

    @property
    def life_years(self) -> float | None:
        """Years that each drive lives; None: what it is rated for is not published."""
        return self.life.years

    @property
    def sustains(self) -> bool | None:
        """Whether ``drives`` take the rate indefinitely, not only for as long as asked; None: not known."""
        if self.drives is None:
            return None if self.unknown else False
        return None if self.joined_rate is None else self.joined_rate >= self.requirement.rate

    @property
    def joined_rate(self) -> float | None:
        """Bytes a second that ``drives`` joined take indefinitely; None: not known, or no number of them is enough."""
        if self.drives is None or self.sustained_rate is None:
            return None
        return self.sustained_rate * (self.drives if self.takes_turns else 1)

    @property
    def takes_turns(self) -> bool:
        """Whether several drives share the rate, as RAID 0 does; if not, one drive follows the other."""
        return self.drives is not None and self.drives > 1 and self.drives != self.drives_in_turn

    @property
    def array(self) -> str | None:
        """The kind of array that ``drives`` form, "linear" or "raid0"; None: one drive, or more than an array can
        have."""
        if self.drives is None or not 1 < self.drives <= MOST_LANES:
            return None
        return "raid0" if self.takes_turns else "linear"

    @property
    def lane(self) -> Requirement:
        """What one of ``drives`` has to take."""
        if self.takes_turns:
            return share(self.requirement, self.drives or 1)
        return replace(self.requirement, seconds=None, size=min(
            self.requirement.bytes, SECTOR_BYTES * self.profile.capacity_sectors))

    @property
    def lane_fifo_words(self) -> int | None:
        """The words of the FIFO for what one of ``drives`` has to take; None if no such FIFO is known."""
        return self.striped_fifo_words if self.drives is None or self.takes_turns else self.fifo_words

    @property
    def words_per_stall_ms(self) -> float:
        """Words that arrive for each drive in a millisecond: what a stall that the profile does not
        have would add to the FIFO."""
        return self.requirement.rate / (self.drives or 1 if self.takes_turns else 1) / WORD_BYTES / 1e3

    @property
    def memory_bytes(self) -> int | None:
        """The least ``memory`` of a core that can replace the FIFO of one drive; None if that is not known, the FIFO
        fits into block RAM, or no memory is so large, and for several drives."""
        words = self.lane_fifo_words
        if self.drives != 1 or words is None or not self.stalls_known or words + BUFFER_WORDS <= BLOCK_RAM_WORDS:
            return None
        return least_memory(words)

    @property
    def memory_enough(self) -> bool | None:
        """Whether the ``memory`` of the requirement can replace the FIFO of each of ``drives``, as far as their stalls
        are known; None: no memory was given, or it is unknown."""
        return None if self.requirement.memory is None or self.unknown else self.lane_fifo_words is not None

    @property
    def covered_seconds(self) -> float | None:
        """The longest single stall that the ``memory`` before one of ``drives`` would cover in place of the longest
        that it meets; None: no memory was given, or it is too small."""
        memory, words = self.requirement.memory, self.lane_fifo_words
        if memory is None or words is None:
            return None
        spare = memory - WORD_BYTES * (words + BUFFER_WORDS)
        met = _waiting(self.lane, self.profile).longest
        return met + spare / (1e3 * WORD_BYTES * self.words_per_stall_ms)

    @property
    def inputs(self) -> list[Input]:
        """The :class:`.inputs.Input` of all that decided it."""
        return inputs(self.requirement, self.profile)

    def as_data(self) -> dict[str, Any]:
        """Dictionaries, lists, texts and numbers, as JSON can hold them."""
        data = {name: value for name, value in vars(self).items()
                if name not in ("requirement", "profile", "life", "at_best")}
        best = self.at_best
        return {"drive": self.profile.name, "description": self.profile.description,
                "scale": self.profile.scale, **data,
                "stalls_known": self.stalls_known, "verdict": self.verdict,
                "sustains": self.sustains, "words_per_stall_ms": self.words_per_stall_ms,
                "memory_bytes": self.memory_bytes, "memory_enough": self.memory_enough,
                "covered_seconds": self.covered_seconds, "array": self.array, "lane_fifo_words": self.lane_fifo_words,
                "life_years": self.life_years, "life": asdict(self.life),
                "at_best": best and {name: vars(best)[name] for name in _AT_BEST},
                "inputs": [asdict(one) for one in self.inputs]}


def least_memory(words: int) -> int | None:
    """The least bytes of a memory that replaces a FIFO of ``words`` and the core's own buffer; None: more than a
    memory can have."""
    fifos = 2 * WORD_BYTES * BUFFER_WORDS
    size = fifos * -(-WORD_BYTES * (words + BUFFER_WORDS) // fifos)
    return max(size, MEMORY_BYTES[0]) if size <= MEMORY_BYTES[1] else None


def plans(requirement: Requirement, profiles: Iterable[Profile]) -> list[DrivePlan]:
    """The :class:`DrivePlan` of each profile: real drives before scaled shapes, the fewest drives
    first; after them those of which too little is known, first those with a rate that the maker states."""
    found = [plan(requirement, profile) for profile in profiles]
    return sorted(found, key=lambda one: (one.profile.scale != 1, one.drives or math.inf, not one.unknown,
                                          not one.fits, bool(one.unknown) and not one.profile.write.up_to_mb_per_s,
                                          -((one.at_best or one).mean_rate or 0)))


def plan(requirement: Requirement, profile: Profile) -> DrivePlan:
    """The :class:`DrivePlan` of one profile. Raises ``ValueError`` for a profile with a million stalls."""
    if requirement.fill is not None:
        profile = profile.model_copy(update={"initial_fill": requirement.fill})
    best = _plan(requirement, profile.at_best())
    unknown = list(doubts(requirement, profile, lambda changed: _plan(requirement, changed).fifo_words is not None))
    if not unknown:
        return _as_known(replace(best, profile=profile, known_bytes=profile.known_write_bytes))
    reasons = [f"unknown: {text}" for text in unknown] if best.fits else best.reasons
    return replace(best, profile=profile, reasons=reasons, unknown=unknown, at_best=best,
                   fifo_words=None, last_rate=None, mean_rate=None, sustained_rate=None, lasts_seconds=None,
                   drives=None, striped_fifo_words=None, sustaining_drives=None, drives_in_turn=None)


def _as_known(one: DrivePlan) -> DrivePlan:
    """The plan without the figures that rest on bytes after those asked for of which nothing is published."""
    if one.known_bytes is None:
        return one
    lasts = one.lasts_seconds
    late = lasts is not None and one.requirement.rate * lasts > one.known_bytes
    return replace(one, sustained_rate=None, sustaining_drives=None, lasts_seconds=None if late else lasts)


def _plan(requirement: Requirement, profile: Profile) -> DrivePlan:
    """The answer for a profile whose rates are known."""
    alone = _waiting(requirement, profile)
    link_rate = 1 / Channel.of(requirement.host, profile).cost()
    sustained = sustained_rate(requirement.host, profile)
    capacity = SECTOR_BYTES * profile.capacity_sectors
    depth = _depth(requirement, alone)
    too_deep = WORD_BYTES * depth > requirement.fifo_bytes
    too_small = requirement.bytes > capacity
    drives, striped = (1, alone) if not (too_deep or too_small) else _striped(requirement, profile)
    filled = alone.lasts
    if filled is None:
        filled = _waiting(replace(requirement, seconds=None, size=capacity), profile).lasts
    # What comes when the drive is full is lost, even if a FIFO still has room for it.
    lasts = min(capacity, filled or capacity) / requirement.rate
    in_turn = math.ceil(requirement.bytes / capacity)
    cache = profile.write_cache_bytes
    return DrivePlan(
        requirement, profile, not (too_deep or too_small),
        list(reasons(requirement, profile, alone, link_rate, WORD_BYTES * depth, lasts)),
        None if too_deep else depth, link_rate, alone.fastest, alone.last, alone.mean, sustained,
        alone.longest, alone.stalls, round(requirement.rate * alone.longest), cache,
        cache / requirement.rate if 0 < cache < requirement.bytes else None, lasts, drives,
        None if striped is None else _depth(requirement, striped), _sustaining(requirement, sustained, drives),
        in_turn if too_small and not too_deep and filled is None and in_turn <= MOST_DRIVES else None,
        life(requirement, profile, drives or 1))


def fifo_words(requirement: Requirement, profile: Profile) -> int:
    """Words of a FIFO in front of the core with which one drive of ``profile`` loses nothing, however
    deep that is. Raises ``ValueError`` for a profile with a million stalls."""
    return _depth(requirement, _waiting(requirement, profile))


def _waiting(requirement: Requirement, profile: Profile) -> Waiting:
    room = requirement.fifo_bytes + WORD_BYTES * BUFFER_WORDS
    return waiting(requirement.host, profile, requirement.rate, requirement.bytes, room)


def _depth(requirement: Requirement, found: Waiting) -> int:
    """Words of a FIFO that loses nothing: whole beats, at least one."""
    words = math.ceil(found.peak / WORD_BYTES) - BUFFER_WORDS
    beat = 1 if requirement.memory is not None else max(1, (requirement.width or 0) // (8 * WORD_BYTES))
    return beat * max(1, -(-words // beat))


def share(requirement: Requirement, count: int) -> Requirement:
    """The share of the requirement, and of the beats before an array, of each of ``count`` drives side by side."""
    hz = requirement.beat_hz
    return replace(requirement, rate=requirement.rate / count, seconds=None,
                   size=math.ceil(requirement.bytes / count), source_hz=hz and hz / count)


def _striped(requirement: Requirement, profile: Profile) -> tuple[int, Waiting] | tuple[None, None]:
    """The fewest drives that each take their share, and the :class:`.Waiting` of one; (None, None): no number does."""
    capacity = SECTOR_BYTES * profile.capacity_sectors
    for count in range(max(1, math.ceil(requirement.bytes / capacity)), MOST_DRIVES + 1):
        if requirement.rate < count:
            break
        part = share(requirement, count)
        if part.bytes > capacity:
            continue
        found = _waiting(part, profile)
        if WORD_BYTES * _depth(requirement, found) <= requirement.fifo_bytes:
            return count, found
    return None, None


def _sustaining(requirement: Requirement, sustained: float, drives: int | None) -> int | None:
    """The fewest drives that take the rate indefinitely, but no fewer than ``drives``; None: more than 256."""
    count = max(drives or 1, math.ceil(requirement.rate / sustained))
    return count if drives is not None and count <= MOST_DRIVES else None
