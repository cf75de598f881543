"""Why a recording went wrong: a drive that takes no writes any more, or a write that failed once.

Like those of :mod:`.procedures`, it is a generator that yields requests of a board and is sent the answers.
"""

import enum
from dataclasses import dataclass
from typing import Any

from ...facts.units import SECTOR_BYTES
from .alignment import logical_blocks
from .health import HOT, DriveVerdict, Health
from .procedures import NotOffered, Procedure, ProcedureFailed, RequestStep, identify_words, read_smart
from .security import LOCKED, Security

__all__ = ["Diagnosis", "WriteTrouble", "diagnose", "drive_error_words", "needs_diagnosis"]

#: Bits of the Error register (ATA8-ACS), highest first, and of the Status register.
_ERROR_BITS = {7: "ICRC", 6: "UNC", 4: "IDNF", 2: "ABRT"}
_ABORTED, _DEVICE_FAULT = 1 << 2, 1 << 5
#: Errors of an operation, as the board names them, that show something about the drive or the path to it.
_OF_THE_DRIVE = ("drive-error",)
_OF_THE_WAY = ("timeout", "link-lost", "data-crc", "short-data", "protocol", "command-refused",
               "other-drive")
#: Those of a file.
_OF_A_FILE = ("cut-short", "cut-in-doubt", "in-doubt", "drive")
#: Why a trial failed: the drive may have gone meanwhile, too.
_AWAY = (*_OF_THE_WAY, "not-ready")
#: The journal's kind of the command at which an operation ended.
_IN_DOUBT = "in-doubt"
#: Per cent of the spare blocks at which a drive has none for another block.
_NO_SPARE = 1


class WriteTrouble(enum.Enum):
    """What a failure to record means for the drive."""

    LOCKED = "locked"               # it takes no write until it is unlocked
    READ_ONLY = "read-only"         # it cannot write any more
    BAD_SECTOR = "bad sector"       # it cannot write there, but elsewhere
    ONCE = "once"                   # it has failed, and writes now
    FLUSH = "flush"                 # FLUSH CACHE has failed, no write
    LINK = "link"                   # the path to the drive has failed
    UNKNOWN = "unknown"             # nothing states which


@dataclass(frozen=True)
class Diagnosis:
    """``trouble``; ``text``, one plain sentence that states it; the drive's ``health``, None if the drive
    does not report it, or was not queried; ``tried``: the sectors that were recorded once more, extents of a
    first sector and a number."""

    trouble: WriteTrouble
    text: str
    health: Health | None = None
    tried: tuple = ()


@dataclass(frozen=True)
class _Evidence:
    """What a diagnosis follows from: the recording's answer and journal, then what the board was queried for."""

    fields: dict
    error: str | None
    journal: list | None
    failed: str                 # the core's error
    register: int               # the drive's Error register
    asked: bool                 # for SMART
    locked: bool = False
    health: Health | None = None
    again: object = None        # the answer to the first trial, None: there was none
    elsewhere: object = None    # to the second one
    tried: tuple = ()

    @property
    def is_worn_out(self):
        """Whether the drive reports that it is at its end."""
        health = self.health
        return self.fields.get("drive_health") == "failing" or health is not None and (
            health.verdict is DriveVerdict.FAILING or health.spare is not None and health.spare <= _NO_SPARE)

    @property
    def refused(self):
        """Whether the drive has refused what failed, whatever its sector."""
        return bool(self.register & (_ABORTED | _DEVICE_FAULT))

    @property
    def flush_failed(self):
        """Whether the drive has failed in FLUSH CACHE: the journal knows no command with data that did."""
        return (self.error in _OF_THE_DRIVE and "sectors_done" in self.fields and self.journal is not None
                and not any(entry["kind"] == _IN_DOUBT for entry in self.journal))


def needs_diagnosis(fields: dict[str, int], error: str | None) -> bool:
    """Whether a recording that was answered with ``fields`` and ``error`` shows something about the drive;
    one that was refused for a mistake does not."""
    return error in (*_OF_THE_DRIVE, *_OF_THE_WAY, *_OF_A_FILE) or not error and bool(
        fields.get("retries") or fields.get("skipped_sectors"))


def drive_error_words(number: int) -> str:
    """The names of the bits that are set in an Error register."""
    return "+".join(name for bit, name in _ERROR_BITS.items() if number >> bit & 1) or f"{number:#04x}"


def diagnose(fields: dict[str, Any], error: str | None, journal: list[Any] | None, *, smart: bool = False,
             try_again: bool = False) -> Procedure[Diagnosis]:
    """The :class:`Diagnosis` of a recording that was answered with ``fields`` and ``error`` and has left
    the entries ``journal``, None if they could not be read.

    By itself it requests the status and the IDENTIFY DEVICE data that the board has, and starts no operation;
    nothing is tried on a drive that is locked. ``smart``: SMART is requested, which
    replaces the board's journal and counters. ``try_again``: if a write command has failed, the
    sector is recorded once more, and if that fails, the last one of the extent, with the recording's
    pattern; never one that was recorded. SMART is requested then, too.
    """
    status = (yield RequestStep("status")).fields()
    failed = error or "drive-error"
    if error in _OF_A_FILE:
        failed = fields.get("cause") or status.get("last_error") or "none"
    register = fields.get("drive_error", status.get("drive_error")) or 0
    health, again, elsewhere = None, None, None
    tried: tuple[tuple[int, int], ...] = ()
    words: list[int] = []
    said = yield RequestStep("identify raw", 1 / 4)
    if not said.error and len(said.data()) == SECTOR_BYTES:
        words = identify_words(said.data())
    locked = words != [] and Security.of(words).locked
    if try_again and words and not locked and status.get("ready"):
        blocks = logical_blocks(words)
        for first in _trials(fields, error, journal, blocks):
            if again and again.error not in _OF_THE_DRIVE:
                break
            tried += ((first, blocks),)
            answer = yield RequestStep(f"record {first} {blocks} {fields['pattern']} flush", 1 / 2)
            again, elsewhere = (again, answer) if again else (answer, None)
    if words and (smart or try_again):
        try:
            _, health = yield from read_smart(words)
        except (NotOffered, ProcedureFailed):
            pass                    # the drive, or the board, does not report it
    found = _Evidence(fields, error, journal, failed, register, smart or try_again, locked, health, again,
                      elsewhere, tried)
    trouble = _trouble(found)
    return Diagnosis(trouble, _sentence(trouble, found) + _health_words(found), health, tried)


def _write_in_doubt(fields, journal):
    """The extent of the write command at which the recording ended, a first sector and the one after the
    last; None where that was no write command. All of it lies after what was recorded."""
    if "lba" not in fields:
        return None
    unrecorded = fields["lba"] + fields.get("sectors_done", 0) + fields.get("skipped_sectors", 0)
    end = fields["lba"] + fields["sectors"]
    for entry in journal or ():
        if entry["kind"] == _IN_DOUBT and unrecorded <= entry["lba"] < end:
            return entry["lba"], min(entry["lba"] + entry["sectors"], end)
    return None


def _place(fields, journal):
    """The sector that the drive has named, if it is one of the write command that failed, else the first
    one of that; None where no write command failed."""
    found = _write_in_doubt(fields, journal)
    if found is None:
        return None
    first, end = found
    named = fields.get("error_lba")
    return named if named is not None and first <= named < end else first


def _trials(fields, error, journal, blocks):
    """The first sectors of the logical sectors to record once more: the one that failed, then the last one
    of the extent. A recording in frames has none: its words do not follow from the sector."""
    place = _place(fields, journal)
    if (error not in _OF_THE_DRIVE or fields.get("operation") != "record" or "stream_id" in fields
            or place is None):
        return
    first, _ = _write_in_doubt(fields, journal)
    place -= place % blocks
    last = fields["lba"] + fields["sectors"] - blocks
    if first <= place <= last:
        yield place
        if place < last:
            yield last


def _trouble(found):
    again, elsewhere = found.again, found.elsewhere
    if not found.error:
        return WriteTrouble.ONCE
    if found.failed in _OF_THE_WAY:
        return WriteTrouble.LINK
    if found.locked and found.failed in _OF_THE_DRIVE:
        return WriteTrouble.LOCKED
    if again is None:
        if found.failed in _OF_THE_DRIVE and found.refused and found.is_worn_out:
            return WriteTrouble.READ_ONLY
        return WriteTrouble.FLUSH if found.flush_failed else WriteTrouble.UNKNOWN
    if not again.error:
        return WriteTrouble.ONCE
    if again.error in _AWAY or elsewhere is not None and elsewhere.error in _AWAY:
        return WriteTrouble.LINK
    if again.error not in _OF_THE_DRIVE:
        return WriteTrouble.UNKNOWN
    if elsewhere is not None and not elsewhere.error:
        # A trial whose write succeeded, and whose FLUSH CACHE failed, may have failed for other sectors.
        return WriteTrouble.UNKNOWN if again.fields().get("sectors_done") else WriteTrouble.BAD_SECTOR
    everywhere = elsewhere is not None and elsewhere.error in _OF_THE_DRIVE and found.refused
    return WriteTrouble.READ_ONLY if found.is_worn_out or everywhere else WriteTrouble.UNKNOWN


def _sentence(trouble, found):
    """What the trouble is."""
    fields, names = found.fields, drive_error_words(found.register)
    place = _place(fields, found.journal)
    match trouble:
        case WriteTrouble.LOCKED:
            return f"{LOCKED} ({names})"
        case WriteTrouble.READ_ONLY if found.elsewhere:
            return f"the drive cannot write any more: it refuses each write ({names})"
        case WriteTrouble.READ_ONLY:
            return f"the drive cannot write any more: it refuses to ({names}), and is at its end"
        case WriteTrouble.BAD_SECTOR:
            return f"the drive cannot write sector {place}, and writes elsewhere ({names})"
        case WriteTrouble.FLUSH:
            return f"FLUSH CACHE failed ({names}), so sectors that were recorded may not be on the medium"
        case WriteTrouble.ONCE if found.error:
            return f"a write failed once, at sector {place} ({names}), and the drive writes there now"
        case WriteTrouble.ONCE if fields.get("skipped_sectors"):
            return (f"{fields['skipped_sectors']} sectors were passed over after a failed write, and the "
                    "drive writes others")
        case WriteTrouble.ONCE:
            return f"{fields['retries']} failed commands were tried again, and the drive writes"
        case WriteTrouble.LINK:
            trials = [one.error for one in (found.elsewhere, found.again) if one and one.error in _AWAY]
            return f"the path to the drive has failed ({[*trials, found.failed][0]}), not a write of it"
        case _:
            return f"a write failed ({found.failed}, {names}), and nothing shows whether the drive can write"


def _health_words(found):
    """What SMART reports about it."""
    health = found.health
    if not found.asked:
        said = found.fields.get("drive_health")
        return f"; it reported last that its health is {said}" if said in ("good", "failing") else ""
    if health is None:
        return "; the drive reports nothing about its health"
    reasons = [reason for reason in health.reasons if reason != LOCKED]
    if not reasons:
        return f"; SMART reports that it is {health.verdict.value}" if not health.locked else ""
    hot = " (too hot)" if health.celsius is not None and health.celsius >= HOT else ""
    return f"; SMART reports that it is {health.verdict.value}{hot}: {'; '.join(reasons)}"
