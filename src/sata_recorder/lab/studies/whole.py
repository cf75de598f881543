"""Whole 28-bit drives: table 7-1 of the application note.

The rate of a part is that of its second half: the drive's RAM takes the first commands at the speed
of the link, which is negligible in 244,480 of them, but not in a few hundred.
"""

from .figures import ComparedFigure, Reproduction
from .loops import pause
from .parameters import changed
from .published import load_table
from .runs import Run, RunFigures

_LOOP = 65536       # sectors: 256 of the 28-bit commands
_SECTORS = 62_586_880
_WHOLE = _SECTORS // _LOOP
_USUAL = 2


def plan(table, portion, profile):
    """The runs, by label of the row: the first part of the drive."""
    sectors = portion.loops(_USUAL, _WHOLE) * _LOOP
    runs = {}
    for row in table.rows:
        drive, between = profile(row.profile), pause(row)
        if row.figure == "bound":
            drive = changed(drive, {"lba48": False, "capacity_sectors": _SECTORS, "generation": 1})
            between = load_table("6-2").row("write").values[0]
        runs[row.label] = Run(drive, table.generation, row.operation, sectors, pause=between,
                              expected=row.values[0])
    return runs


def result(table, portion, runs, results):
    """The table reproduced; ``results`` are by run."""
    loops = portion.loops(_USUAL, _WHOLE)
    sectors = loops * _LOOP
    cells, series, points, problems = [], {}, {}, []
    for row in table.rows:
        figures = RunFigures(results[runs[row.label]])
        problems += [f"{row.label}: {text}" for text in figures.problems]
        if figures.problems:
            continue
        column = table.columns[0]
        whole = figures.rate if loops == _WHOLE else None
        if whole is None:
            part = f"{100 * sectors / _SECTORS:.2g} % of it"
            cells.append(ComparedFigure.of_part(table, row, column, part, figures.steady))
        cells.append(ComparedFigure.of(table, row, column, whole))
        seconds, size = figures.timeline()
        series[row.label] = seconds, [moved / 1e6 for moved in size]
        points[row.label] = [seconds[-1]], [row.values[0] * seconds[-1]]
    portion_texts = [f"{sectors:,} of {_SECTORS:,} sectors, {sectors // 256:,} commands a run, "
                     "every clock simulated."]
    if loops < _WHOLE:
        portion_texts += ["The rate of this part is that of its second half, when the RAM of the "
                          "drive is full.",
                          "The rest of the drive was not run: --full runs all of it."]
    return Reproduction(table, cells, portion_texts, series=series, points=points,
                        axes=("seconds", "MB moved"), problems=problems)
