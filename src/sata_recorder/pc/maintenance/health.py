"""What SMART data show about a drive: wear, temperature, write amplification, and a verdict."""

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from .figures import figures_of
from .known_drives import KnownDrive
from .security import LOCKED

__all__ = ["HOT", "Health", "DriveVerdict", "health_of", "health_words"]

#: LBA 23:8 after SMART RETURN STATUS (ATA8-ACS).
_GOOD, _EXCEEDED = 0xC24F, 0x2CF4
#: From this temperature in degrees Celsius on most drives throttle.
HOT = 70
#: Per cent left of the life, or of the spare blocks, below which one should think of another drive.
_LITTLE = 10


class DriveVerdict(enum.Enum):
    """What to do with a drive."""

    GOOD = "good"
    WATCH = "watch"         # it works, and something is near its end or too much
    FAILING = "failing"     # it reports that itself, or takes no more writes
    UNKNOWN = "unknown"     # it does not report


@dataclass(frozen=True)
class Health:
    """What is known about a drive; None: unknown.

    ``worn`` per cent of its life, a floor if ``worn_at_least``; ``spare`` per cent left, ``celsius``;
    ``written_bytes`` and ``read_bytes`` by the host, ``flash_bytes`` written to the flash; ``amplification``: flash
    to host; ``bit_error_rate``: raw errors a bit read, ``error_exponent``: n of the drive's own error rate, of
    10^-n or less a bit; ``hours`` of power; ``reallocated``, ``uncorrectable``, ``crc_errors`` counts,
    ``bad_blocks`` that failed since it was new; ``write_protected``: not 0 if it only reads; ``erased`` the least,
    mean and most erase cycles of a block, None for one that it does not count; ``exceeded`` the names of
    attributes at their threshold; ``verdict`` and its ``reasons``; ``locked`` by ATA Security. ``sources``: whose
    word a figure is, by its name; ``known_by`` what states what the drive's attributes mean, None: nothing does.
    """

    worn: int | None
    spare: int | None
    celsius: int | None
    written_bytes: int | None
    read_bytes: int | None
    flash_bytes: int | None
    amplification: float | None
    bit_error_rate: float | None
    hours: int | None
    reallocated: int | None
    uncorrectable: int | None
    crc_errors: int | None
    exceeded: tuple
    verdict: DriveVerdict
    reasons: tuple
    worn_at_least: bool = False
    erased: tuple | None = None
    locked: bool = False
    known_by: str | None = None
    bad_blocks: int | None = None
    error_exponent: int | None = None
    write_protected: int | None = None
    sources: dict = field(default_factory=dict)


_FIGURES = ("worn", "spare", "celsius", "written_bytes", "read_bytes", "flash_bytes", "amplification",
            "bit_error_rate", "hours", "reallocated", "uncorrectable", "crc_errors", "bad_blocks",
            "error_exponent", "write_protected")


def health_of(found: dict[int, Any], *, status: int | None = None, passed: bool | None = None,
              known: KnownDrive | None = None, statistics: dict[str, Any] | None = None, locked: bool = False,
              sector_bytes: int = 512, capacity: int | None = None) -> Health:
    """The :class:`Health` of the attributes ``found`` (see :func:`.smart.attributes`) of a drive that is
    ``known`` (:class:`.known_drives.KnownDrive`), None: to nobody, and of its Device Statistics (see
    :mod:`.statistics`). ``status``: LBA 23:8 after SMART RETURN STATUS, None if it was not requested. Any other
    value than the two that ATA8-ACS knows counts as unknown. ``passed`` is what it means, if somebody else
    has read it. ``locked`` by ATA Security; ``sector_bytes`` of a logical sector, ``capacity`` in bytes."""
    if passed is not None:
        status = _GOOD if passed else _EXCEEDED
    told = figures_of(found, known, statistics or {}, sector_bytes=sector_bytes, capacity=capacity)
    figures: dict[str, Any] = {name: told[name].value if name in told else None for name in _FIGURES}
    erased = [told[name].value if name in told else None for name in ("least_erased", "mean_erased", "most_erased")]
    health = Health(
        **figures, exceeded=tuple(one.name for one in found.values() if one.exceeded),
        verdict=DriveVerdict.UNKNOWN, reasons=(), locked=locked,
        worn_at_least="worn" in told and told["worn"].at_least,
        erased=tuple(erased) if any(count is not None for count in erased) else None,
        known_by=f"{known.source}, {known.family}" if known else None,
        sources={name: told[name].source for name in _FIGURES if name in told})
    verdict, reasons = _judged(health, found, status)
    return replace(health, verdict=verdict, reasons=reasons)


def worn_words(health: Health) -> str:
    """How worn the drive is; "at least" if its counter can show no more than that."""
    return f"{'at least ' * health.worn_at_least}{health.worn} %"


def health_words(health: Health) -> Iterator[tuple[str, str]]:
    """Names and texts of what is known about a drive; what is not is "unknown"."""
    def known(value, form):
        return "unknown" if value is None else form(value)

    yield "worn", known(health.worn, lambda _: worn_words(health))
    yield "spare", known(health.spare, "{} % left".format)
    yield "temperature", known(health.celsius, "{} degrees Celsius".format)
    yield "written", known(health.written_bytes, lambda size: f"{size / 1e9:,.2f} GB by the host")
    yield "write amplification", known(health.amplification, "{:.2f}".format)
    yield "raw bit error rate", known(health.bit_error_rate, "{:.1e}".format)
    # Few families report these, so that a line about each of the others would be only noise.
    if health.error_exponent is not None:
        n = health.error_exponent
        yield "error rate it shows", f"exponent {n}: 1e-{n} a bit or less, more than 1e-{n + 1}"
    yield "erase cycles", known(health.erased, _cycles)
    if health.bad_blocks is not None:
        yield "bad blocks", f"{health.bad_blocks:,} since it was new"
    yield "verdict", health.verdict.value
    for reason in health.reasons:
        yield "", reason


def _cycles(counts):
    """The least, mean and most of them; a drive may count fewer."""
    if None not in counts:
        return "{0:,} to {2:,}, mean {1:,}".format(*counts)
    names = zip(("least", "mean", "most"), counts)
    return ", ".join(f"{name} {count:,}" for name, count in names if count is not None)


def _judged(health, found, status):
    bad, watch = [], []
    if health.locked:
        watch.append(LOCKED)
    if status == _EXCEEDED:
        bad.append("SMART RETURN STATUS: an attribute has reached its threshold")
    if health.write_protected:
        bad.append("write-protected: it takes no writes any more")
    for one in found.values():
        if one.exceeded:
            (bad if one.prefail else watch).append(
                f"{one.name}: {one.value}, threshold {one.threshold}")
    if health.spare is not None and health.spare <= 1:
        watch.append("no spare blocks are left: it takes no writes, or soon none")
    elif health.spare is not None and health.spare < _LITTLE:
        watch.append(f"spare blocks: {health.spare} % left")
    if health.worn is not None and health.worn > 100 - _LITTLE:
        watch.append(f"worn to {worn_words(health)}")
    if health.celsius is not None and health.celsius >= HOT:
        watch.append(f"{health.celsius} degrees Celsius: drives throttle there")
    if health.uncorrectable:
        watch.append(f"uncorrectable errors: {health.uncorrectable}")
    if health.reallocated:
        watch.append(f"reallocated sectors: {health.reallocated}")
    if health.crc_errors:
        watch.append(f"CRC errors of the line: {health.crc_errors}, check the cable")
    if bad:
        return DriveVerdict.FAILING, (*watch[:health.locked], *bad, *watch[health.locked:])
    if watch:
        return DriveVerdict.WATCH, tuple(watch)
    if status == _GOOD:
        return DriveVerdict.GOOD, ()
    return DriveVerdict.UNKNOWN, ("SMART RETURN STATUS was not sent, or its answer is not valid",)
