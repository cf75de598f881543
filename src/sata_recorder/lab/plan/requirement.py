"""What is to be recorded, checked at once."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

from ...facts.ata import LBA48_COMMAND_SECTORS
from ..measurement import HostOptions, JobError, StreamOptions, parse_rate, parse_size, reason
from ...facts.throughput import Host
from ...facts.units import DWORD_HZ, SECTOR_BYTES, WORD_BYTES
from .stages import BUFFER_WORDS, check_stages, options_of

_UNITS = {"ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400}
_PART = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(ms|s|min|h|d)\s*"
#: The longest recording: a century. The fastest stream: what 1,000 links could carry.
_MOST_SECONDS = 100 * 365.25 * 86400
_MOST_RATE = 6e11
_MOST_BYTES = SECTOR_BYTES << 48
#: The units of the limits of a field.
_UNIT = {"rate": " bytes a second", "seconds": " seconds", "size": " bytes", "fifo_bytes": " bytes",
         "command_sectors": " sectors", "turnaround_us": " microseconds"}


def parse_duration(text: str) -> float:
    """Seconds of a text such as "1h", "90 min", "1h30min", "2.5s".

    Raises ``ValueError`` with one line for anything else, and for 0.
    """
    if not re.fullmatch(f"({_PART})+", text.strip()):
        raise ValueError(f"duration {text!r}: must be numbers with one of the units "
                         f"{', '.join(_UNITS)}, such as 1h30min")
    parts = re.findall(_PART, text)
    units = [unit for _, unit in parts]
    if len(set(units)) < len(units):
        twice = next(unit for unit in units if units.count(unit) > 1)
        raise ValueError(f"duration {text!r}: {twice} is given more than once")
    seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if not seconds:
        raise ValueError(f"duration {text!r}: must be above 0")
    return seconds


@dataclass(frozen=True)
class Requirement:
    """A recording: ``rate`` bytes a second for ``seconds``, or until there are ``size`` bytes.

    Parameters: exactly one of ``seconds`` and ``size``. ``fifo_bytes`` is the deepest FIFO that
    would be built in front of each core, ``generation`` the fastest link of the host,
    ``command_sectors`` the longest command, ``turnaround_us`` the host's pause between two of them.
    ``duty`` is the share of all time that is spent recording, ``rated_tb`` what may be written to the drive
    by its rating, in 10^12 bytes, and ``dwpd`` its rated drive writes a day during ``warranty_years`` (None: as its
    profile states). ``written_tb`` is what was written to it before, ``fill`` the share of it that holds data
    that were not trimmed (None: as its profile states).

    ``memory`` bytes are the buffer of each core (None: block RAM): ``fifo_bytes`` is then what they have beyond a
    core's own buffer. ``width`` bits of the stream's beats, and ``source_hz``, the frequency of its own clock; None: 32
    bits, and the core's clock.

    Raises :exc:`..measurement.JobError`, which names the field, and
    :exc:`...interface.configuration.ConfigurationError` for a core that cannot be.
    """

    rate: float
    seconds: float | None = None
    size: int | None = None
    fifo_bytes: int = 1 << 30
    generation: int = 2
    command_sectors: int = 2048
    turnaround_us: float = 0.0
    duty: float = 1.0
    rated_tb: float | None = None
    dwpd: float | None = None
    warranty_years: float | None = None
    written_tb: float = 0.0
    fill: float | None = None
    memory: int | None = None
    width: int | None = None
    source_hz: float | None = None

    def __post_init__(self) -> None:
        if (self.seconds is None) == (self.size is None):
            raise JobError("seconds", None, "exactly one must be given of it and ", ("size",))
        if self.memory is not None:
            object.__setattr__(self, "fifo_bytes", self.memory - WORD_BYTES * BUFFER_WORDS)
        limits: dict[str, tuple[float, float]] = {
            "rate": (1, _MOST_RATE), "fifo_bytes": (4, 1 << 42), "command_sectors": (1, LBA48_COMMAND_SECTORS),
            "turnaround_us": (0, 60e6)}
        if self.seconds is not None:
            limits["seconds"] = (1e-3, _MOST_SECONDS)
        if self.size is not None:
            limits["size"] = (1, _MOST_BYTES)
        limits |= {name: (least, most) for name, least, most in (
            ("dwpd", 1e-6, 1e6), ("warranty_years", 1e-3, 100), ("written_tb", 0, 1e9), ("fill", 0, 1))
            if vars(self)[name] is not None}
        if self.dwpd is not None and self.rated_tb is not None:
            raise JobError("dwpd", f"{self.dwpd:g}", "not together with ", ("rated_tb", f"{self.rated_tb:g}"))
        for name, (least, most) in limits.items():
            _check(name, vars(self)[name], least, most)
        if self.generation not in DWORD_HZ:
            raise JobError("generation", self.generation, "must be 1 to 3")
        if not 0 < self.duty <= 1:
            raise JobError("duty", f"{self.duty:g}", "must be above 0 and at most 1")
        if self.rated_tb is not None and not 0 < self.rated_tb < 1e9:
            raise JobError("rated_tb", f"{self.rated_tb:g}", "must be above 0 and below 10^9")
        if self.bytes > _MOST_BYTES:
            raise JobError("seconds", f"{self.seconds:g}", f"{self.bytes:,} bytes in them are more "
                           "than 2^48 sectors")
        check_stages(self, self.generation)

    @classmethod
    def of(cls, rate: str, *, duration: str | None = None, size: str | None = None, fifo: str | None = None,
           written: str | None = None, stream: StreamOptions = StreamOptions(), host: HostOptions = HostOptions(),
           **others: Any) -> Self:
        """The requirement in texts as people write them: ``rate`` "150MB/s", ``duration`` "1h", ``size``
        "540GB", ``fifo`` "64MiB", ``written`` "40TB"; ``stream`` has the ``width`` and ``source_clock``, ``host`` the
        ``memory``. Raises ``ValueError`` with one line, or as the class does."""
        others |= options_of(stream, host)
        if fifo is not None and others["memory"] is not None:
            raise JobError("fifo_bytes", fifo, "not together with ", ("memory", host.memory), ", which is the FIFO")
        if fifo is not None:
            others["fifo_bytes"] = SECTOR_BYTES * _read("fifo_bytes", fifo, parse_size)
        if written is not None:
            others["written_tb"] = SECTOR_BYTES * _read("written_tb", written, parse_size) / 1e12
        return cls(float(_read("rate", rate, parse_rate)),
                   seconds=None if duration is None else _read("seconds", duration, parse_duration),
                   size=None if size is None else SECTOR_BYTES * _read("size", size, parse_size), **others)

    @property
    def host(self) -> Host:
        """The host's side of the link."""
        host = Host(self.generation, self.command_sectors, self.turnaround_us)
        if self.beat_hz is None or self.memory is not None:
            return host         # what waits in a memory has come through the beats already
        return replace(host, beat_bytes=(self.width or 8 * WORD_BYTES) // 8, beat_hz=self.source_hz,
                       buffer_bytes=WORD_BYTES * BUFFER_WORDS)

    @property
    def beat_hz(self) -> float | None:
        """The clock of the source's beats; None: they are words in the core's clock."""
        return self.source_hz or (None if self.width is None else DWORD_HZ[self.generation])

    @property
    def bytes(self) -> int:
        """Bytes of the whole recording, in whole sectors."""
        size = self.size or self.rate * (self.seconds or 0)
        return SECTOR_BYTES * max(1, math.ceil(size / SECTOR_BYTES))

    @property
    def duration(self) -> float:
        """Seconds of the whole recording."""
        return self.bytes / self.rate


def _read(field: str, text: str, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(text)
    except ValueError as error:
        raise JobError(field, text, reason(error, text)) from None


def _check(name: str, value: float, least: float, most: float) -> None:
    if not (isinstance(value, (int, float)) and least <= value <= most):
        raise JobError(name, f"{value:.10g}", f"must be {least:.10g} to {most:.10g}{_UNIT.get(name, '')}")
