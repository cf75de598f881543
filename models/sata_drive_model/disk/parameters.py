"""Parameters of the inside of a hard disk: the schema of a file (TOML), its limits, and those supplied.

Each parameter is of one of the three kinds of :mod:`..medium.inside`; ``physical`` is what platters, arm and motor are.
"""

from pathlib import Path
from typing import Annotated, ClassVar, Literal, Optional

from pydantic import Field

from ..medium.inside import Bytes, Inside
from ..medium.profile_parts import FIS_BYTES, Fraction, MBytesPerSecond, Microseconds, Milliseconds, Part

FOLDER = Path(__file__).parent / "drives"
#: Bytes that all tracks of a cylinder hold at least, so that there are not more cylinders than anybody makes.
_LEAST_TRACK = 4096

Idle = Annotated[float, Field(ge=0, le=3_600_000)]
Rpm = Annotated[float, Field(ge=1000, le=20_000)]


class DiskMechanism(Part):
    """What platters, heads, arm and motor are."""

    user_bytes: Bytes                   #: what the host addresses
    rpm: Rpm                            #: turns a minute
    heads: Annotated[int, Field(ge=1, le=64)]   #: surfaces that hold data
    outer_mb_per_s: MBytesPerSecond     #: sustained at the first LBA, the outermost track
    inner_mb_per_s: MBytesPerSecond     #: sustained at the last one
    zones: Annotated[int, Field(ge=1, le=256)] = 16     #: rings of tracks with as many sectors each
    track_seek_ms: Milliseconds         #: to the next track
    average_seek_ms: Milliseconds       #: over a third of all tracks
    full_seek_ms: Milliseconds          #: over all tracks
    write_settle_ms: Annotated[float, Field(ge=0, le=1000)] = 0     #: more before a write
    #: to the next track or head within a transfer; the tracks are skewed by as much
    switch_ms: Milliseconds = 1.0
    sector_bytes: Literal[512, 4096] = 512      #: a sector of the medium; shorter writes read it first

    def _slower_inside(self):
        if self.inner_mb_per_s > self.outer_mb_per_s:
            yield f"inner_mb_per_s = {self.inner_mb_per_s:g}: at most outer_mb_per_s = {self.outer_mb_per_s:g}"

    def _seeks(self):
        if not self.track_seek_ms <= self.average_seek_ms <= self.full_seek_ms:
            yield (f"average_seek_ms = {self.average_seek_ms:g}: from track_seek_ms = {self.track_seek_ms:g} to "
                   f"full_seek_ms = {self.full_seek_ms:g}")

    def _track(self):
        if self.inner_mb_per_s * 1e6 * 60 / self.rpm < _LEAST_TRACK:
            yield f"inner_mb_per_s = {self.inner_mb_per_s:g}: a track must hold {_LEAST_TRACK} bytes at least"

    def _whole(self):
        if self.user_bytes % self.sector_bytes:
            yield f"user_bytes = {self.user_bytes}: must be a multiple of sector_bytes = {self.sector_bytes}"

    COMPARISONS = (_slower_inside, _seeks, _track, _whole)


class ShingledBands(Part):
    """Tracks that overlap: a band of them can only be written as a whole, so that writes go to a cache first."""

    band_bytes: Bytes                   #: what is written again as a whole
    cache_bytes: Bytes                  #: the cache on the disk, not shingled
    idle_ms: Idle                       #: idle time before a band is cleaned


class ReadCache(Part):
    """Flash of a hybrid disk, which learns what is read often."""

    bytes: Bytes                        #: its size
    block_bytes: Annotated[int, Field(ge=512, le=1 << 30)]      #: what is learned as one
    largest_bytes: Bytes                #: longer commands are not served from it
    uses: Annotated[int, Field(ge=1, le=1000)]      #: reads of a block before it is learned
    idle_ms: Idle                       #: idle time before a block is copied to it


class DiskPolicy(Part):
    """The rules of the firmware."""

    write_cache: bool = True            #: a write is acknowledged once it is in RAM
    ram_bytes: Annotated[int, Field(ge=2 * FIS_BYTES, le=1 << 40)] = 1 << 22    #: for writes
    look_ahead: bool = True             #: goes on reading after a command, for one that follows it
    look_ahead_bytes: Annotated[int, Field(ge=4 * FIS_BYTES, le=1 << 40)] = 1 << 22     #: RAM for that
    order: Literal["arrival", "nearest"] = "nearest"    #: which of the writes in RAM comes next
    #: the oldest so many writes in RAM among which the nearest is chosen
    sorted_writes: Annotated[int, Field(ge=1, le=4096)] = 32
    write_lost_turns: Fraction = 0      #: share of a turn that is lost with each track, in writing only
    stall_shows: Literal["hold", "activate", "status"] = "activate"    #: how the host notices that RAM is full
    shingles: Optional[ShingledBands] = None
    read_cache: Optional[ReadCache] = None


class DiskCap(Part):
    """What the controller was measured to take or to do at most."""

    command_us: Microseconds = 0        #: from a command to its first data
    completion_us: Microseconds = 0     #: from the last data to the status
    read_cache_us: Microseconds = 0     #: to the first data of a read from flash
    read_cache_mb_per_s: Optional[MBytesPerSecond] = None   #: of such a read


class DiskDrive(Inside):
    """A hard disk: its parameters, and where each is from."""

    FOLDER: ClassVar = FOLDER
    WHAT: ClassVar = "disk"

    generation: Annotated[int, Field(ge=1, le=3)] = 2   #: the fastest link, 1 to 3
    physical: DiskMechanism
    policy: DiskPolicy = DiskPolicy()
    cap: DiskCap = DiskCap()

    def _shingled(self):
        shingles = self.policy.__dict__.get("shingles")
        if shingles is None or "user_bytes" not in self.physical.__dict__:
            return
        if shingles.band_bytes % 4096 or shingles.cache_bytes % 4096:
            yield f"policy.shingles.band_bytes = {shingles.band_bytes}: it and cache_bytes must be multiples of 4096"
        if shingles.cache_bytes < 2 * FIS_BYTES or shingles.cache_bytes > self.physical.user_bytes:
            yield (f"policy.shingles.cache_bytes = {shingles.cache_bytes}: {2 * FIS_BYTES} to "
                   f"physical.user_bytes = {self.physical.user_bytes}")

    COMPARISONS = (*Inside.COMPARISONS, _shingled)
