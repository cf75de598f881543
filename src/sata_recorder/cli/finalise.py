"""`sata-recorder finalise`: what was recorded into a slot becomes a file."""

import json
from datetime import UTC, datetime
from math import ceil
from operator import index
from pathlib import Path

import click

from .. import outputs
from ..pc.array import open_target
from ..pc.volume import MOST_GAPS, LogEntry, finalise_target
from .common import Refusal
from .drive_files import amount, drives_argument, opened, refusing_drives

_FILE = click.Path(path_type=Path, readable=False)
#: The most that 32 and 64 bits of a log hold.
_WORD, _LONG = (1 << 32) - 1, (1 << 64) - 1


@click.command()
@drives_argument
@click.option("--slot", type=int, metavar="N", help="The slot that holds the recording, from 1 on.")
@click.option("--bytes", "size", type=int, metavar="BYTES",
              help="Length of the recording; the file has exactly this length.")
@click.option("--measurement", type=_FILE, metavar="FILE.json",
              help="Take slot, length and what is known from this output of `sata-recorder measure --json`.")
@click.option("--name", metavar="NAME", help="Name of the file, at most 15 characters "
              "(default: the one of the slot, such as REC00001.dat).")
@click.option("--started", metavar="TIME",
              help="When the recording began, as 2026-11-22T14:30:00Z (default: now).")
@click.option("--serial", "serials", metavar="SERIAL", multiple=True,
              help="Serial number of the drive, for a block device; for an array that of each, in any order.")
def finalise(drives, slot, size, measurement, name, started, serials):
    """Make a file of what was recorded into a slot of a prepared drive.

    It does what recorder hardware does at the end of a recording: two writes, the log and one
    sector of the directory. Several drives are the members of one array, in any order. Exit status: 0, or 2 for a
    mistake in the arguments.
    """
    known = {}
    begin = _started(started)
    if measurement is not None:
        slot, size, known = _measured(drives, measurement, slot, size)
    if slot is None or size is None:
        raise Refusal("--slot and --bytes, or --measurement: what was recorded?")
    with refusing_drives(*drives), open_target(drives, serials) as target:
        log = finalise_target(target, slot, size, name=name, started=begin, **known)
    kept = "the log that it has" if log.crc32 is None else f"CRC-32 {log.crc32:08x}"
    click.echo(f"slot {slot}: {amount(log.bytes)}, {kept}")


def _started(text):
    try:
        return datetime.now(UTC) if text is None else datetime.fromisoformat(text)
    except ValueError:
        raise Refusal(f"--started {text}: is no time such as 2026-11-22T14:30:00Z") from None


def _measured(drives, path, slot, size):
    """(slot, bytes, fields of the log) from the JSON of a measurement."""
    from ..lab.measurement import error_number
    try:
        found = outputs.parse(outputs.read_text(path), json.loads)
        transfer = next(one for one in found["transfers"] if one["operation"] == "record")
        sensor = transfer.get("sensor") or {"lost": 0, "gaps": []}
        # Beats that are shorter than a word are lost as quarters of one.
        gaps = [LogEntry(1, 0, int(_number(word, _LONG)), ceil(_number(lost, _LONG)))
                for word, lost, *_ in sensor["gaps"] or ()]
        known = {"clock_hz": round(_number(transfer["clock_hz"], _WORD)), "model": _text(found["drive"]["model"]),
                 "serial": _text(found["drive"]["serial"]), "lost_words": ceil(_number(sensor["lost"], _LONG)),
                 "error": error_number(transfer.get("error", "NONE")),
                 "journal": tuple(gaps[:MOST_GAPS]),
                 "high_water": index(_number(transfer.get("high_water") or 0, _WORD)) or None,
                 "journal_full": len(gaps) > MOST_GAPS}
        lba, whole = (index(_number(transfer[name], _LONG)) for name in ("lba", "bytes"))
        mode = (found.get("recording") or {}).get("mode")
    except OSError as error:
        raise Refusal(f"--measurement {path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
        raise Refusal(f"--measurement {path}: is no recording that `sata-recorder measure --json` "
                      "has written") from None
    if mode in ("ring", "trigger"):
        raise Refusal(f"--measurement {path}: was made with --mode {mode}: without the log of a core with `files` "
                      "nothing shows the order of its sectors; `extract --lba` copies them")
    with opened(drives) as drive:
        place = next((one.number for one in drive.slots if one.lba == lba), None)
    if place is None:
        raise Refusal(f"--measurement {path}: it recorded from LBA {lba}, where no slot of {drive.path} "
                      "begins")
    if slot not in (None, place):
        raise Refusal(f"--slot {slot}: --measurement {path} recorded into slot {place}")
    if size is not None and size > whole:
        raise Refusal(f"--bytes {size}: --measurement {path} recorded {whole}")
    return place, whole if size is None else size, known


def _number(value, most):
    """A number of 0 to ``most``. Raises ``ValueError`` or ``TypeError`` for anything else: files are edited by hand."""
    if isinstance(value, bool) or not 0 <= value <= most:
        raise ValueError(f"{value} is not 0 to {most}")
    return value


def _text(value):
    """A text. Raises ``TypeError`` for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
