"""The picture of a sweep: its results, one line for each drive, pause and so on."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..measurement import format_rate
from ...report import Curves, write_curves
from ...facts.units import CEILINGS
from .table import lasting_rate

_X = {"command_sectors": ("longest command (sectors)", 1, True),
      "input_rate": ("input rate (MB/s)", 1e-6, False),
      "turnaround_us": ("turn-around (us)", 1, False)}
_LABELS: dict[str, Callable[[Any], str]] = {
    "drive": str,
    "operation": {"record": "recording", "play": "playing"}.__getitem__,
    "lba28": lambda flag: "28-bit" if flag else "48-bit",
    "command_sectors": lambda number: f"{number:,} sectors",
    "input_rate": lambda rate: "no sensor" if rate is None else f"{format_rate(rate)} in",
    "turnaround_us": lambda number: f"pause {number:g} us",
    "controller": str,
}


def picture(frame: Any, form: str) -> bytes:
    """The bytes of a picture of the table ``frame``; ``form`` is one of :data:`...report.FORMATS`.

    x is the first of command size, input rate and turn-around that takes several values; y is the
    rate of the payload. Over the input rate, y is the share of the words that were lost, or the words
    that waited in an endless FIFO. A cell with an error is a gap.
    """
    x, label, scale, logx = _horizontal(frame)
    ylabel, y = _vertical(frame, x)
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        curves = Curves(_series(frame, x, scale, y), _title(frame, x), label, ylabel, levels=_ceilings(frame, x),
                        logx=logx)
        (path,) = write_curves(curves, Path(folder) / "sweep", (form,))
        return path.read_bytes()


def _horizontal(frame: Any) -> tuple[str, str, float, bool]:
    name = next((name for name in _X if frame[name].n_unique() > 1), "command_sectors")
    return name, *_X[name]


def _vertical(frame: Any, x: str) -> tuple[str, Callable[[Mapping[str, Any]], float | None]]:
    if x != "input_rate":
        return "payload rate (MB/s)", lambda row: lasting_rate(row) * 1e-6
    if frame["fifo_words"][0] is None:
        return "most words that waited", lambda row: row["backlog_high"]
    return "words lost (%)", lambda row: 100 * row["lost"] / row["arrived"]


def _ceilings(frame: Any, x: str) -> dict[str, float]:
    """The most that the links carry, if the picture shows payload rates."""
    if x == "input_rate":
        return {}
    return {f"ceiling of generation {generation}: {CEILINGS[generation] / 1e6:.2f} MB/s":
            CEILINGS[generation] / 1e6 for generation in sorted(set(frame["generation"]))}


def _varying(frame: Any, x: str) -> list[str]:
    return [name for name in _LABELS if name != x and frame[name].n_unique() > 1]


def _title(frame: Any, x: str) -> str:
    """What all cells have in common."""
    varying = _varying(frame, x)
    common = [name for name in _LABELS if name not in (x, *varying, "lba28")]
    return ", ".join(_LABELS[name](frame[name][0]) for name in common
                     if (name, frame[name][0]) not in (("input_rate", None), ("turnaround_us", 0),
                                                       ("controller", "hardwired")))


def _label(row: Mapping[str, Any], names: Sequence[str]) -> str:
    """The name of the line of ``row``, by the columns that vary; a processor has its own pauses."""
    return ", ".join(_LABELS[name](row[name]) for name in names
                     if name != "turnaround_us" or row["controller"] == "hardwired") or row["drive"]


def _series(frame: Any, x: str, scale: float,
            y: Callable[[Mapping[str, Any]], float | None]) -> dict[str, tuple[list[Any], list[Any]]]:
    names = _varying(frame, x)
    series: dict[str, tuple[list[Any], list[Any]]] = {}
    for row in frame.sort(x, maintain_order=True).iter_rows(named=True):
        label = _label(row, names)
        xs, ys = series.setdefault(label, ([], []))
        xs.append(row[x] * scale)
        ys.append(None if row["error"] is not None else y(row))
    order = [_label(row, names) for row in frame.iter_rows(named=True)]
    return {label: series[label] for label in dict.fromkeys(order)}
