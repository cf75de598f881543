"""Blocks of 32 MiB on a hard disk and an SSD: the time each takes, and its place on the drive.

The first block on an idle drive does not measure it: the drive's RAM takes part of the block at the
speed of the link. So another block goes before a single one, unless FLUSH CACHE follows.
"""

from . import arithmetic
from .figures import ComparedFigure, Reproduction
from .runs import Run, RunFigures

_BLOCK = 65536
_BEFORE = 1
_USUAL, _MOST = 5, 20
_PERIOD = 5
_PLACES = {"start": 0.0, "1/4": 0.25, "1/2": 0.5, "3/4": 0.75, "end": 1.0}


def _count(row, portion):
    """The number of blocks in the run of a row."""
    if row.figure == "flushed":
        return 1
    return _BEFORE + 1 if row.figure == "first" else portion.loops(_USUAL, _MOST)


def plan(table, portion, profile):
    """The runs, by label of the row; rows of one series of blocks have the same run."""
    return {row.label: Run(profile(row.profile), table.generation, row.operation,
                           _count(row, portion) * _BLOCK, flush=row.figure == "flushed",
                           expected=107.0)
            for row in table.rows}


def result(table, portion, runs, results):
    """The table reproduced; ``results`` are by run."""
    cells, series, levels, problems = [], {}, {}, []
    for row in table.rows:
        figures = RunFigures(results[runs[row.label]])
        problems += [f"{row.label}: {text}" for text in figures.problems]
        if figures.problems:
            continue
        column = table.columns[0]
        times = figures.blocks()
        cells.append(ComparedFigure.of(table, row, column, _figure(row, figures, times)))
        if row.figure in ("fast", "slow"):
            levels[f"{row.label}, published"] = row.values[0]
        if row.figure == "mean":
            series[row.label] = (list(range(1, len(times) + 1)),
                                 [1e3 * seconds for seconds in times])
    blocks = portion.loops(_USUAL, _MOST)
    texts = [f"{blocks} blocks in a row for the write times of the SSD, one that FLUSH CACHE "
             "follows, and on the hard disk the second one of two; every clock simulated."]
    if blocks < _PERIOD:
        texts.append(f"The {_PERIOD}th block was not run.")
    return Reproduction(table, cells, texts, series=series, levels=levels,
                        axes=("block", "ms"), problems=problems)


def _figure(row, figures, times):
    """The simulated value of a row; None if it was not run."""
    slow = times[_PERIOD - 1::_PERIOD]
    if row.figure == "fast":
        fast = [seconds for number, seconds in enumerate(times, 1) if number % _PERIOD]
        return 1e3 * sum(fast) / len(fast)
    if row.figure == "slow":
        return 1e3 * sum(slow) / len(slow) if slow else None
    if row.figure == "mean":
        whole = _PERIOD * len(slow)
        return whole * arithmetic.BLOCK / sum(times[:whole]) / 1e6 if slow else None
    if row.figure == "first":
        return 1e3 * times[-1]
    return figures.rate if row.unit == "MB/s" else 1e3 * figures.seconds


def plan_places(table, portion, profile):
    """The runs of speed-by-sector, by (row, column)."""
    runs = {}
    for row in table.rows:
        drive = profile(row.profile)
        for column in table.columns:
            lba = round(_PLACES[column] *
                        (drive.capacity_sectors - (_BEFORE + 1) * _BLOCK)) // 8 * 8
            runs[row.label, column] = Run(drive, table.generation, row.operation,
                                          (_BEFORE + 1) * _BLOCK,
                                          lba=lba, expected=row.values[0])
    return runs


def result_places(table, portion, runs, results):
    """The table reproduced; ``results`` are by run."""
    cells, series, points, problems = [], {}, {}, []
    for row in table.rows:
        lbas, rates = [], []
        for column in table.columns:
            run = runs[row.label, column]
            figures = RunFigures(results[run])
            problems += [f"{row.label}, {column}: {text}" for text in figures.problems]
            if figures.problems:
                continue
            rate = arithmetic.BLOCK / figures.blocks()[-1] / 1e6
            cells.append(ComparedFigure.of(table, row, column, rate))
            lbas.append(run.lba + _BEFORE * _BLOCK)
            rates.append(rate)
        series[row.label] = lbas, rates
        points[row.label] = ([run.lba + _BEFORE * _BLOCK for (label, _), run in runs.items()
                              if label == row.label], list(row.values))
    texts = ["The second one of two blocks a cell, every clock simulated.",
             *_lbas(table, runs)]
    return Reproduction(table, cells, texts, series=series, points=points,
                        axes=("LBA", "MB/s"), problems=problems)


def _lbas(table, runs):
    """Where each drive of the table was measured, as texts."""
    drives = {row.profile: row.label for row in table.rows}
    for name, label in drives.items():
        lbas = (f"{runs[label, column].lba + _BEFORE * _BLOCK:,}" for column in table.columns)
        yield f"{name}: LBA {' '.join(lbas)}."
