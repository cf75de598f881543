"""What takes more than one request of a board: SMART, standby, TRIM of any extent, SANITIZE.

Each is a generator that yields a :class:`RequestStep` and is sent the board's answer to its line, which has
``error`` (None without one), ``fields()`` and ``data()``. What it returns is the result. Whoever
holds the connection leads it.
"""

from dataclasses import dataclass

from .alignment import logical_blocks
from .health import health_of
from .smart import BadPage, attributes
from .tasks import task, trim_extents

__all__ = ["SANITIZE_WAYS", "NotOffered", "ProcedureFailed", "RequestStep", "enter_standby", "identify_words",
           "read_smart", "sanitize_drive", "trim_range"]

#: Words of IDENTIFY DEVICE data and their bits (ATA8-ACS): SMART is there, is enabled; TRIM is there.
_SMART, _SMART_ENABLED, _TRIM = (82, 0), (85, 0), (169, 0)
#: The bits that say that the ways to erase with SANITIZE DEVICE are there (ACS-2).
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


class NotOffered(ValueError):
    """The drive does not have it, or the extent is none of its; one line."""


class ProcedureFailed(Exception):
    """The board has answered the request ``verb`` with ``error``."""

    def __init__(self, verb, error):
        super().__init__(f"{verb}: {error}")
        self.error = error


def identify_words(page):
    """The 256 words of 512 bytes of IDENTIFY DEVICE data."""
    return [int.from_bytes(page[n:n + 2], "little") for n in range(0, 512, 2)]


def read_smart(words):
    """Attributes by number and :class:`.health.Health`; raises :class:`NotOffered` where IDENTIFY
    DEVICE data, ``words``, say that there is no SMART, or the data are none."""
    if not _has(words, _SMART):
        raise NotOffered("smart: the drive has no SMART (word 82 of IDENTIFY DEVICE, bit 0)")
    if not _has(words, _SMART_ENABLED):
        raise NotOffered("smart: it is disabled in the drive; `command smart-enable` enables it")
    data = _good(task("smart-read-data").line, (yield RequestStep(task("smart-read-data").line))).data()
    # ATA8-ACS has no thresholds any more, and some drives neither.
    limits = yield RequestStep(task("smart-read-thresholds").line, 1 / 3)
    line = task("smart-return-status").line
    status = _number(line, (yield RequestStep(line, 2 / 3)), "result_lba") >> 8 & 0xFFFF
    try:
        found = attributes(data, None if limits.error else limits.data())
    except BadPage as error:
        raise NotOffered(f"smart: {error}") from None
    return found, health_of(found, status=status)


def enter_standby():
    """FLUSH CACHE, then STANDBY IMMEDIATE; the power mode that the drive then tells."""
    _good("flush", (yield RequestStep("flush")))
    line = task("standby-immediate").line
    _good(line, (yield RequestStep(line, 1 / 3)))
    line = task("check-power-mode").line
    return _number(line, (yield RequestStep(line, 2 / 3)), "result_count")


def trim_range(words, capacity, lba, sectors, most):
    """TRIM of an extent, by requests of at most ``most`` sectors; the number of sectors. Raises
    :class:`NotOffered` where the drive has no TRIM, or fewer sectors (``capacity``)."""
    if not _has(words, _TRIM):
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


def sanitize_drive(words, way):
    """SANITIZE DEVICE to its end in one of :data:`SANITIZE_WAYS`; whether the drive has completed it."""
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
