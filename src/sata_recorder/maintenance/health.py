"""What SMART data say of a drive: wear, temperature, write amplification, and a verdict."""

import enum
from dataclasses import dataclass

__all__ = ["HOT", "Health", "DriveVerdict", "health_of", "health_words"]

_SECTOR, _GIB = 512, 1 << 30
#: LBA 23:8 after SMART RETURN STATUS (ATA8-ACS).
_GOOD, _EXCEEDED = 0xC24F, 0x2CF4
#: From so many degrees Celsius on most drives throttle.
HOT = 70
#: Per cent of the life that is left, of the spare that is left, below which one should think of
#: another drive.
_LITTLE = 10


class DriveVerdict(enum.Enum):
    """What to do with a drive."""

    GOOD = "good"
    WATCH = "watch"         # it works, and something is near its end or too much
    FAILING = "failing"     # it says so itself, or takes no more writes
    UNKNOWN = "unknown"     # it does not say


@dataclass(frozen=True)
class Health:
    """What is known of a drive; None: its attributes do not say.

    ``worn`` per cent of its life, ``spare`` per cent left, ``celsius``; ``written_bytes`` and
    ``read_bytes`` by the host, ``flash_bytes`` written to the flash; ``amplification``: flash to
    host; ``bit_error_rate``: raw errors a bit read; ``hours`` of power; ``reallocated``,
    ``uncorrectable``, ``crc_errors`` counts; ``exceeded`` the names of attributes at their
    threshold; ``verdict`` and its ``reasons``.
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


def health_of(found, *, status=None, passed=None):
    """The :class:`Health` of the attributes ``found`` (see :func:`.smart.attributes`); ``status``: LBA
    23:8 after SMART RETURN STATUS, None if it was not asked for. Any other value than the two that
    ATA8-ACS knows counts as unknown. ``passed`` is what it means, where somebody else has read it."""
    if passed is not None:
        status = _GOOD if passed else _EXCEEDED

    def raw(number, bits=48):
        return found[number].raw & (1 << bits) - 1 if number in found else None

    def percent(*numbers):
        """The first of these attributes whose normalised value can be one that began at 100."""
        return next((found[number].value for number in numbers
                     if number in found and 1 <= found[number].value <= 100), None)

    life = percent(231, 202, 233, 177)
    worn = None if life is None else 100 - life
    spare = percent(232, 180, 170, 179)
    written = _times(raw(241) if 241 in found else raw(246), _SECTOR)
    flash = _times(raw(249), _GIB)
    amplification = flash / written if flash and written else None
    if amplification is None and raw(247):
        amplification = 1 + (raw(248) or 0) / raw(247) if 248 in found else None
    read = _times(raw(242), _SECTOR)
    celsius = raw(194, 8) if 194 in found else raw(190, 8)
    known = dict(
        worn=worn, spare=spare, celsius=celsius, written_bytes=written, read_bytes=read,
        flash_bytes=flash, amplification=amplification,
        # No attribute counts raw bit errors in a way that two vendors share.
        bit_error_rate=None,
        hours=raw(9, 32), reallocated=raw(5, 32), uncorrectable=raw(187, 32), crc_errors=raw(199, 32),
        exceeded=tuple(one.name for one in found.values() if one.exceeded))
    verdict, reasons = _judged(known, found, status)
    return Health(**known, verdict=verdict, reasons=reasons)


def health_words(health):
    """Names and texts of what is known of a drive; what is not is "unknown"."""
    def known(value, form):
        return "unknown" if value is None else form(value)

    yield "worn", known(health.worn, "{} %".format)
    yield "spare", known(health.spare, "{} % left".format)
    yield "temperature", known(health.celsius, "{} degrees Celsius".format)
    yield "written", known(health.written_bytes, lambda size: f"{size / 1e9:,.2f} GB by the host")
    yield "write amplification", known(health.amplification, "{:.2f}".format)
    yield "raw bit error rate", known(health.bit_error_rate, "{:.1e}".format)
    yield "verdict", health.verdict.value
    for reason in health.reasons:
        yield "", reason


def _times(count, unit):
    return None if count is None else count * unit


def _judged(known, found, status):
    bad, watch = [], []
    if status == _EXCEEDED:
        bad.append("SMART RETURN STATUS: an attribute has reached its threshold")
    for one in found.values():
        if one.exceeded:
            (bad if one.prefail else watch).append(
                f"{one.name}: {one.value}, threshold {one.threshold}")
    if known["spare"] is not None and known["spare"] <= 1:
        bad.append("no spare blocks are left: it takes no writes, or soon none")
    elif known["spare"] is not None and known["spare"] < _LITTLE:
        watch.append(f"spare blocks: {known['spare']} % left")
    if known["worn"] is not None and known["worn"] > 100 - _LITTLE:
        watch.append(f"worn to {known['worn']} %")
    if known["celsius"] is not None and known["celsius"] >= HOT:
        watch.append(f"{known['celsius']} degrees Celsius: drives throttle there")
    for name, text in (("uncorrectable", "uncorrectable errors"),
                       ("reallocated", "reallocated sectors")):
        if known[name]:
            watch.append(f"{text}: {known[name]}")
    if known["crc_errors"]:
        watch.append(f"CRC errors of the line: {known['crc_errors']}, look at the cable")
    if bad:
        return DriveVerdict.FAILING, (*bad, *watch)
    if watch:
        return DriveVerdict.WATCH, tuple(watch)
    if status == _GOOD:
        return DriveVerdict.GOOD, ()
    return DriveVerdict.UNKNOWN, ("SMART RETURN STATUS was not asked for, or its answer is none",)
