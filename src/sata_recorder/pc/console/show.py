"""Answers as tables for people."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...facts.units import SECTOR_BYTES
from .access import access_figures, access_rows
from .answer import Answer
from .drive_state import waits_for
from .grammar import ENDLESS, FILE_VERBS
from .histogram import histogram_rows
from .line import rows as line_rows
from .mismatch import mismatch_rows

__all__ = ["as_data", "show", "table_of"]

_MEGA = 1e6


def as_data(answer: Answer, clock_hz: float) -> dict[str, Any]:
    """The answer for programs: its fields, ``error``, and what follows from the clock."""
    fields = answer.fields()
    if fields.get("clocks"):
        fields["seconds"] = fields["clocks"] / clock_hz
        if "words" in fields:
            fields["bytes_per_second"] = 4 * fields["words"] * clock_hz / fields["clocks"]
        # The others have recorded more than their file has.
        elif answer.verb == "file":
            fields["bytes_per_second"] = fields["bytes"] * clock_hz / fields["clocks"]
    if answer.verb == "access":
        fields |= access_figures(fields, clock_hz)
    return {"ok": answer.error is None, "error": answer.error, **fields}


def show(console: Console, answer: Answer, clock_hz: float) -> None:
    """Prints ``answer`` on the rich console; its error, if there is one, is left to the caller."""
    data = answer.data()
    fields = as_data(answer, clock_hz)
    del fields["ok"], fields["error"]
    rate = fields.pop("bytes_per_second", None)
    fields.pop("data", None)
    if "payload" in fields:
        rows = _counters(fields)
    elif "last_fall" in fields:
        rows = line_rows(fields, clock_hz)
    elif "entries" in fields:
        rows = _journal(fields["entries"])
    elif "bins" in fields:        # `help` names `histogram`, too
        rows = histogram_rows(fields["bins"], clock_hz)
    elif answer.verb in FILE_VERBS:
        rows = _file(fields, rate)
    elif answer.verb == "access":
        rows = access_rows(fields, rate)
    elif answer.verb in ("record", "play", *ENDLESS):
        rows = _move(fields, rate)
    elif answer.verb == "link" or "clocks" in fields or "model" in fields or "station" in fields:
        rows = [(name.replace("_", " "), *_told(name, value)) for name, value in fields.items()]
        if "last_error" in fields:
            rows = [(*row[:2], waits_for(fields)) if row[0] == "ready" else row for row in rows]
    else:
        rows = []
        if not data:
            for line in answer.lines:
                console.print(line, highlight=False, markup=False)
    if rows:
        console.print(table_of(rows))
    if data:
        console.print(_dump(data), highlight=False, markup=False)


def table_of(rows: Iterable[Sequence[str]]) -> Table:
    """Rows of a name, a number and more as a table."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim")
    table.add_column(justify="right")
    table.add_column()
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    return table


def _told(name, value):
    """A value and its unit, as texts."""
    if isinstance(value, bool):
        return ("yes" if value else "no"), ""
    if name in ("drive_status", "drive_error"):
        return f"0x{value:02x}", ""
    if name == "capacity":
        return f"{value:,}", f"sectors, {value * SECTOR_BYTES / 1e9:,.2f} GB"
    if name == "sectors_done":
        return f"{value:,}", "sectors"
    if name == "seconds":
        return f"{value:.6f}", "s"
    if name == "journal_entries":
        return f"{value:,}", "`journal` shows what is in doubt"
    if isinstance(value, int):
        return f"{value:,}", ""
    return ("-" if value is None else value), ""


def _move(fields, rate):
    """A recording or a playback."""
    yield fields["operation"], fields["pattern"], "sectors " + _extent(fields) + \
        (", then flush" if fields.get("flush") else "")
    if "part" in fields:
        yield "part", f"{fields['part']:,}", (f"sectors, {fields['words_behind']:,} words after a "
                                              "trigger")
        yield "segments", f"{fields['segment_count']:,}", ""
    yield "done", f"{fields['sectors_done']:,}", "sectors" + \
        (", stopped" if fields["stopped"] else "")
    yield "words", f"{fields['words']:,}", f"{4 * fields['words'] / _MEGA:,.2f} MB"
    yield "clocks", f"{fields['clocks']:,}", f"{fields.get('seconds', 0):.6f} s"
    if rate is not None:
        yield "speed", f"{rate / _MEGA:.2f}", "MB/s"
    yield from mismatch_rows(fields)
    for name in "retries", "skipped_sectors":
        if fields[name]:
            yield name.replace("_", " "), *_told(name, fields[name])
    yield from _of_the_drive(fields)
    for name in "drive_status", "drive_error", "error_lba", "journal_entries":
        if name in fields:
            yield name.replace("_", " "), *_told(name, fields[name])


def _file(fields, rate):
    """A recording that is a file."""
    length = "until stop"
    if "part" in fields:
        length = f"parts of {fields['part']:,} sectors, {fields['words_behind']:,} words after"
    elif fields.get("length"):
        length = f"{fields['length']:,} bytes"
    yield fields["operation"], fields["pattern"], length
    if "every" in fields:
        yield "every", f"{fields['every']:,}", "s the file is brought up to date"
    yield "slot", f"{fields['slot']:,}", "" if fields["slot"] else "none"
    yield "bytes", f"{fields['bytes']:,}", f"{fields['bytes'] / _MEGA:,.2f} MB"
    yield "clocks", f"{fields['clocks']:,}", f"{fields.get('seconds', 0):.6f} s"
    if rate is not None:
        yield "speed", f"{rate / _MEGA:.2f}", "MB/s"
    if "segment_count" in fields:
        yield "segments", f"{fields['segment_count']:,}", ""
    yield from _of_the_drive(fields)
    if "cause" in fields:
        yield "cause", fields["cause"], ""


def _of_the_drive(fields):
    """Commands that the drive had to read for, where the board counts them; and what it reports about itself, where
    the board queries it."""
    if fields.get("misaligned"):
        yield "misaligned", f"{fields['misaligned']:,}", "write commands split a physical sector"
    if fields.get("drive_health", "unknown") != "unknown":
        yield "health", fields["drive_health"], "by the drive's own verdict"
    if fields.get("drive_heat", "unknown") != "unknown":
        celsius = fields.get("drive_celsius")
        yield ("temperature", "below 0" if celsius is None else f"{celsius}",
               "degrees Celsius" + _HEAT.get(fields["drive_heat"], ""))


#: What is shown for a temperature.
_HEAT = {"good": ", not above the drive's specified maximum", "too-hot": ", above its specified maximum"}


def _journal(entries):
    """The entries: kind, number of sectors, which ones and why."""
    if not entries:
        yield "journal", "empty", ""
    for entry in entries:
        yield (entry["kind"], f"{entry['sectors']:,}",
               f"sectors {_extent(entry)}, {entry['cause']}")


def _extent(fields):
    """The first sector and the last."""
    return f"{fields['lba']:,} to {fields['lba'] + fields['sectors'] - 1:,}"


def _counters(fields):
    """The ledger, with the share that each account has; then the other counts."""
    names = list(fields)
    # The board of an array has one account more than others.
    accounts = names[names.index("payload"):names.index("turnaround_min")]
    whole = sum(fields[name] for name in accounts)
    for name, value in fields.items():
        share = f"{100 * value / whole:.2f} %" if name in accounts and whole else ""
        yield name.replace("_", " "), _told(name, value)[0], share


def _dump(data):
    """16 bytes a line: offset, hexadecimal, characters."""
    lines = []
    for at in range(0, len(data), 16):
        row = data[at:at + 16]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
        lines.append(f"{at:03x}: {row.hex(' ')}  {text}")
    return "\n".join(lines)
