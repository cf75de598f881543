"""Timing profiles of drives: the schema of a profile file (TOML), its limits, and those supplied.

Units in a file: MB/s are 10^6 bytes a second, times are us or ms, sizes are bytes, places on the
drive are fractions of its capacity. `medium` turns a profile into delays.
"""

import random
import re
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Optional

from pydantic import (AfterValidator, BaseModel, ConfigDict, Field, ValidationError,
                      model_validator)

from .profile_faults import FIELDS_ONLY, disagreements, everything_wrong

FOLDER = Path(__file__).parent / "profiles"

#: Bytes of the longest Data FIS: a drive has room for one at least.
FIS_BYTES = 8192
_LBA28_SECTORS = 0x0FFFFFFF
#: Most bytes of a profile file: a device may have no end.
_MOST_BYTES = 1 << 20

_ONE_LINE = AfterValidator(lambda text: " ".join(text.split()))
MBytesPerSecond = Annotated[float, Field(ge=0.001, le=100_000)]
Microseconds = Annotated[float, Field(ge=0, le=60_000_000)]
Milliseconds = Annotated[float, Field(gt=0, le=60_000)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Size = Annotated[int, Field(ge=FIS_BYTES, le=1 << 60)]
Factor = Annotated[float, Field(ge=0.01, le=10)]
Knot = Annotated[tuple[Fraction, MBytesPerSecond], Field(strict=False)]


class ProfileError(ValueError):
    """A profile that cannot be used: one line with the field, its value and the limit.

    ``faults`` has such a line for everything that is wrong, the first of which is the text.
    """

    def __init__(self, *faults):
        super().__init__(faults[0])
        self.faults = faults

    def __reduce__(self):
        return type(self), self.faults


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    #: Functions of the part that compare fields and give lines "field = value: limit".
    COMPARISONS: ClassVar[tuple] = ()

    @model_validator(mode="after")
    def _agree(self, info):
        if info.context != FIELDS_ONLY and (faults := [*disagreements(self)]):
            raise ValueError(*faults)
        return self


class Cache(_Part):
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


class Crowded(_Part):
    """The rate outside the cache once the drive has been filled this far."""

    from_fill: Fraction             #: fraction of the capacity that has been written
    mb_per_s: MBytesPerSecond       #: the rate from there on


class Stall(_Part):
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


class Dip(_Part):
    """The medium is slower during the last bytes of each ``every_bytes``."""

    every_bytes: Size               #: bytes from the end of one dip to the end of the next
    bytes: Size                     #: bytes written at the lower rate, of these
    mb_per_s: MBytesPerSecond       #: the lower rate

    def _ends(self):
        if self.bytes > self.every_bytes:
            yield f"bytes = {self.bytes}: at most every_bytes = {self.every_bytes}"

    COMPARISONS = (_ends,)


class Side(_Part):
    """What writing and reading have in common."""

    mb_per_s: Optional[MBytesPerSecond] = None  #: rate of the medium; omitted: never the limit
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

    COMPARISONS = (_varies, _one_rate, _places)

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
    crowded: Optional[Crowded] = None   #: slower once the drive is filled this far
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


class Profile(_Part):
    """How fast a drive is, when and where; times and rates of the medium, no faults."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=60)]
    #: as in IDENTIFY DEVICE
    model: Annotated[str, Field(pattern=r"^[ -~]+$", max_length=40)]
    description: Annotated[str, Field(min_length=1)]    #: one line for the list of drives
    capacity_sectors: Annotated[int, Field(ge=1, le=(1 << 48) - 1)]     #: sectors of 512 bytes
    lba48: bool = True                  #: 48-bit commands
    fua: bool = False                   #: WRITE DMA FUA EXT; it needs 48-bit commands
    #: bytes of a physical sector, as in IDENTIFY DEVICE: 512 or a larger power of two
    physical_sector: Annotated[int, Field(ge=512, le=65536)] = 512
    generation: Annotated[int, Field(ge=1, le=3)]       #: the fastest link, 1 to 3
    source: Annotated[str, Field(min_length=1), _ONE_LINE]  #: where the figures are from
    notes: Annotated[str, _ONE_LINE] = ""                   #: what else to know
    estimates: dict[str, str] = {}      #: field: why it is an estimate
    fitted: dict[str, str] = {}         #: field: what it was fitted to
    #: all rates are multiplied by this: a faster drive's shape on a SATA link
    scale: Annotated[float, Field(ge=1e-6, le=1)] = 1.0
    initial_fill: Fraction = 0          #: fraction of the drive written at first
    seed: Annotated[int, Field(ge=0, lt=1 << 64)] = 0   #: of the jitter
    #: 10^12 bytes that may be written in the drive's life; omitted: not published
    rated_writes_tb: Annotated[float, Field(gt=0, le=1e9)] | None = None
    write: Write = Write()
    read: Read = Read()

    def _addressed(self):
        if not self.lba48 and self.capacity_sectors > _LBA28_SECTORS:
            yield (f"capacity_sectors = {self.capacity_sectors}: at most {_LBA28_SECTORS} with "
                   "lba48 = false")

    def _physical(self):
        if self.physical_sector & (self.physical_sector - 1):
            yield f"physical_sector = {self.physical_sector}: must be a power of two"

    def _splits(self):
        if self.write.misaligned_us and self.physical_sector == 512:
            yield (f"write.misaligned_us = {self.write.misaligned_us}: no command splits a physical_sector "
                   "of 512 bytes")

    def _through(self):
        if self.fua and not self.lba48:
            yield "fua = true: not with lba48 = false"
        if self.write.fua_us and not self.fua:
            yield f"write.fua_us = {self.write.fua_us}: there is no command for it with fua = false"

    def _told(self):
        for kind, fields in ("estimates", self.estimates), ("fitted", self.fitted):
            for field in fields:
                if not _exists(self, field):
                    yield f"{kind} = {field!r}: is not a field of this profile"
        for field in self.fitted:
            if field in self.estimates:
                yield f"fitted = {field!r}: is among the estimates, too"

    COMPARISONS = (_addressed, _physical, _splits, _through, _told)

    @classmethod
    def from_data(cls, data: dict, where="profile") -> "Profile":
        """The profile of a dictionary. Raises :class:`ProfileError`, which begins with
        ``where``."""
        try:
            return cls(**data)
        except ValidationError:
            raise ProfileError(*(f"{where}: {line}"
                                 for line in everything_wrong(cls, data))) from None

    @classmethod
    def from_toml(cls, path) -> "Profile":
        """The profile of a file; its name is the file's. Raises :class:`ProfileError`."""
        path = Path(path)
        try:
            with open(path, "rb") as file:
                content = file.read(_MOST_BYTES + 1)
            if len(content) > _MOST_BYTES:
                raise ProfileError(f"{path}: cannot be read: more than {_MOST_BYTES:,} bytes")
            data = tomllib.loads(content.decode("utf-8"))
        except OSError as error:
            raise ProfileError(f"{path}: cannot be read: {error.strerror}") from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ProfileError(f"{path}: cannot be read as TOML: {error}") from None
        return cls.from_data({"name": path.stem} | data, path)

    @property
    def varies(self):
        """Whether two seeds give two different drives."""
        return any(side.variation or side.jitter_us for side in (self.write, self.read))

    def drawn(self, seed) -> "Profile":
        """This drive in the run with ``seed``; 0 is the drive as the file has it."""
        if not seed:
            return self
        rng = random.Random(seed)
        values = {"seed": (self.seed + seed) % (1 << 64)}
        for name, side in ("write", self.write), ("read", self.read):
            factor = rng.uniform(*side.variation) if side.variation else 1.0
            rates = {"mb_per_s": side.mb_per_s and side.mb_per_s * factor,
                     "zones": side.zones and tuple((place, rate * factor)
                                                   for place, rate in side.zones)}
            values[name] = side.model_copy(update=rates)
        return self.model_copy(update=values)

    @property
    def write_first(self):
        """MB/s of the medium at the first byte of an empty drive, None: never the limit."""
        write = self.write
        rate = write.cache.mb_per_s if write.cache else write.knots[0][1] if write.knots else None
        return None if rate is None else rate * self.scale

    @property
    def write_cache_bytes(self):
        """Bytes written in one go from ``initial_fill`` on that find room in the cache; 0 without
        one."""
        cache = self.write.cache
        if cache is None:
            return 0
        least = cache.bytes if cache.minimum_bytes is None else cache.minimum_bytes
        shrinks, fill = cache.bytes - least, self.initial_fill
        # It shrinks while it fills up: each byte is one more of the drive, too.
        each = 1 + shrinks * (1 - fill) / (512 * self.capacity_sectors)
        return int((cache.bytes - shrinks * fill) / each)

    @property
    def read_rates(self):
        """MB/s of the medium for reading, (fastest, slowest) place, None: never the limit."""
        rates = [rate * self.scale for _, rate in self.read.knots]
        return (max(rates), min(rates)) if rates else None


def _exists(profile, field):
    """Whether the dotted name is a field with a value."""
    part = profile
    for name in field.split("."):
        if not isinstance(part, BaseModel) or name not in type(part).model_fields:
            return False
        if name not in part.__dict__:
            return True     # it is there, and was found to be wrong
        part = getattr(part, name)
    return part is not None


def names() -> list:
    """Names of the profiles supplied, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name_or_path) -> Profile:
    """A supplied profile by its name, or that of a file. Raises :class:`ProfileError`."""
    text = str(name_or_path)
    if text in names():
        return Profile.from_toml(FOLDER / f"{text}.toml")
    if text and (Path(text).exists() or text.endswith(".toml") or "/" in text):
        return Profile.from_toml(name_or_path)
    near = f", similar: {', '.join(found)}" if (found := near_names(text)) else ""
    raise ProfileError(f"no drive profile {text!r}{near}: must be one of {', '.join(names())}, "
                       "or a file ending in .toml, made from a data sheet, from logs of fio or by measuring")


def near_names(text) -> list:
    """Names of the supplied profiles that look like ``text``, a name or a drive as people write it, the nearest
    first."""
    words = re.findall(r"[a-z]+|\d+", text.lower())
    shared = {}
    for name in names():
        parts = re.findall(r"[a-z]+|\d+", name)
        shared[name] = sum(len(word) for word in words if word in parts)
    found = sorted((name for name in shared if shared[name] > 1), key=lambda name: -shared[name])
    return (found or get_close_matches(text.lower(), names()))[:3]
