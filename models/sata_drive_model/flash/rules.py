"""What a translation layer is told: sizes in slots of the map, and the rules of the firmware by name."""

from dataclasses import dataclass
from typing import Literal

Victim = Literal["greedy", "fifo", "best of ten"]
AfterCache = Literal["direct", "folding", "saw-tooth"]
Protection = Literal["none", "at rest", "full"]
PartialWrites = Literal["gathered", "alone"]
TrimReads = Literal["zeros", "any"]


@dataclass(frozen=True)
class Rules:
    """Sizes and rules of a :class:`Translation`.

    ``blocks`` erase blocks of ``slots`` slots each hold ``chunks`` times ``slots`` units of the host. ``page_slots``
    of them are programmed at once. ``pair_pages``: a page of the second half of each group of twice as many is
    programmed onto the cells of the page so many before it; 0: no cells are shared. ``victim`` is the rule of
    garbage collection, which begins when only ``free_low`` blocks are free. ``level_free``: the free block that was
    erased least is filled first; ``level_spread``: cold data are moved where a good block was erased so many times
    less than another one, None: they are not. ``cache_slots`` of an SLC cache are always there, and
    ``dynamic_slots`` more on an empty drive, none on a full one; ``after_cache`` is what follows when it is full.
    ``ram_slots`` units may be in RAM, acknowledged and not yet programmed. ``protection`` is what a cut of the power
    leaves, ``trim_reads`` what a trimmed unit reads as. ``spare`` blocks may fail before the drive is read-only;
    None: as many as it can spare.
    """

    blocks: int
    slots: int
    chunks: int
    page_slots: int = 1
    pair_pages: int = 0
    victim: Victim = "greedy"
    free_low: int = 2
    level_free: bool = True
    level_spread: int | None = None
    cache_slots: int = 0
    dynamic_slots: int = 0
    after_cache: AfterCache = "direct"
    ram_slots: int = 0
    protection: Protection = "none"
    trim_reads: TrimReads = "zeros"
    spare: int | None = None
    seed: int = 0

    def __post_init__(self):
        least = self.chunks + self.free_low + 3
        if self.slots < 1 or self.chunks < 1 or self.free_low < 1:
            raise ValueError("rules: slots, chunks and free_low must be at least 1")
        if self.blocks < least:
            raise ValueError(f"rules: blocks = {self.blocks}: at least {least} for {self.chunks} chunks, of which "
                             f"{self.free_low} stay free and 3 are open or collected")
        if self.slots % self.page_slots:
            raise ValueError(f"rules: slots = {self.slots}: must be a multiple of page_slots = {self.page_slots}")

    @property
    def units(self):
        """Units that the host addresses."""
        return self.chunks * self.slots

    @property
    def cache_blocks(self):
        """Blocks' worth of slots that the SLC cache has at most, one more for what it is being emptied to."""
        most = self.cache_slots + self.dynamic_slots
        return -(-most // self.slots) + 1 if most else 0

    @property
    def most_bad(self):
        """Failed blocks with which the drive is still written."""
        possible = self.blocks - self.chunks - self.free_low - 3
        return possible if self.spare is None else min(self.spare, possible)


@dataclass
class Work:
    """What the flash has done, in slots and erases.

    ``host`` units were written by the host, of which ``cached`` went to the SLC cache first; ``folded`` from the
    cache to the other flash; ``copied`` by garbage collection, ``moved`` to level the wear; ``padded`` slots were
    programmed with nothing; ``erases`` of blocks, ``cache_erases`` of those of the cache; ``trimmed`` units.
    """

    host: int = 0
    cached: int = 0
    folded: int = 0
    copied: int = 0
    moved: int = 0
    padded: int = 0
    erases: int = 0
    cache_erases: int = 0
    trimmed: int = 0

    def __sub__(self, other):
        return Work(*(mine - its for mine, its in zip(vars(self).values(), vars(other).values())))

    def __add__(self, other):
        return Work(*(mine + its for mine, its in zip(vars(self).values(), vars(other).values())))

    def copy(self) -> "Work":
        """As it is now."""
        return Work(**vars(self))

    @property
    def direct(self):
        """Units of the host that went past the cache."""
        return self.host - self.cached

    @property
    def programmed(self):
        """Slots of the flash outside the cache that were programmed."""
        return self.direct + self.folded + self.copied + self.moved + self.padded

    @property
    def amplification(self):
        """Slots programmed, in the cache and outside it, for each unit of the host."""
        return (self.programmed + self.cached) / self.host if self.host else 0.0
