"""What takes more than one request of a board: SMART, standby, TRIM of any extent, SANITIZE.

Each is a generator that yields a :class:`RequestStep` and is sent the board's answer to its line, which has
``error`` (None without one), ``fields()`` and ``data()``. What it returns is the result. Whoever
holds the connection runs it.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from ...facts.units import SECTOR_BYTES
from .alignment import logical_blocks
from .health import Health, health_of
from .known_drives import KnownDrive, known_drive
from .security import Security
from .smart import BadPage, attributes
from .statistics import LOG, pages_of, statistics_of
from .tasks import task, trim_extents

__all__ = ["SANITIZE_WAYS", "NotOffered", "ProcedureFailed", "RequestStep", "enter_standby", "has_trim",
           "identify_words", "read_smart", "sanitize_drive", "trim_range"]

#: Words of IDENTIFY DEVICE data and their bits (ATA8-ACS): SMART is supported, is enabled; TRIM is supported; General
#: Purpose Logging is supported, in a word that is valid if its bits 15:14 are 01b.
_SMART, _SMART_ENABLED, _TRIM, _LOGGING = (82, 0), (85, 0), (169, 0), (84, 5)
#: Their words of the firmware's name, and of the model's; the word of the rotation rate.
_FIRMWARE, _MODEL, _ROTATION = (23, 26), (27, 46), 217
#: The bits of the supported ways to erase with SANITIZE DEVICE (ACS-2).
_SANITIZE = {"block": (59, 15), "crypto": (59, 13)}
#: Bits of Count after SANITIZE STATUS.
_COMPLETED, _IN_PROGRESS = 15, 14

#: The ways to erase with SANITIZE DEVICE.
SANITIZE_WAYS = tuple(_SANITIZE)


@dataclass(frozen=True)
class RequestStep:
    """The ``line`` to be sent next; ``share`` of the work that is done before it, 0 to 1."""

    line: str
    share: float = 0.0


_Result = TypeVar("_Result")
#: Gets the board's answer to each step, a :class:`..console.answer.Answer`.
Procedure: TypeAlias = Generator[RequestStep, Any, _Result]


class NotOffered(ValueError):
    """The drive does not offer it, or does not have the extent; one line."""


class ProcedureFailed(Exception):
    """The board has answered the request ``verb`` with ``error``."""

    def __init__(self, verb: str, error: str) -> None:
        super().__init__(f"{verb}: {error}")
        self.error = error


def identify_words(page: bytes) -> list[int]:
    """The 256 words of 512 bytes of IDENTIFY DEVICE data."""
    return [int.from_bytes(page[n:n + 2], "little") for n in range(0, 512, 2)]


def has_trim(words: Sequence[int]) -> bool:
    """Whether the drive has TRIM."""
    return bool(_has(words, _TRIM))


def read_smart(words: Sequence[int], known: KnownDrive | None = None) -> Procedure[tuple[dict[int, Any], Health]]:
    """Attributes by number and :class:`.health.Health`; raises :class:`NotOffered` if IDENTIFY DEVICE
    data, ``words``, state that there is no SMART, or what comes is no SMART data. ``known`` is the
    :class:`.known_drives.KnownDrive`, None: by the drive's model."""
    if not _has(words, _SMART):
        raise NotOffered("smart: the drive has no SMART (word 82 of IDENTIFY DEVICE, bit 0)")
    if not _has(words, _SMART_ENABLED):
        raise NotOffered("smart: it is disabled in the drive; `command smart-enable` enables it")
    data = _good(task("smart-read-data").line, (yield RequestStep(task("smart-read-data").line))).data()
    # ATA8-ACS no longer has thresholds, nor have some drives.
    limits = yield RequestStep(task("smart-read-thresholds").line, 1 / 3)
    statistics = yield from _statistics(words)
    line = task("smart-return-status").line
    status = _number(line, (yield RequestStep(line, 2 / 3)), "result_lba") >> 8 & 0xFFFF
    rotation = words[_ROTATION]
    known = known or known_drive(_text(words, *_MODEL), _text(words, *_FIRMWARE), is_disk=rotation > 1)
    try:
        found = attributes(data, None if limits.error else limits.data(), known)
    except BadPage as error:
        raise NotOffered(f"smart: {error}") from None
    sector_bytes = SECTOR_BYTES * logical_blocks(words)
    return found, health_of(
        found, status=status, known=known, statistics=statistics, locked=Security.of(words).locked,
        sector_bytes=sector_bytes, capacity=sector_bytes * _sectors(words))


def _statistics(words):
    """The Device Statistics, see :mod:`.statistics`; none if the drive does not have them, or does not
    give them."""
    if words[_LOGGING[0]] >> 14 != 0b01 or not _has(words, _LOGGING):
        return {}
    # A request for a log that the drive does not have would count as an error of the drive.
    directory = yield from _log_page(0, 0)
    if directory is None or not int.from_bytes(directory[2 * LOG:2 * LOG + 2], "little"):
        return {}
    listing, pages = (yield from _log_page(LOG, 0)), {}
    for number in pages_of(listing or b""):
        page = yield from _log_page(LOG, number)
        if page is None:
            break
        pages[number] = page
    return statistics_of(pages)


def _log_page(log, page):
    """512 bytes of a log by READ LOG EXT; None if they do not come."""
    answer = yield RequestStep(task("read-log", lba=log | page << 8).line, 1 / 2)
    return answer.data() if not answer.error and len(answer.data()) == SECTOR_BYTES else None


def enter_standby() -> Procedure[int]:
    """FLUSH CACHE, then STANDBY IMMEDIATE; the power mode that the drive then reports."""
    _good("flush", (yield RequestStep("flush")))
    line = task("standby-immediate").line
    _good(line, (yield RequestStep(line, 1 / 3)))
    line = task("check-power-mode").line
    return _number(line, (yield RequestStep(line, 2 / 3)), "result_count")


def trim_range(words: Sequence[int], capacity: int, lba: int, sectors: int, most: int) -> Procedure[int]:
    """TRIM of an extent, by requests of at most ``most`` sectors; returns the number of sectors. Raises
    :class:`NotOffered` if the drive has no TRIM, or fewer sectors (``capacity``)."""
    if not has_trim(words):
        raise NotOffered("trim: the drive has no TRIM (word 169 of IDENTIFY DEVICE, bit 0)")
    if not sectors:
        raise NotOffered("trim: SECTORS = 0: at least 1")
    if lba + sectors > capacity:
        raise NotOffered(f"trim: sectors {lba} to {lba + sectors - 1}: the drive has {capacity}")
    if (blocks := logical_blocks(words)) > 1 and (lba % blocks or sectors % blocks):
        raise NotOffered(f"trim: sectors {lba} to {lba + sectors - 1}: must begin and end with a logical "
                         f"sector of the drive, which is {blocks} of 512 bytes")
    for first, count in trim_extents(lba, sectors, most):
        _good("trim", (yield RequestStep(f"trim {first} {count}", (first - lba) / sectors)))
    return sectors


def sanitize_drive(words: Sequence[int], way: str) -> Procedure[bool]:
    """SANITIZE DEVICE to its end in one of :data:`SANITIZE_WAYS`; returns whether the drive has completed it."""
    if not _has(words, _SANITIZE[way]):
        raise NotOffered(f"sanitize {way}: the drive does not have it (word 59 of IDENTIFY DEVICE, bit "
                         f"{_SANITIZE[way][1]})")
    line, ask = task(f"sanitize-{way}").line, task("sanitize-status").line
    _good(line, (yield RequestStep(line)))
    share = 0.0
    while True:
        answer = yield RequestStep(ask, share)
        count = _number(ask, answer, "result_count")
        if not count >> _IN_PROGRESS & 1:
            return bool(count >> _COMPLETED & 1)
        share = (_number(ask, answer, "result_lba") & 0xFFFF) / 0xFFFF


def _text(words, first, last):
    """The text in these words: two characters in each, the first one in the high byte."""
    return b"".join(word.to_bytes(2, "big") for word in words[first:last + 1]).decode("latin-1")


def _sectors(words):
    """The logical sectors of the drive."""
    long = sum(words[100 + n] << 16 * n for n in range(4)) if words[83] >> 10 & 1 else 0
    return long or words[60] | words[61] << 16


def _has(words, place):
    word, bit = place
    return words[word] >> bit & 1


def _number(line, answer, name):
    """The number ``name`` of a good answer; noise may have spoilt its line."""
    found = _good(line, answer).fields().get(name)
    if not isinstance(found, int):
        raise ProcedureFailed(line.split()[0], "spoilt-answer")
    return found


def _good(line, answer):
    if answer.error:
        raise ProcedureFailed(line.split()[0], answer.error)
    return answer
