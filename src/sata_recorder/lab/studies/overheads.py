"""Table 6-2 of the application note, and the same overhead split by who causes it."""

from ...facts.ata import LBA28_SECTORS
from . import arithmetic
from .figures import ComparedFigure, Reproduction
from .parameters import changed
from .published import load_table
from .runs import Run, RunFigures

_LONG, _SHORT = 65536, 256
_LOOPS = 2
_MOST = 8
_SHORT_COMMANDS = 16


def plan(table, portion, profile):
    """The runs, by (row, column)."""
    loops = _loops(portion)
    runs = {}
    for row in table.rows:
        for column in table.columns:
            pause = arithmetic.pauses(row.operation) if column == "firmware" else 0.0
            runs[row.label, column] = Run(profile(row.profile), table.generation, row.operation,
                                          loops * _LONG, pause=pause,
                                          expected=_expected(row.operation))
    return runs


def _loops(portion):
    return max(2, portion.loops(_LOOPS, _MOST))


def _expected(operation):
    """MB/s of this table's drive, from the loops of table 5-2."""
    return next(row for row in load_table("5-2").rows if row.operation == operation).values[0]


def plan_own(table, portion, profile):
    """Further runs of our own, by drive, bits of a command, pause and direction."""
    firmware = load_table("6-2").row("write").values[0]
    runs = {}
    for name in ("ideal", table.rows[0].profile):
        drive = profile(name)
        for bits, commands, size in ((48, _LOOPS, _LONG), (28, _SHORT_COMMANDS, _SHORT)):
            chosen = drive if bits == 48 else changed(drive, {
                "lba48": False, "capacity_sectors": min(drive.capacity_sectors, LBA28_SECTORS)})
            for pause in (0.0, firmware):
                for row in table.rows:
                    runs[name, bits, pause, row.label] = Run(
                        chosen, table.generation, row.operation, commands * size, pause=pause,
                        expected=290.0 if name == "ideal" else _expected(row.operation))
    return runs


def result(table, portion, runs, results):
    """The table reproduced; ``results`` are by run."""
    cells, problems = [], []
    for row in table.rows:
        for column in table.columns:
            figures = RunFigures(results[runs[row.label, column]])
            problems += [f"{row.label}, {column}: {text}" for text in figures.problems]
            if not figures.problems:
                cells.append(ComparedFigure.of(table, row, column, figures.overhead()))
    return Reproduction(
        table, cells,
        [f"{_loops(portion)} commands of 32 MiB a cell; the overhead lies between "
         "the last payload of one and the first payload of the next."], problems=problems)


def result_own(runs, results):
    """(title, header, rows) of our own table, and the problems of its runs."""
    header = ["", "host", "drive", "protocol", "total", "of the time"]
    rows, problems = [], []
    for (name, bits, pause, direction), run in runs.items():
        figures = RunFigures(results[run])
        problems += [f"{run}: {text}" for text in figures.problems]
        if figures.problems:
            continue
        # N commands have N - 1 overheads: the share is that of one overhead in the time of one command.
        share = 100 * figures.overhead() / 1e6 / figures.period
        loop = f"{pause:g} us" if pause else "hardwired"
        rows.append([f"{name}, {bits}-bit, {loop}, {direction}",
                     *(figures.overhead(part) for part in ("host", "drive", "protocol", "total")),
                     share])
    title = ("Overhead of a command with this core in us, by who causes it; "
             f"{_LOOPS} 48-bit commands of {_LONG:,} sectors, {_SHORT_COMMANDS} 28-bit ones of "
             f"{_SHORT}")
    return (title, header, rows), problems
