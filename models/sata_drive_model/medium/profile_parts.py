"""Parts of a timing profile: cache, stalls, dips, writing and reading, with the limits of their fields."""

from typing import Annotated, ClassVar, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .profile_faults import FIELDS_ONLY, disagreements

#: Bytes of the longest Data FIS: a drive has room for one at least.
FIS_BYTES = 8192

MBytesPerSecond = Annotated[float, Field(ge=0.001, le=100_000)]
Microseconds = Annotated[float, Field(ge=0, le=60_000_000)]
Milliseconds = Annotated[float, Field(gt=0, le=60_000)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Size = Annotated[int, Field(ge=FIS_BYTES, le=1 << 60)]
Factor = Annotated[float, Field(ge=0.01, le=10)]
Knot = Annotated[tuple[Fraction, MBytesPerSecond], Field(strict=False)]


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    #: Functions of the part that compare fields and give lines "field = value: limit".
    COMPARISONS: ClassVar[tuple] = ()

    @model_validator(mode="after")
    def _agree(self, info):
        if info.context != FIELDS_ONLY and (faults := [*disagreements(self)]):
            raise ValueError(*faults)
        return self


class Cache(Part):
    """A fast part of the medium that fills up: SLC cache of an SSD, media cache of a shingled
    disk."""

    bytes: Size                                 #: its size on an empty drive
    mb_per_s: Optional[MBytesPerSecond] = None  #: rate while there is room; omitted: the link's
    minimum_bytes: Annotated[int, Field(ge=0)] | None = None  #: size on a full drive; omitted: all
    drain_mb_per_s: Optional[MBytesPerSecond] = None    #: rate of emptying when idle; omitted: never
    idle_ms: Annotated[float, Field(ge=0, le=3_600_000)] = 0  #: idle time before that begins

    def _shrinks(self):
        if self.minimum_bytes is not None and self.minimum_bytes > self.bytes:
            yield f"minimum_bytes = {self.minimum_bytes}: at most bytes = {self.bytes}"

    COMPARISONS = (_shrinks,)


class Crowded(Part):
    """The rate outside the cache once the drive has been filled this far."""

    from_fill: Fraction             #: fraction of the capacity that has been written
    mb_per_s: MBytesPerSecond       #: the rate from there on


class Stall(Part):
    """The medium stops for a while after each ``every_bytes``."""

    every_bytes: Size               #: bytes from one stall to the next
    ms: Milliseconds                #: length of a stall
    first_bytes: Optional[Size] = None      #: bytes to the first stall; omitted: every_bytes
    #: which bytes count: all, or those that found the cache full
    when: Literal["always", "cache full"] = "always"

    def _first(self):
        if self.first_bytes is not None and self.first_bytes > self.every_bytes:
            yield f"first_bytes = {self.first_bytes}: at most every_bytes = {self.every_bytes}"

    COMPARISONS = (_first,)


class Dip(Part):
    """The medium is slower during the last bytes of each ``every_bytes``."""

    every_bytes: Size               #: bytes from the end of one dip to the end of the next
    bytes: Size                     #: bytes written at the lower rate, of these
    mb_per_s: MBytesPerSecond       #: the lower rate

    def _ends(self):
        if self.bytes > self.every_bytes:
            yield f"bytes = {self.bytes}: at most every_bytes = {self.every_bytes}"

    COMPARISONS = (_ends,)


class Dirty(Part):
    """The rate of a flash drive that was filled and then written at random, before TRIM."""

    mb_per_s: MBytesPerSecond       #: measured at once
    recovered_mb_per_s: Optional[MBytesPerSecond] = None    #: measured after TRIM and a pause
    idle_minutes: Annotated[float, Field(gt=0, le=10_000)] | None = None    #: of this length


class Side(Part):
    """What writing and reading have in common."""

    #: rate of the medium; omitted: never the limit, or unknown if the profile names it there
    mb_per_s: Optional[MBytesPerSecond] = None
    up_to_mb_per_s: Optional[MBytesPerSecond] = None    #: the most that the maker states, for the fastest place
    #: instead of mb_per_s: the rate by place, straight lines between [fraction of LBAs, MB/s]
    zones: Annotated[tuple[Knot, ...], Field(strict=False, min_length=2)] | None = None
    command_us: Microseconds = 0    #: from each command to its first DMA Activate or Data FIS
    jitter_us: Microseconds = 0     #: up to this much more, at random from the profile's seed
    access_us: Microseconds = 0     #: more for a command that does not follow the previous one
    completion_us: Microseconds = 0     #: from the last data to the status
    hold_slices: Annotated[int, Field(ge=1, le=64)] = 8     #: places for HOLD in a Data FIS
    #: (least, most) factor on mb_per_s or zones from one run to the next, by the seed; omitted: 1
    variation: Annotated[tuple[Factor, Factor], Field(strict=False)] | None = None

    def _varies(self):
        if self.variation and self.variation[0] > self.variation[1]:
            yield f"variation = {self.variation}: the least is above the most"

    def _one_rate(self):
        if self.zones is not None and self.mb_per_s is not None:
            yield f"mb_per_s = {self.mb_per_s}: not together with zones"

    def _places(self):
        if self.zones is None:
            return
        places = [place for place, _ in self.zones]
        if places[0] != 0 or places[-1] != 1:
            yield f"zones = {self.zones}: the places must go from 0.0 to 1.0"
        if any(a >= b for a, b in zip(places, places[1:])):
            yield f"zones = {self.zones}: each place must be above the one before"

    COMPARISONS: ClassVar[tuple] = (_varies, _one_rate, _places)

    @property
    def knots(self):
        """The rate by place as ((fraction, MB/s), ...), empty where it is never the limit."""
        if self.zones is not None:
            return self.zones
        return () if self.mb_per_s is None else ((0.0, self.mb_per_s), (1.0, self.mb_per_s))


class Write(Side):
    """Writing."""

    #: RAM that takes the data at link speed and drains at the medium's rate
    buffer_bytes: Size = 4 * FIS_BYTES
    #: how the host notices that the RAM is full: HOLD, late DMA Activate, or late status
    stall_shows: Literal["hold", "activate", "status"] = "hold"
    #: more on the medium for a command that begins or ends within a physical sector: it is read first
    misaligned_us: Microseconds = 0
    #: more for WRITE DMA FUA EXT, after its data are on the medium
    fua_us: Microseconds = 0
    flush_us: Microseconds = 0          #: FLUSH CACHE, after the RAM has drained
    flush_resets_stalls: bool = False   #: whether the bytes to the next stall count from there
    cache: Optional[Cache] = None       #: fast part that fills up
    #: how it continues when the cache is full: straight to the medium, making room in the cache first, or in turns
    after_cache: Literal["direct", "folding", "alternating"] | None = None
    crowded: Optional[Crowded] = None   #: slower once the drive is filled this far
    dirty: Optional[Dirty] = None       #: what it was measured to do when full and written at random
    measured_bytes: Optional[Size] = None   #: the rates were measured over so many bytes; omitted: over all of it
    stalls: Annotated[tuple[Stall, ...], Field(strict=False)] = ()  #: periodic standstills
    dips: Annotated[tuple[Dip, ...], Field(strict=False)] = ()      #: periodic slow stretches

    def _activates(self):
        if self.stall_shows == "activate" and self.buffer_bytes < 2 * FIS_BYTES:
            yield (f"buffer_bytes = {self.buffer_bytes}: at least {2 * FIS_BYTES} with "
                   "stall_shows = \"activate\"")

    def _has_cache(self):
        if self.cache is None and any(stall.when == "cache full" for stall in self.stalls):
            yield "stalls.when = \"cache full\": there is no cache"

    COMPARISONS = (*Side.COMPARISONS, _activates, _has_cache)


class Read(Side):
    """Reading."""

    #: RAM that the medium fills ahead of the host
    buffer_bytes: Annotated[int, Field(ge=4 * FIS_BYTES, le=1 << 60)] = 8 * FIS_BYTES
    #: how the host notices that data are not there: HOLD inside a Data FIS, or a late Data FIS
    stall_shows: Literal["hold", "data"] = "hold"
    ahead: bool = True      #: continues after a command, for one that follows it
