"""The published tables reproduced: which runs each needs, and the tables from their results."""

from ...simulation import load_profile
from . import arithmetic, blocks, drives, firmware_loops, loops, media, overheads, whole
from .firmware_loops import FirmwareLoop
from .parallel import perform
from .parameters import value
from .published import load_table

#: By kind of a table: (its runs, the table reproduced from their results), both functions.
PLANS = {
    "loops": (loops.plan, loops.result),
    "overhead": (overheads.plan, overheads.result),
    "whole": (whole.plan, whole.result),
    "blocks": (blocks.plan, blocks.result),
    "sectors": (blocks.plan_places, blocks.result_places),
    "drives": (drives.plan, drives.result),
    "media": (media.plan, media.result),
}


def planned(table, portion):
    """The runs of a table, and those of our own tables next to it; both by what they are for."""
    runs = PLANS[table.kind][0](table, portion, load_profile)
    own = overheads.plan_own(table, portion, load_profile) if table.kind == "overhead" else {}
    return runs, own | firmware_loops.plan(table, portion, load_profile)


def reproduce(chosen, portion, *, store, processes, fresh=False, progress=None):
    """The :class:`Reproduction` of each of the tables ``chosen``, which are names.

    The runs of all tables are performed together, ``processes`` at a time; a run that several tables
    share is done once. ``progress(run, fraction)`` is as for :func:`parallel.perform`, and is called
    with fraction 0 for each run before any begins. Raises as ``perform`` does.
    """
    plans = {name: planned(load_table(name), portion) for name in chosen}
    wanted = [run for runs, own in plans.values() for run in (*runs.values(), *own.values())]
    if progress:
        for run in dict.fromkeys(wanted):
            progress(run, 0.0)
    results = perform(wanted, store=store, processes=processes, fresh=fresh, progress=progress)
    return [_assembled(load_table(name), portion, *plans[name], results) for name in chosen]


def _assembled(table, portion, runs, own, results):
    found = PLANS[table.kind][1](table, portion, runs, results)
    found.arithmetic = arithmetic.of(table)
    operated = {key: run for key, run in own.items() if isinstance(key, FirmwareLoop)}
    hardwired = {key: run for key, run in own.items() if key not in operated}
    if hardwired:
        measured, problems = overheads.result_own(hardwired, results)
        found.measured.append(measured)
        found.problems += problems
    measured, problems = firmware_loops.result(operated, results)
    found.measured += measured
    found.problems += problems
    found.cells = firmware_loops.measured_cells(found.cells, operated, results)
    found.explained = firmware_loops.explained(table, operated, results)
    found.fits = _fits(table)
    return found


def _fits(table):
    """A list of (drive, parameter, its value or None, the cells it was fitted to)."""
    cells = {}
    for row in table.rows:
        for column, parameter in row.fitted.items():
            where = row.label if len(table.columns) == 1 else f"{row.label}, {column}"
            cells.setdefault((row.profile or row.model.split()[0], parameter), []).append(where)
    return [(drive, parameter, None if table.kind == "media" else _value(drive, parameter), "; ".join(where))
            for (drive, parameter), where in cells.items()]


def _value(drive, parameter):
    """The value in the profile; None if the parameter is none of the profile's."""
    return value(load_profile(drive), parameter) if "." in parameter else None
