"""Parameters of the inside of a flash drive: the schema of a file (TOML), its limits, and those supplied.

Each parameter is of one of the three kinds of :mod:`..medium.inside`; ``physical`` is what the chips are.
"""

from pathlib import Path
from typing import Annotated, ClassVar, Optional

from pydantic import Field

from ..medium.inside import Bytes, Count, Inside
from ..medium.profile_parts import Fraction, MBytesPerSecond, Microseconds, Part
from .rules import AfterCache, PartialWrites, Protection, TrimReads, Victim

FOLDER = Path(__file__).parent / "drives"
#: All flash, times the user's; and erase blocks of the user's data.
_MOST_FLASH, _FEWEST_BLOCKS = 8, 16
Cycles = Annotated[float, Field(gt=0, le=1e9)]
ErrorRate = Annotated[float, Field(gt=0, lt=0.5)]

#: Blocks that are open at any time, for the host and for copies.
_OPEN_BLOCKS = 2


class Failures(Part):
    """How blocks fail for good as they wear: none before ``first_cycles``, then a steady share of all of them."""

    first_cycles: Cycles                #: erases before the first block fails
    share_per_1000: Fraction            #: of all blocks, with each 1,000 erases more


class Errors(Part):
    """Raw bit errors: a share of the bits that are read."""

    fresh: Optional[ErrorRate] = None       #: of new flash, just written
    #: how many times more after a year at rest at 30 degrees; what is published differs a hundredfold
    rest_year: Annotated[float, Field(ge=1, le=1e9)] | None = None
    codeword_bytes: Optional[Bytes] = None      #: data of a codeword of the error correction
    codeword_bits: Annotated[int, Field(ge=1, le=4096)] | None = None   #: bits that it corrects


class Physical(Part):
    """What the chips are."""

    flash_bytes: Bytes                  #: all flash that takes data, spare and user's
    user_bytes: Bytes                   #: what the host addresses
    page_bytes: Bytes                   #: user data of a page, of one plane
    pages: Count                        #: pages of an erase block
    cell_bits: Annotated[int, Field(ge=1, le=5)]    #: bits of a cell
    dies: Optional[Count] = None        #: dies that work at the same time
    planes: Count = 1                   #: planes of a die that are programmed at the same time
    read_us: Optional[Microseconds] = None      #: a page from the cells
    program_us: Optional[Microseconds] = None   #: a page in each plane to the cells
    program_mb_per_s: Optional[MBytesPerSecond] = None  #: instead of that: what a die is programmed at
    slc_mb_per_s: Optional[MBytesPerSecond] = None      #: what a die is programmed at, one bit a cell
    erase_us: Optional[Microseconds] = None     #: a block in each plane
    channels: Optional[Count] = None    #: buses to the dies
    channel_mb_per_s: Optional[MBytesPerSecond] = None  #: of each
    rated_cycles: Optional[Cycles] = None   #: erases that a block is rated for
    pair_pages: Annotated[int, Field(ge=0, le=1024)] | None = None  #: pages between two on the same cells
    failures: Optional[Failures] = None
    errors: Errors = Errors()

    def _fits(self):
        if self.user_bytes >= self.flash_bytes:
            yield f"user_bytes = {self.user_bytes}: must be below flash_bytes = {self.flash_bytes}"

    def _spare(self):
        if self.flash_bytes > _MOST_FLASH * self.user_bytes:
            yield f"flash_bytes = {self.flash_bytes}: at most {_MOST_FLASH} times user_bytes = {self.user_bytes}"

    def _blocks(self):
        if self.user_bytes < _FEWEST_BLOCKS * self.block_bytes:
            yield (f"user_bytes = {self.user_bytes}: at least {_FEWEST_BLOCKS} erase blocks of page_bytes * pages = "
                   f"{self.block_bytes}")

    def _one_rate(self):
        if self.program_us is not None and self.program_mb_per_s is not None:
            yield f"program_us = {self.program_us:g}: not together with program_mb_per_s"

    COMPARISONS = (_fits, _spare, _blocks, _one_rate)

    @property
    def block_bytes(self):
        """Data of an erase block."""
        return self.page_bytes * self.pages

    @property
    def over_provisioning(self):
        """Flash beyond the user's, of the user's."""
        return self.flash_bytes / self.user_bytes - 1

    @property
    def die_mb_per_s(self):
        """What a die is programmed at; None: not known."""
        if self.program_mb_per_s is not None or not self.program_us:
            return self.program_mb_per_s
        return self.page_bytes * self.planes / self.program_us


class Policy(Part):
    """The rules of the firmware."""

    map_bytes: Bytes = 4096             #: what the map has an entry for
    victim: Victim = "greedy"           #: which block garbage collection frees next
    free_blocks: Annotated[int, Field(ge=1, le=1000)] = 2   #: blocks that are kept free
    level_free: bool = True             #: the free block that was erased least is filled first
    #: cold data are moved where two blocks differ by so many erases; omitted: they are not
    level_spread: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    cache_bytes: Annotated[int, Field(ge=0, le=1 << 60)] = 0    #: SLC cache that is always there
    dynamic_bytes: Annotated[int, Field(ge=0, le=1 << 60)] = 0  #: more on an empty drive, none on a full one
    after_cache: AfterCache = "direct"  #: what follows when it is full
    ram_bytes: Annotated[int, Field(ge=0, le=1 << 60)] = 0      #: acknowledged data that are not yet programmed
    #: a write of a part of a unit, which is read first: along with others, or alone, until it is programmed
    partial_writes: PartialWrites = "gathered"
    protection: Protection = "none"     #: what a cut of the power leaves
    trim_reads: TrimReads = "zeros"     #: what trimmed data read as
    spare_bytes: Optional[Bytes] = None     #: flash that may fail before the drive is read-only; omitted: all it can


class Cap(Part):
    """What the controller was measured to do at most."""

    write_mb_per_s: Optional[MBytesPerSecond] = None    #: all that the host writes
    direct_mb_per_s: Optional[MBytesPerSecond] = None   #: what goes past the SLC cache

    @property
    def is_known(self):
        """Whether the controller's rate of writing was measured; else only what the flash takes is known."""
        return self.write_mb_per_s is not None or self.direct_mb_per_s is not None


class FlashDrive(Inside):
    """A flash drive: its parameters, and where each is from."""

    FOLDER: ClassVar = FOLDER
    WHAT: ClassVar = "flash"

    smart: Optional[str] = None         #: family of the SMART attributes, as the PC knows it
    physical: Physical
    policy: Policy = Policy()
    cap: Cap = Cap()

    def _together(self):
        physical, policy = self.physical, self.policy
        if any(part.__dict__.keys() != type(part).model_fields.keys() for part in (physical, policy)):
            return      # a field is wrong by itself
        page, unit = physical.page_bytes, policy.map_bytes
        if page % unit and unit % page or unit > physical.block_bytes:
            yield (f"policy.map_bytes = {unit}: must divide physical.page_bytes = {page}, or be a multiple of it "
                   "within a block")
        least = physical.user_bytes + (policy.free_blocks + _OPEN_BLOCKS) * physical.block_bytes
        if physical.flash_bytes < least:
            yield (f"physical.flash_bytes = {physical.flash_bytes}: at least {least}, for user_bytes, "
                   f"policy.free_blocks = {policy.free_blocks} and {_OPEN_BLOCKS} open blocks")
        for name, size in ("cache_bytes", policy.cache_bytes), ("dynamic_bytes", policy.dynamic_bytes):
            if size > physical.user_bytes:
                yield f"policy.{name} = {size}: at most physical.user_bytes = {physical.user_bytes}"

    COMPARISONS = (*Inside.COMPARISONS, _together)


def names() -> list:
    """Names of the flash drives supplied, sorted."""
    return FlashDrive.names()


def load(name_or_path: str | Path) -> FlashDrive:
    """As :meth:`FlashDrive.load`."""
    return FlashDrive.load(name_or_path)
