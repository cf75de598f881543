"""The progress bar and the table of a sweep."""

import time

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ..lab.measurement import format_rate
from .live_progress import LiveProgress


class Cells(LiveProgress):
    """The progress of ``cells`` cells on standard error, ``found`` of which have a result already.

    ``clocks`` are those that the others will take, about; the bar counts them. Where
    standard error is no terminal, a plain line reports it every ten seconds.
    """

    def __init__(self, cells, found, clocks):
        super().__init__(TextColumn("{task.description}"), BarColumn(),
                         TextColumn("{task.fields[cells]}"), TextColumn("{task.fields[rate]}"),
                         TimeElapsedColumn(), TimeRemainingColumn(elapsed_when_finished=False))
        self._cells, self._done, self._booked, self._simulated = cells, found, 0, 0
        self._clocks = clocks
        self._task = None

    def building(self):
        """The core and the drive are being compiled."""
        self._now = "compiling the core and the drive ..."
        self._task = self.bars.add_task("compiling the core and the drive", total=None, cells="", rate="")

    def begin(self):
        """The cells begin."""
        self.bars.remove_task(self._task)
        self._now = self._count()
        self._start = time.monotonic()
        self._task = self.bars.add_task("sweep", total=self._clocks, cells=self._count(), rate="")

    def __call__(self, cell, result):
        """``cell`` has ended with ``result``."""
        self._done += 1
        self._booked += cell.clocks
        self._simulated += result.get("clocks", 0)
        self._update(0, 0)

    def watch(self, shares):
        """Pairs of a cell and the share of it that is done, for those that run."""
        parts = [cell.clocks * share for cell, share in shares]
        self._update(sum(parts), sum(parts))

    def _update(self, booked, simulated):
        seconds = max(time.monotonic() - self._start, 1e-3)
        rate = (self._simulated + simulated) / seconds
        self._now = self._count()
        self.bars.update(self._task, completed=self._booked + booked, cells=self._count(),
                          rate=f"{rate / 1e6:.1f} M clocks/s" if rate else "")

    def _count(self):
        return f"{self._done:,}/{self._cells:,} cells"


_COLUMNS = {
    "drive": ("drive", str),
    "operation": ("operation", str),
    "lba28": ("addressing", lambda flag: "28-bit" if flag else "48-bit"),
    "input_rate": ("input", format_rate),
    "fifo_words": ("FIFO", "{:,}".format),
    "command_sectors": ("command", "{:,}".format),
    "turnaround_us": ("pause us", "{:g}".format),
    "controller": ("controller", str),
    "commands": ("commands", "{:,}".format),
    "bytes_per_second": ("MB/s", lambda rate: f"{rate / 1e6:.2f}"),
    "percent_of_ceiling": ("% of link", "{:.2f}".format),
    "total_overhead_mean": ("overhead", "{:,.0f}".format),
    "lost": ("lost", "{:,}".format),
    "backlog_high": ("waiting", "{:,}".format),
}
_LEFT = ("drive", "operation", "lba28", "controller")
#: Shown only where there is something to distinguish.
_VARYING = ("operation", "lba28", "controller")
#: Shown only where there is a value.
_OPTIONAL = ("input_rate", "fifo_words", "lost", "backlog_high")
#: Columns of text where there is no terminal.
_WIDTH = 200


def show(frame, summary, *, to_stderr=False):
    """Prints the main columns of the table of a sweep, one line a cell, and the summary."""
    console = Console(soft_wrap=True, stderr=to_stderr)
    if not console.is_terminal:
        console = Console(soft_wrap=True, stderr=to_stderr, width=_WIDTH)
    console.print(_table(frame))
    if frame["caveats"].null_count() < len(frame):
        console.print("*: of so few bytes only; a longer recording may be slower or lose words "
                      "(--size; the column caveats of --csv states why)", highlight=False)
    console.print(summary, highlight=False)


def _table(frame):
    names = [name for name in _COLUMNS
             if (name not in _OPTIONAL or frame[name].null_count() < len(frame))
             and (name not in _VARYING or frame[name].n_unique() > 1)]
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in names:
        table.add_column(_COLUMNS[name][0], justify="left" if name in _LEFT else "right")
    failing = frame["error"].null_count() < len(frame)
    limited = frame["caveats"].null_count() < len(frame)
    if failing:
        table.add_column("error")
    for row in map(_lasting, frame.iter_rows(named=True)):
        cells = ["-" if row[name] is None else _COLUMNS[name][1](row[name]) for name in names]
        if limited:
            cells[names.index("bytes_per_second")] += "*" if row["caveats"] else " "
        if failing:
            cells.append(row["error"] or "")
        table.add_row(*map(Text, cells), style="red" if row["error"] else None)
    return table


def _lasting(row):
    """The row with the rate that lasts, in which each command has its pause."""
    from ..lab.sweep import lasting_rate
    mean = row["bytes_per_second"]
    if not mean:
        return row
    rate = lasting_rate(row)
    return row | {"bytes_per_second": rate,
                  "percent_of_ceiling": row["percent_of_ceiling"] * rate / mean}
