"""Why a recording went wrong: a drive that takes no writes any more, or a write that failed once.

Like those of :mod:`.procedures`, it is a generator that yields requests of a board and is sent the answers.
"""

import enum
from dataclasses import dataclass

from .alignment import logical_blocks
from .health import HOT, DriveVerdict, Health
from .procedures import NotOffered, ProcedureFailed, RequestStep, identify_words, read_smart

__all__ = ["Diagnosis", "WriteTrouble", "diagnose", "drive_error_words", "needs_diagnosis"]

#: Bits of the Error register (ATA8-ACS), highest first, and of the Status register.
_ERROR_BITS = {7: "ICRC", 6: "UNC", 4: "IDNF", 2: "ABRT"}
_ABORTED, _DEVICE_FAULT = 1 << 2, 1 << 5
#: Errors of an operation, as the board names them, that say something of the drive or of the way to it.
_OF_THE_DRIVE = ("drive-error",)
_OF_THE_WAY = ("timeout", "link-lost", "data-crc", "short-data", "protocol", "command-refused",
               "other-drive")
#: Those of a file.
_OF_A_FILE = ("cut-short", "cut-in-doubt", "in-doubt", "drive")
#: Per cent of the spare blocks at which a drive has none for another block.
_NO_SPARE = 1


class WriteTrouble(enum.Enum):
    """What a failure to record means for the drive."""

    READ_ONLY = "read-only"         # it cannot write any more
    BAD_SECTOR = "bad sector"       # it cannot write there, but elsewhere
    ONCE = "once"                   # it has failed, and writes now
    LINK = "link"                   # the way to the drive has failed
    UNKNOWN = "unknown"             # nothing says which


@dataclass(frozen=True)
class Diagnosis:
    """``trouble``, one plain sentence that says it, ``text``, and the drive's ``health``, None where it
    does not tell it."""

    trouble: WriteTrouble
    text: str
    health: Health | None = None


def needs_diagnosis(fields, error):
    """Whether a recording that was answered with ``fields`` and ``error`` says something of the drive;
    one that was refused for a mistake does not."""
    return error in (*_OF_THE_DRIVE, *_OF_THE_WAY, *_OF_A_FILE) or not error and bool(
        fields.get("retries") or fields.get("skipped_sectors"))


def drive_error_words(number):
    """The names of the bits that are set in an Error register."""
    return "+".join(name for bit, name in _ERROR_BITS.items() if number >> bit & 1) or f"{number:#04x}"


def diagnose(fields, error):
    """The :class:`Diagnosis` of a recording that was answered with ``fields`` and ``error``.

    Where a command of the drive has failed in a known place of the extent, that place is recorded once
    more: a drive that takes it has failed once. Nothing outside of the extent is written.
    """
    status = (yield RequestStep("status")).fields()
    said = yield RequestStep("identify raw", 1 / 4)
    words = identify_words(said.data()) if not said.error and len(said.data()) == 512 else None
    register = status.get("drive_error") or 0
    failed = error or "drive-error"
    if error in _OF_A_FILE:
        failed = fields.get("cause") or status.get("last_error") or "none"
    again = elsewhere = None
    if error in _OF_THE_DRIVE and words and fields.get("operation") == "record" and status.get("ready"):
        blocks = logical_blocks(words)
        place = _place(fields)
        place -= place % blocks
        last = fields["lba"] + fields["sectors"] - blocks
        again = yield RequestStep(f"record {place} {blocks} flush", 1 / 3)
        if again.error and last > place:
            elsewhere = yield RequestStep(f"record {last} {blocks} flush", 1 / 2)
    health = None
    if words:
        try:
            _, health = yield from read_smart(words)
        except (NotOffered, ProcedureFailed):
            pass                    # the drive, or the board, does not tell it
    trouble = _trouble(failed, register, error, again, elsewhere, health)
    return Diagnosis(trouble, _sentence(trouble, fields, failed, register, error, again, health), health)


def _place(fields):
    """The sector that the drive has named, if it is one of the extent, else the first that is not done."""
    lba = fields.get("lba", 0)
    named = fields.get("error_lba")
    if named is not None and lba <= named < lba + fields.get("sectors", 0):
        return named
    return lba + fields.get("sectors_done", 0) + fields.get("skipped_sectors", 0)


def _is_worn_out(health):
    """Whether SMART says that the drive is at its end."""
    return health is not None and (health.verdict is DriveVerdict.FAILING
                                   or health.spare is not None and health.spare <= _NO_SPARE)


def _trouble(failed, register, error, again, elsewhere, health):
    if not error:
        return WriteTrouble.ONCE
    if failed in _OF_THE_WAY:
        return WriteTrouble.LINK
    if again is None:
        refused = failed in _OF_THE_DRIVE and register & (_ABORTED | _DEVICE_FAULT)
        return WriteTrouble.READ_ONLY if refused and _is_worn_out(health) else WriteTrouble.UNKNOWN
    if not again.error:
        return WriteTrouble.ONCE
    if again.error not in _OF_THE_DRIVE:
        return WriteTrouble.LINK
    if elsewhere is not None and not elsewhere.error:
        return WriteTrouble.BAD_SECTOR
    return WriteTrouble.READ_ONLY if _is_worn_out(health) or elsewhere is not None and (
        register & (_ABORTED | _DEVICE_FAULT)) else WriteTrouble.UNKNOWN


def _sentence(trouble, fields, failed, register, error, again, health):
    """One plain sentence."""
    place = _place(fields)
    names = drive_error_words(register)
    match trouble:
        case WriteTrouble.READ_ONLY:
            text = f"the drive cannot write any more: it refuses each write ({names})"
        case WriteTrouble.BAD_SECTOR:
            text = f"the drive cannot write sector {place}, and writes elsewhere ({names})"
        case WriteTrouble.ONCE if error:
            text = f"a write failed once, at sector {place} ({names}), and the drive writes there now"
        case WriteTrouble.ONCE if fields.get("skipped_sectors"):
            text = (f"{fields['skipped_sectors']} sectors were passed over after a failed write, and the "
                    "drive writes others")
        case WriteTrouble.ONCE:
            text = f"{fields['retries']} failed commands were tried again, and the drive writes"
        case WriteTrouble.LINK:
            text = f"the way to the drive has failed ({again.error if again else failed}), not a write of it"
        case _:
            text = f"a write failed ({failed}, {names}), and nothing says whether the drive can write"
    return text + _health_words(health)


def _health_words(health):
    """What SMART says to it."""
    if health is None:
        return "; of its health the drive says nothing"
    if not health.reasons:
        return f"; SMART says that it is {health.verdict.value}"
    hot = " (too hot)" if health.celsius is not None and health.celsius >= HOT else ""
    return f"; SMART says that it is {health.verdict.value}{hot}: {'; '.join(health.reasons)}"
