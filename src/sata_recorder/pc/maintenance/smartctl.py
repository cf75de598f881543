"""What smartctl of smartmontools reports about a drive at this PC, from its JSON (`smartctl --json`, version 7)."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from .health import DriveVerdict, health_of
from .known_drives import known_drive
from .smart import Attribute, fields_of, name_of
from .smartctl_program import NotAnswered, find_smartctl, run_smartctl
from .statistics import of_smartctl

__all__ = ["DriveHealth", "NoHealth", "drive_health"]

#: Seconds after which a drive that has not answered is left alone.
PATIENCE = 30
#: Read-only: identity, the drive's own verdict, attributes.
OPTIONS = ("--json", "-i", "-H", "-A")
#: Queried by itself: smartctl counts a log that the drive does not give as a command that failed.
_STATISTICS = ("--json", "-l", "devstat")
_LOG = "ata_device_statistics"
#: A normalised value that is none (SFF-8035i).
_NO_VALUE = 0xFF
_MOST = 1 << 20         # bytes of an answer
_LONGEST = 160          # characters of a reason
#: What smartctl reports if it has made up the drive's verdict from the attributes.
_GUESSED = "Attribute check"
#: Bit of its exit status: a command to the drive has failed, or a checksum was wrong.
_COMMAND_FAILED = 1 << 2


class NoHealth(Exception):
    """Nothing is known about the drive's health; the text states why, in one line."""


class DriveHealth(NamedTuple):
    """What a sidecar has about a drive: ``fields`` for JSON, the ``verdict`` and its ``reasons``."""

    fields: dict
    verdict: DriveVerdict
    reasons: tuple


def drive_health(device: str | Path, serial: str | None, *, patience: float = PATIENCE) -> DriveHealth:
    """The :class:`DriveHealth` of the block ``device``, whose serial number must be ``serial``.

    It waits ``patience`` seconds for smartctl, which only reads. Raises :class:`NoHealth`.
    """
    if not serial:
        raise NoHealth("the recording's log has no serial number that would show whose health it is")
    program = find_smartctl()
    if program is None:
        raise NoHealth("smartctl of smartmontools is not installed")
    asked, path = datetime.now(UTC), os.path.realpath(device)
    told = parsed_answer(_answer(program, path, patience, OPTIONS))
    found = health_told(told, device, serial, asked)
    try:
        more = parsed_answer(_answer(program, path, patience, _STATISTICS))
    except NoHealth:
        return found
    return health_told(told | {_LOG: _part(more, _LOG)}, device, serial, asked)


def _answer(program, device, patience, options):
    try:
        return run_smartctl(program, (*options, device), patience)
    except NotAnswered as error:
        raise NoHealth(str(error)) from None


def parsed_answer(answer: bytes) -> dict[str, Any]:
    """smartctl's ``answer``, bytes, as a dictionary. Raises :class:`NoHealth`."""
    try:
        told = json.loads(answer[:_MOST])
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or not isinstance(told.get("smartctl"), dict):
        raise NoHealth("what smartctl answered is none of its answers in JSON")
    return told


def health_told(told: dict[str, Any], device: str | Path, serial: str, asked: datetime) -> DriveHealth:
    """The :class:`DriveHealth` in smartctl's answer ``told`` about ``device``, ``asked`` at that time.

    Raises :class:`NoHealth` for a drive that is not ``serial``, or reports nothing.
    """
    found = told.get("serial_number")
    if not isinstance(found, str) or not found.strip():
        raise NoHealth(_complaint(told) or "smartctl reports no serial number of the drive")
    if found.strip() != serial.strip():
        raise NoHealth(f"{device} is the drive {_line(found)}, and the recording was made on {_line(serial)}")
    support = _part(told, "smart_support")
    if support.get("available") is False:
        raise NoHealth("the drive has no SMART")
    if support.get("enabled") is False:
        raise NoHealth("SMART is switched off in the drive")
    passed = _part(told, "smart_status").get("passed")
    rows = _part(told, "ata_smart_attributes").get("table", [])
    if not isinstance(passed, bool | None) or not isinstance(rows, list):
        raise NoHealth("smartctl's answer is not as it should be")
    messages = _messages(told)
    if any(_GUESSED in one for one in messages):
        passed = None
    rotation = told.get("rotation_rate")
    known = known_drive(_string(told, "model_name"), _string(told, "firmware_version"),
                        is_disk=_number(rotation, 0) > 1)
    attributes, shown = {}, []
    for row in rows:
        one, fields = _attribute(row, known)
        attributes[one.number] = one
        shown.append(fields)
    if passed is None and not attributes:
        raise NoHealth(_complaint(told) or "the drive reports nothing by SMART")
    health = health_of(attributes, passed=passed, known=known, statistics=of_smartctl(_statistics(told)),
                       sector_bytes=_number(told.get("logical_block_size"), 512),
                       capacity=_number(_part(told, "user_capacity").get("bytes"), 0))
    verdict, reasons = health.verdict, health.reasons
    if _number(_part(told, "smartctl").get("exit_status"), 0) & _COMMAND_FAILED:
        reasons += (messages or ("a SMART command failed, or its data had a wrong checksum",))
        verdict = DriveVerdict.WATCH if verdict is DriveVerdict.GOOD else verdict
    return DriveHealth({
        "asked": asked.isoformat(timespec="seconds").replace("+00:00", "Z"), "smartctl": _version(told),
        "passed": passed, "verdict": verdict.value, "reasons": [*reasons],
        "celsius": _celsius(_part(told, "temperature").get("current"), health.celsius),
        "worn_percent": health.worn, "worn_at_least": health.worn_at_least, "spare_percent": health.spare,
        "written_bytes": health.written_bytes, "attributes_known_by": health.known_by,
        "reallocated_sectors": health.reallocated,
        "power_on_hours": _number(_part(told, "power_on_time").get("hours"), health.hours),
        "attributes": shown,
    }, verdict, reasons)


def _statistics(told):
    """(Page, offset, value) of each statistic that is there and valid."""
    pages = _part(told, _LOG).get("pages")
    for page in pages if isinstance(pages, list) else ():
        rows = _object(page).get("table")
        for row in rows if isinstance(rows, list) else ():
            number, offset, value = (_number(found, None) for found in (
                _object(page).get("number"), _object(row).get("offset"), _object(row).get("value")))
            if _part(row, "flags").get("valid") is True and None not in (number, offset, value):
                yield number, offset, value


def _attribute(row, known):
    """The :class:`.smart.Attribute` of a row of smartctl's table, and what a sidecar has about it. Some drives
    have no thresholds, and some rows no normalised values: these are None there, and judge nothing."""
    raw, flags = _part(row, "raw").get("value"), _part(row, "flags")
    number, *columns = [_object(row).get(name) for name in ("id", "value", "worst", "thresh")]
    if _number(number, -1) not in range(1 << 8) or _number(raw, -1) not in range(1 << 64) or any(
            _number(one, -1) not in range(1 << 8) for one in columns if one is not None):
        raise NoHealth("an attribute of smartctl's answer is not as it should be")
    ours = name_of(number, known)
    name = _line(row["name"]) if isinstance(row.get("name"), str) else ours
    value, worst, threshold = columns
    if known and known.raw64:
        # The drive's own table has the low bits of the count where others have these two.
        parts = raw & 0xFF, raw >> 8 & 0xFF, 0, raw >> 16
    elif value is None:
        parts = _NO_VALUE, _NO_VALUE, 0, raw
    else:
        parts = value, worst or 0, threshold or 0, raw
    one = Attribute(number, ours, *parts, flags.get("prefailure") is True)
    return (one._replace(fields=fields_of(one, known)),
            {"number": number, "name": name, "value": value, "worst": worst, "threshold": threshold,
             "raw": raw})


def _messages(told):
    """What smartctl reports besides its figures, each in one line."""
    messages = _part(told, "smartctl").get("messages")
    texts = [_object(one).get("string") for one in messages] if isinstance(messages, list) else ()
    return tuple(f"smartctl: {_line(text)}" for text in texts if isinstance(text, str) and text.strip())


def _complaint(told):
    """What smartctl reports about why it could not."""
    return next(iter(_messages(told)), None)


def _version(told):
    version = _part(told, "smartctl").get("version")
    return ".".join(map(str, version)) if isinstance(version, list) and all(
        isinstance(one, int) for one in version) else None


def _part(told, name):
    """A member that should be an object; an empty one if it is not."""
    return _object(_object(told).get(name))


def _object(found):
    return found if isinstance(found, dict) else {}


def _number(found, otherwise):
    return found if isinstance(found, int) and not isinstance(found, bool) else otherwise


def _string(told, name):
    found = told.get(name)
    return found if isinstance(found, str) else ""


def _celsius(found, otherwise):
    """A temperature that smartctl reports; 0 and what no drive withstands count as none."""
    return found if 0 < _number(found, 0) < 128 else otherwise


def _line(text):
    """A foreign text as a part of one line."""
    return "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))[:_LONGEST]
