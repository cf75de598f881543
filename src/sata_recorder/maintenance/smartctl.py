"""What smartctl of smartmontools tells of a drive at this PC, from its JSON (`smartctl --json`, version 7)."""

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime
from typing import NamedTuple

from .health import DriveVerdict, health_of
from .smart import NAMES, Attribute

__all__ = ["DriveHealth", "NoHealth", "drive_health"]

#: Seconds after which a drive that does not answer is left alone.
PATIENCE = 30
#: Where Debian has it, which is not in every user's PATH.
_FOLDERS = "/usr/sbin:/sbin:/usr/local/sbin"
#: Read-only: identity, the drive's own verdict, attributes.
_OPTIONS = ("--json", "-i", "-H", "-A")
_MOST = 1 << 20         # bytes of an answer
_LONGEST = 160          # characters of a reason
#: What smartctl says where it has made the drive's verdict out of the attributes.
_GUESSED = "Attribute check"
#: Bit of its exit status: a command to the drive has failed, or a checksum was wrong.
_COMMAND_FAILED = 1 << 2


class NoHealth(Exception):
    """Nothing is known of the drive's health; the text says why, in one line."""


class DriveHealth(NamedTuple):
    """What a sidecar has of a drive: ``fields`` for JSON, the ``verdict`` and its ``reasons``."""

    fields: dict
    verdict: DriveVerdict
    reasons: tuple


def drive_health(device, serial, *, patience=PATIENCE):
    """The :class:`DriveHealth` of the block ``device``, whose serial number must be ``serial``.

    smartctl is waited for ``patience`` seconds, and only reads. Raises :class:`NoHealth`.
    """
    if not serial:
        raise NoHealth("the recording's log has no serial number that would tell whose health it is")
    program = shutil.which("smartctl") or shutil.which("smartctl", path=_FOLDERS)
    if program is None:
        raise NoHealth("smartctl of smartmontools is not installed")
    asked = datetime.now(UTC)
    told = parsed_answer(_answer(program, os.path.realpath(device), patience))
    return health_told(told, device, serial, asked)


def _answer(program, device, patience):
    """What smartctl prints. A drive that hangs may hang it, too: it is left behind then."""
    try:
        process = subprocess.Popen([program, *_OPTIONS, device], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env=os.environ | {"LC_ALL": "C"})
    except OSError as error:
        raise NoHealth(f"{program}: {error.strerror}") from None
    try:
        return process.communicate(timeout=patience)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        try:
            process.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            process.stdout.close()
        raise NoHealth(f"smartctl did not answer within {patience:g} s") from None


def parsed_answer(answer):
    """smartctl's ``answer``, bytes, as a dictionary. Raises :class:`NoHealth`."""
    try:
        told = json.loads(answer[:_MOST])
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or not isinstance(told.get("smartctl"), dict):
        raise NoHealth("what smartctl answered is none of its answers in JSON")
    return told


def health_told(told, device, serial, asked):
    """The :class:`DriveHealth` in smartctl's answer ``told`` about ``device``, ``asked`` at that time.

    Raises :class:`NoHealth` for a drive that is not ``serial``, or tells nothing.
    """
    found = told.get("serial_number")
    if not isinstance(found, str) or not found.strip():
        raise NoHealth(_complaint(told) or "smartctl tells no serial number of the drive")
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
    attributes, shown = {}, []
    for row in rows:
        one, fields = _attribute(row)
        attributes[one.number] = one
        shown.append(fields)
    if passed is None and not attributes:
        raise NoHealth(_complaint(told) or "the drive tells nothing by SMART")
    health = health_of(attributes, passed=passed)
    verdict, reasons = health.verdict, health.reasons
    if _number(_part(told, "smartctl").get("exit_status"), 0) & _COMMAND_FAILED:
        reasons += (messages or ("a SMART command failed, or its data had a wrong checksum",))
        verdict = DriveVerdict.WATCH if verdict is DriveVerdict.GOOD else verdict
    return DriveHealth({
        "asked": asked.isoformat(timespec="seconds").replace("+00:00", "Z"), "smartctl": _version(told),
        "passed": passed, "verdict": verdict.value, "reasons": [*reasons],
        "celsius": _number(_part(told, "temperature").get("current"), health.celsius),
        "worn_percent": health.worn, "spare_percent": health.spare,
        "reallocated_sectors": health.reallocated,
        "power_on_hours": _number(_part(told, "power_on_time").get("hours"), health.hours),
        "attributes": shown,
    }, verdict, reasons)


def _attribute(row):
    """The :class:`.smart.Attribute` of a row of smartctl's table, and what a sidecar has of it. Some drives
    have no thresholds, and some rows no normalised values: these are None there, and judge nothing."""
    raw, flags = _part(row, "raw").get("value"), _part(row, "flags")
    number, *columns = [_object(row).get(name) for name in ("id", "value", "worst", "thresh")]
    if _number(number, -1) not in range(1 << 8) or _number(raw, -1) not in range(1 << 64) or any(
            _number(one, -1) not in range(1 << 8) for one in columns if one is not None):
        raise NoHealth("an attribute of smartctl's answer is not as it should be")
    known = NAMES.get(number, f"attribute {number}")
    name = _line(row["name"]) if isinstance(row.get("name"), str) else known
    value, worst, threshold = columns
    return (Attribute(number, known, value or 0, worst or 0, 0 if value is None else threshold or 0, raw,
                      flags.get("prefailure") is True),
            {"number": number, "name": name, "value": value, "worst": worst, "threshold": threshold,
             "raw": raw})


def _messages(told):
    """What smartctl says beside its figures, each in one line."""
    messages = _part(told, "smartctl").get("messages")
    texts = [_object(one).get("string") for one in messages] if isinstance(messages, list) else ()
    return tuple(f"smartctl: {_line(text)}" for text in texts if isinstance(text, str) and text.strip())


def _complaint(told):
    """What smartctl says of why it could not."""
    return next(iter(_messages(told)), None)


def _version(told):
    version = _part(told, "smartctl").get("version")
    return ".".join(map(str, version)) if isinstance(version, list) and all(
        isinstance(one, int) for one in version) else None


def _part(told, name):
    """A member that is to be an object; an empty one where it is none."""
    return _object(_object(told).get(name))


def _object(found):
    return found if isinstance(found, dict) else {}


def _number(found, otherwise):
    return found if isinstance(found, int) and not isinstance(found, bool) else otherwise


def _line(text):
    """A text of somebody else's as a part of one line."""
    return "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))[:_LONGEST]
