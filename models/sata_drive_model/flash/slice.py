"""A part of a drive, small enough to simulate, that amplifies writes and wears as all of it does.

Write amplification depends on the share of spare flash and on the pages of a block, not on how many blocks there are:
so a slice has fewer blocks, and up to a limit not fewer pages in each. The blocks that a drive keeps free, and those
that are open, take more of a small slice than of a drive; it gets as many more.
"""

import random
from typing import NamedTuple

from .cache import CachedTranslation
from .parameters import Failures, FlashDrive
from .rules import Rules
from .translation import Translation

#: Slots of a block at most: more of them hardly change write amplification.
MOST_SLOTS = 1024
#: Blocks that hold nothing in the steady state beside those kept free: two are open, half full on average.
_OPEN = 1
_LOW = 2


class Slice(NamedTuple):
    """``rules`` of the slice; ``factor``: how many of it are the drive; ``real_blocks`` erase blocks of the drive."""

    rules: Rules
    factor: float
    real_blocks: int

    def translation(self, endurance=None):
        """A new translation layer of the slice."""
        kind = CachedTranslation if self.rules.cache_blocks else Translation
        return kind(self.rules, endurance=endurance)


def slice_of(drive: FlashDrive, chunks: int = 512, most_slots: int = MOST_SLOTS) -> Slice:
    """A slice of a :class:`.parameters.FlashDrive` with about ``chunks`` blocks' worth of user data, at most all."""
    physical, policy = drive.physical, drive.policy
    page_slots = max(1, physical.page_bytes // policy.map_bytes)
    pages = max(1, min(physical.pages, most_slots // page_slots))
    slots = page_slots * pages if physical.page_bytes >= policy.map_bytes else \
        max(1, min(physical.pages * physical.page_bytes // policy.map_bytes, most_slots))
    block = slots * policy.map_bytes
    blocks, users = physical.flash_bytes / block, physical.user_bytes / block
    # Those kept free are erase blocks of the drive.
    kept = policy.free_blocks * physical.block_bytes / block + _OPEN
    busy = (blocks - kept) / users
    if chunks >= users:
        chunks = round(users)
    else:   # the size of which the spare blocks are the nearest to a whole number
        chunks = min(range(max(1, round(0.85 * chunks)), chunks + 1),
                     key=lambda count: (abs(round(count * busy) - count * busy), -count))
    factor = users / chunks
    spare = None if policy.spare_bytes is None else max(0, round(policy.spare_bytes / block / factor))
    rules = Rules(blocks=max(round(chunks * busy) + _LOW + _OPEN, chunks + _LOW + 3), slots=slots, chunks=chunks,
                  page_slots=min(page_slots, slots), victim=policy.victim, free_low=_LOW,
                  level_free=policy.level_free, level_spread=policy.level_spread,
                  cache_slots=_scaled(policy.cache_bytes, policy.map_bytes * factor),
                  dynamic_slots=_scaled(policy.dynamic_bytes, policy.map_bytes * factor),
                  after_cache=policy.after_cache, protection=policy.protection, trim_reads=policy.trim_reads,
                  spare=spare)
    return Slice(rules, factor, round(physical.flash_bytes / physical.block_bytes))


def endurances(failures: Failures | None, blocks: int, seed: int = 0) -> list | None:
    """After how many erases each of ``blocks`` blocks fails, spread evenly over the shares of all, in random order;
    None: nobody knows."""
    if failures is None:
        return None
    found = [failures.first_cycles + (number + 0.5) / blocks * 1000 / failures.share_per_1000
             if failures.share_per_1000 else float("inf") for number in range(blocks)]
    random.Random(seed).shuffle(found)
    return found


def _scaled(size, unit):
    return 0 if not size else max(1, round(size / unit))
