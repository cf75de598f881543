"""The table of a sweep: its columns, and the files it becomes."""

import io
from collections.abc import Iterable, Mapping
from typing import Any

import polars

from ...simulation import ACCOUNTS
from .cell import Cell

_TEXT, _INT, _REAL, _FLAG = polars.String, polars.Int64, polars.Float64, polars.Boolean

#: Columns by name, in this order, whatever was swept: what was requested, then what was measured.
COLUMNS = {
    "drive": _TEXT, "operation": _TEXT, "lba28": _FLAG, "generation": _INT,
    "input_rate": _REAL, "fifo_words": _INT, "command_sectors": _INT, "turnaround_us": _REAL,
    "sectors": _INT, "buffer_words": _INT, "clock_hz": _REAL,
    "controller": _TEXT, "controller_hz": _REAL,
    "error": _TEXT,
    "bytes": _INT, "seconds": _REAL, "bytes_per_second": _REAL, "percent_of_ceiling": _REAL,
    "steady_bytes_per_second": _REAL,
    "commands": _INT, "clocks": _INT,
    **{f"{account}_clocks": _INT for account in ACCOUNTS},
    **{f"{part}_overhead_mean": _REAL for part in ("host", "drive", "protocol", "recovery",
                                                   "total")},
    "overhead_minimum": _INT, "overhead_maximum": _INT,
    "high_water": _INT, "held_cycles": _INT,
    "arrived": _INT, "lost": _INT, "gaps": _INT, "backlog_high": _INT,
    "trace_hash": _TEXT, "caveats": _TEXT,
}


def table(cells: Iterable[Cell], results: Iterable[Mapping[str, Any]]) -> polars.DataFrame:
    """The polars ``DataFrame`` of ``cells`` with their ``results``, one row per cell, in order."""
    rows = [_asked(cell) | {name: result.get(name) for name in COLUMNS if name in result}
            for cell, result in zip(cells, results, strict=True)]
    columns = {name: [row.get(name) for row in rows] for name in COLUMNS}
    return polars.DataFrame(columns, schema=COLUMNS)


def lasting_rate(row: Mapping[str, Any]) -> float:
    """Bytes a second of a row, with a pause for each command. The row has been measured.

    N commands have N - 1 pauses between them, so their mean rate is above that of a long recording.
    """
    steady = row["steady_bytes_per_second"]
    return row["bytes_per_second"] if steady is None else steady


def _asked(cell: Cell) -> dict[str, Any]:
    return {"drive": cell.profile.name, "operation": cell.operation, "lba28": cell.lba28,
            "generation": cell.generation, "input_rate": cell.bytes_per_second,
            "fifo_words": cell.fifo_words, "command_sectors": cell.command_sectors,
            "turnaround_us": cell.turnaround_us, "sectors": cell.sectors,
            "buffer_words": cell.configuration.buffered_words,
            "clock_hz": cell.configuration.clock_hz, "controller": str(cell.controller or
                                                                       "hardwired"),
            "controller_hz": cell.controller and cell.controller.hz}


def as_csv(frame: polars.DataFrame) -> bytes:
    """The table as the bytes of a CSV file with one line of names."""
    file = io.BytesIO()
    frame.write_csv(file)
    return file.getvalue()


def as_parquet(frame: polars.DataFrame) -> bytes:
    """The table as the bytes of a Parquet file."""
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()
