"""Loops of 32 MiB commands: tables 5-1, 5-2 and 6-1 of the application note."""

from . import arithmetic
from .figures import ComparedFigure, Reproduction
from .runs import Run, RunFigures

_COMMAND = 65536
_ALL = 512


def plan(table, portion, profile):
    """The runs, by label of the row: one per row, of as many loops as the portion has."""
    loops = min(portion.loops(8), _ALL)
    return {row.label: Run(profile(row.profile), table.generation, row.operation, loops * _COMMAND,
                           pause=pause(row), expected=row.values[0]) for row in table.rows}


def pause(row):
    """The host's turn-around of a row's circuit, in us."""
    return arithmetic.pauses(row.operation) if row.circuit == "firmware" else 0.0


def result(table, portion, runs, results):
    """The table reproduced; ``results`` are by run."""
    loops = min(portion.loops(8), _ALL)
    cells, series, points, problems = [], {}, {}, []
    for row in table.rows:
        figures = RunFigures(results[runs[row.label]])
        problems += [f"{row.label}: {text}" for text in figures.problems]
        if figures.problems:
            continue

        def rate(count):
            return count * arithmetic.BLOCK / figures.until(count) / 1e6
        after = next((column for column in table.columns if int(column) > loops), None)
        for column in table.columns:
            if column == after and str(loops) not in table.columns:
                cells.append(ComparedFigure.of_part(table, row, column, f"{loops} of {column}",
                                                    rate(loops)))
            count = int(column)
            cells.append(ComparedFigure.of(table, row, column,
                                           rate(count) if count <= loops else None))
        if row.mean is not None:
            whole = loops >= int(table.columns[-1])
            mean = sum(rate(int(column)) for column in table.columns) / len(table.columns) \
                if whole else None
            cells.append(ComparedFigure(row.label, "mean", row.unit, row.mean, mean,
                                        reason=row.reason, follows="; ".join(row.follows)))
        counts = [1 << n for n in range(loops.bit_length())]
        series[row.label] = counts, [rate(count) for count in counts]
        points[row.label] = [int(column) for column in table.columns], list(row.values)
    return Reproduction(
        table, cells, _portion(loops), series=series, points=points,
        axes=("commands of 32 MiB", "MB/s"), problems=problems)


def _portion(loops):
    size = loops * arithmetic.BLOCK / (1 << 20)
    texts = [f"{loops} of {_ALL} loops, {size:,.0f} MiB, every clock simulated."]
    if loops > 1:
        texts.append("Fewer loops are the beginning of the same deterministic run: read off the "
                     "times at which its commands completed.")
    if loops < _ALL:
        texts.append("The rest was not run: --full runs all of it.")
    return texts
