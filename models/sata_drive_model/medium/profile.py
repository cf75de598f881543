"""Timing profiles of drives: the schema of a profile file (TOML), its limits, and those supplied.

Units in a file: MB/s are 10^6 bytes a second, times are us or ms, sizes are bytes, places on the
drive are fractions of its capacity. `medium` turns a profile into delays.
"""

import random
import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Optional

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from .profile_faults import everything_wrong
from .profile_parts import Fraction, Part, Read, Write
from .profile_search import matching, near, some

FOLDER = Path(__file__).parent / "profiles"
_BLANK = Path(__file__).parent / "blank.toml"

_LBA28_SECTORS = 0x0FFFFFFF
#: Most bytes of a profile file: a device may have no end.
_MOST_BYTES = 1 << 20

#: Why a rate is an estimate that the user has assumed.
_ASSUMED = "assumed by you: nobody has published it"

_ONE_LINE = AfterValidator(lambda text: " ".join(text.split()))


class ProfileError(ValueError):
    """A profile that cannot be used: one line with the field, its value and the limit.

    ``faults`` has such a line for everything that is wrong, the first of which is the text.
    """

    def __init__(self, *faults):
        super().__init__(faults[0])
        self.faults = faults

    def __reduce__(self):
        return type(self), self.faults


class UnknownName(ProfileError):
    """No profile has the name."""


def file_data(path):
    """What a TOML file of a drive holds, with its own name as that of the drive. Raises :class:`ProfileError`."""
    path = Path(path)
    try:
        with open(path, "rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ProfileError(f"{path}: cannot be read: more than {_MOST_BYTES:,} bytes")
        return {"name": path.stem} | tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise ProfileError(f"{path}: cannot be read: {error.strerror}") from None
    except RecursionError:
        raise ProfileError(f"{path}: cannot be read as TOML: it is nested too deeply") from None
    except ProfileError:
        raise
    except ValueError as error:
        raise ProfileError(f"{path}: cannot be read as TOML: {error}") from None


class Profile(Part):
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
    #: other names of the drive: of its maker, of shops
    aliases: Annotated[tuple[str, ...], Field(strict=False)] = ()
    firmware: Optional[str] = None      #: the firmware or year of the drives that the figures are of
    rotating: bool = False              #: a hard disk
    unknown: dict[str, str] = {}        #: field without a value: why it is not known
    estimates: dict[str, str] = {}      #: field: why it is an estimate
    fitted: dict[str, str] = {}         #: field: what it was fitted to
    #: all rates are multiplied by this: a faster drive's shape on a SATA link
    scale: Annotated[float, Field(ge=1e-6, le=1)] = 1.0
    initial_fill: Fraction = 0          #: fraction of the drive written at first
    seed: Annotated[int, Field(ge=0, lt=1 << 64)] = 0   #: of the jitter
    #: 10^12 bytes that may be written in the drive's life; omitted: not published
    rated_writes_tb: Annotated[float, Field(gt=0, le=1e9)] | None = None
    warranty_years: Annotated[float, Field(gt=0, le=100)] | None = None     #: omitted: not published
    #: 10^12 bytes, read and written, that a hard disk may move in a year; omitted: not published
    workload_tb_per_year: Annotated[float, Field(gt=0, le=1e9)] | None = None
    #: what a cut of the power leaves: nothing protected, what was written before, or all that was acknowledged, too
    power_loss_protection: Literal["none", "at rest", "full"] | None = None
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

    def _unknown(self):
        for field in self.unknown:
            if not _could_exist(self, field):
                yield f"unknown = {field!r}: is not a field of a profile"
            elif _exists(self, field):
                yield f"unknown = {field!r}: has a value in this profile"
        for name, side in ("write", self.write), ("read", self.read):
            if f"{name}.mb_per_s" in self.unknown and side.zones is not None:
                yield f"unknown = '{name}.mb_per_s': is not, with zones"

    COMPARISONS = (_addressed, _physical, _splits, _through, _told, _unknown)

    @classmethod
    def from_data(cls, data: dict, where: str | Path = "profile") -> "Profile":
        """The profile of a dictionary. Raises :class:`ProfileError`, which begins with
        ``where``."""
        try:
            return cls(**data)
        except ValidationError:
            raise ProfileError(*(f"{where}: {line}"
                                 for line in everything_wrong(cls, data))) from None

    @classmethod
    def from_toml(cls, path: str | Path) -> "Profile":
        """The profile of a file; its name is the file's. Raises :class:`ProfileError`."""
        return cls.from_data(file_data(path), path)

    @property
    def varies(self):
        """Whether two seeds give two different drives."""
        return any(side.variation or side.jitter_us for side in (self.write, self.read))

    def drawn(self, seed: int) -> "Profile":
        """This drive in the run with ``seed``; 0 is the drive as the file has it."""
        if not seed:
            return self
        rng = random.Random(seed)
        values: dict = {"seed": (self.seed + seed) % (1 << 64)}
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
        rate = write.cache.mb_per_s if write.cache else write.knots[0][1] if write.knots else write.up_to_mb_per_s
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
        """MB/s of the medium for reading, (fastest, slowest) place, None: never the limit, or unknown."""
        rates = [rate * self.scale for _, rate in self.read.knots]
        return (max(rates), min(rates)) if rates else None

    @property
    def known_write_bytes(self):
        """Bytes from the first one for which it is published how fast they are written; None: all of the drive."""
        ends = [self.write_cache_bytes] if "write" in self.unknown_rates else []
        if self.write.measured_bytes is not None:
            ends.append(self.write.measured_bytes)
        end = min(ends, default=None)
        return end if end is not None and end < 512 * self.capacity_sectors else None

    @property
    def unknown_rates(self):
        """{"write" or "read": why its rate is not known}, empty where both are."""
        return {side: self.unknown[f"{side}.mb_per_s"] for side in ("write", "read")
                if f"{side}.mb_per_s" in self.unknown}

    @property
    def drive_writes_per_day(self):
        """How often a day of the warranty it may be written; None: not published."""
        if self.rated_writes_tb is None or self.warranty_years is None:
            return None
        return self.rated_writes_tb * 1e12 / (512 * self.capacity_sectors * 365 * self.warranty_years)

    def at_best(self) -> "Profile":
        """This drive with the most that its maker states in place of a rate that is unknown."""
        return self._with_rates({side: getattr(self, side).up_to_mb_per_s for side in self.unknown_rates}, None)

    @property
    def assumed(self):
        """The sides, "write" and "read", whose rate is that of :meth:`assuming`."""
        return [side for side in ("write", "read") if self.estimates.get(f"{side}.mb_per_s") == _ASSUMED]

    def assuming(self, mb_per_s: float) -> "Profile":
        """This drive with ``mb_per_s`` as each rate that is unknown. Raises :class:`ProfileError` where none is, or
        where the maker states less."""
        if not self.unknown_rates:
            raise ProfileError(f"{self.name}: its rates are known, there is nothing to assume")
        for side in self.unknown_rates:
            most = getattr(self, side).up_to_mb_per_s
            if most is not None and mb_per_s > most:
                raise ProfileError(f"{self.name}: {mb_per_s:g} MB/s are more than the {most:g} that its maker states")
        return self._with_rates(dict.fromkeys(self.unknown_rates, mb_per_s), _ASSUMED)

    def _with_rates(self, rates, why):
        if not rates:
            return self
        plain = self.model_dump(exclude_unset=True)
        for side, rate in rates.items():
            del plain["unknown"][f"{side}.mb_per_s"]
            plain.setdefault(side, {})["mb_per_s"] = rate
            if why is not None:
                plain.setdefault("estimates", {})[f"{side}.mb_per_s"] = why
        return self.from_data(plain, self.name)

    def check_rates(self, *sides):
        """Raises :class:`ProfileError` where the rate of one of the ``sides`` (none given: of any) is unknown: no
        simulation and no arithmetic can do without it."""
        for side, why in self.unknown_rates.items():
            if not sides or side in sides:
                verb = "writing" if side == "write" else "reading"
                raise ProfileError(f"{self.name}: its rate of {verb} is unknown ({why})")


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


def _could_exist(profile, field):
    """Whether the dotted name is a field, with a value or without one."""
    *way, last = field.split(".")
    part = profile
    for name in way:
        part = part.__dict__.get(name) if isinstance(part, BaseModel) else None
    return isinstance(part, BaseModel) and last in type(part).model_fields


def names() -> list:
    """Names of the profiles supplied, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def timed_names() -> list:
    """Those whose rates are known, so that they can be simulated."""
    return [name for name, one in _supplied().items() if not one.unknown_rates]


def text_of(name_or_path: str | Path | None = None) -> str:
    """The file of what :func:`load` finds; without a name, one to fill in. Raises :class:`ProfileError`."""
    if name_or_path is None:
        return _BLANK.read_text(encoding="utf-8")
    profile = load(name_or_path)
    own = Path(name_or_path)
    path = own if own.is_file() and str(name_or_path) not in names() else FOLDER / f"{profile.name}.toml"
    return path.read_text(encoding="utf-8")


@cache
def _supplied():
    return {name: Profile.from_toml(FOLDER / f"{name}.toml") for name in names()}


def load(name_or_path: str | Path) -> Profile:
    """A supplied profile by its name, by a name as people write it that no other drive has, or that of a file.

    Raises :class:`ProfileError`.
    """
    text = str(name_or_path)
    if text in names():
        return Profile.from_toml(FOLDER / f"{text}.toml")
    if text and (Path(text).exists() or text.endswith(".toml")):
        return Profile.from_toml(name_or_path)
    found = matching(text, _supplied())
    if len(found) == 1:
        return _supplied()[found[0]]
    if "/" in text and not found:
        return Profile.from_toml(name_or_path)
    if found:
        raise ProfileError(f"drive {text!r}: which of {some(found)}?")
    similar = f", similar: {', '.join(found)}" if (found := near_names(text)) else ""
    raise UnknownName(f"no drive profile {text!r}{similar}")


def near_names(text: str) -> list:
    """Names of the supplied profiles that look like ``text``, a name or a drive as people write it, the nearest
    first."""
    return near(text, _supplied())
