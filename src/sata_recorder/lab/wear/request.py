"""What is asked about a drive's life, checked at once."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sata_drive_model.flash import PATTERNS, FlashDrive, flash_drive_names, load_flash_drive
from sata_drive_model.flash.parameters import FOLDER
from sata_drive_model.medium import ProfileError
from sata_drive_model.medium.profile import load as load_profile

from ..measurement import JobError, parse_rate
from ..plan import parse_duration

_YEAR = 365.25 * 86400
#: The least and the most: bytes a second, erases, seconds, degrees Celsius.
_RATES, _CYCLES, _SPANS, _HEAT = (1e3, 6e9), (20, 10_000_000), (1, 1000 * _YEAR), (-20, 125)
#: How often the whole drive must at least be written by a given time: a few times make it steady.
_OVERWRITES = 5
READ_ONLY = "read-only"


@dataclass(frozen=True)
class WearRequest:
    """A life of ``drive`` under writes of a ``pattern`` at ``rate`` bytes a second, until its blocks have been erased
    ``cycles`` times on average, or for ``seconds``, or, with neither, until it is read-only; then ``rest_seconds``
    at ``celsius`` without power, None: no rest. Raises :class:`..measurement.JobError`, which names the field."""

    drive: FlashDrive
    rate: float
    pattern: str = "sequential"
    cycles: int | None = None
    seconds: float | None = None
    rest_seconds: float | None = None
    celsius: float = 30.0

    def __post_init__(self) -> None:
        if self.pattern not in PATTERNS:
            raise JobError("pattern", self.pattern, f"must be one of {', '.join(PATTERNS)}")
        for name, value, (least, most), unit in (
                ("rate", self.rate, _RATES, " bytes a second"), ("until", self.cycles, _CYCLES, " erases"),
                ("until", self.seconds, _SPANS, " seconds"), ("rest", self.rest_seconds, _SPANS, " seconds"),
                ("celsius", self.celsius, _HEAT, " degrees Celsius")):
            if value is not None and not least <= value <= most:
                raise JobError(name, f"{value:.10g}", f"must be {least:.10g} to {most:.10g}{unit}")
        written = self.seconds and self.seconds * self.rate / self.drive.physical.user_bytes
        if written is not None and written < _OVERWRITES:
            raise JobError("until", f"{self.seconds:.10g}", f"the drive would be written {written:.3g} times, too "
                           f"little for a life: must be at least {_OVERWRITES} times")
        failures = self.drive.physical.failures
        if self.cycles is None and self.seconds is None and (failures is None or not failures.share_per_1000):
            why = self.drive.unknown.get("physical.failures", "its file does not state it")
            raise JobError("until", READ_ONLY, f"unknown of {self.drive.name}, because it is not known how its blocks "
                           f"fail: {why}. A number of erases or a time can be given")

    @classmethod
    def of(cls, drive: FlashDrive, rate: str, *, pattern: str = "sequential", until: str = "5000",
           rest: str | None = None, celsius: float = 30.0) -> Self:
        """The request in texts as people write them: ``until`` "5000", "read-only" or "30d", ``rest`` "1y". Raises as
        the class does."""
        found = re.fullmatch(r"[0-9]{1,12}", until.strip())
        cycles = int(found[0]) if found else None
        seconds = None
        if not found and until.strip() != READ_ONLY:
            seconds = _span("until", until, f"must be a number of erases, {READ_ONLY}, or a time such as 30d")
        return cls(drive, _rate(rate), pattern, cycles, seconds,
                   None if rest is None else _span("rest", rest, "must be a time such as 1y, 90d or 500h"), celsius)


def _rate(text: str) -> float:
    try:
        return float(parse_rate(text))
    except ValueError as error:
        raise JobError("rate", text, str(error).partition(f"{text!r}: ")[2] or str(error)) from None


def _span(field: str, text: str, limit: str) -> float:
    years = re.fullmatch(r"([0-9]{1,4}(?:\.[0-9]{1,6})?)\s*y", text.strip())
    try:
        return float(years[1]) * _YEAR if years else parse_duration(text)
    except ValueError:
        raise JobError(field, text, limit) from None


def flash_drive(name_or_path: str | Path) -> FlashDrive:
    """The parameters of a drive's flash, by its name as people write it, or from a file. Raises
    :class:`sata_drive_model.ProfileError`, which names what to do."""
    try:
        return load_flash_drive(name_or_path)
    except ProfileError as error:
        if not str(error).startswith("no flash parameters"):
            raise
        raise ProfileError(f"{_of_profile(name_or_path) or error}; known are {', '.join(flash_drive_names())}; "
                           "`sata-recorder wear --drive NAME --template` prints the file of one of them, to enter "
                           "another drive") from None


def _of_profile(name):
    """What is missing of a drive that has a timing profile; None without one."""
    try:
        found = load_profile(name)
    except ProfileError:
        return None
    what = "it is a hard disk, which has no flash" if found.rotating else \
        "its timing is known, and nobody has entered what is inside"
    return f"no flash parameters of {found.name}: {what}"


def flash_names() -> list[str]:
    """Names of the drives whose flash is known."""
    return flash_drive_names()


def flash_source(drive: FlashDrive) -> str:
    """The text of the supplied file of ``drive``."""
    return (FOLDER / f"{drive.name}.toml").read_text(encoding="utf-8")
