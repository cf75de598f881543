"""Published measurements repeated in simulation: published beside simulated, cell by cell.

Every figure comes from a run that is exact to the clock. A cell that a parameter of a drive's
profile was fitted to is no reproduction and is marked so, like one that follows from such cells by
arithmetic; all others are predictions.
"""

from sata_drive_model import ProfileError
from sata_drive_model.medium import profile as profiles

from ..simulation.processes import cores
from . import arithmetic, blocks, drives, loops, overheads, whole
from .cells import Cell, Reproduction
from .parallel import perform
from .portion import Portion
from .published import load, names
from .runs import value

__all__ = ["Cell", "PLANS", "Portion", "ProfileError", "Reproduction", "cores", "names", "planned",
           "published", "reproduce"]

#: Kind of a table to (the runs of it, the table again from their results).
PLANS = {
    "loops": (loops.plan, loops.result),
    "overhead": (overheads.plan, overheads.result),
    "whole": (whole.plan, whole.result),
    "blocks": (blocks.plan, blocks.result),
    "sectors": (blocks.plan_places, blocks.result_places),
    "drives": (drives.plan, drives.result),
}


def published(name):
    """The published table of that name; ``KeyError`` where there is none."""
    return load(name)


def planned(table, portion):
    """The runs of a table, and those of its table of our own, both by label."""
    runs = PLANS[table.kind][0](table, portion, profiles.load)
    own = overheads.plan_own(table, portion, profiles.load) if table.kind == "overhead" else {}
    return runs, own


def reproduce(chosen, portion, *, store, processes, fresh=False, progress=None):
    """The :class:`Reproduction` of each of the tables ``chosen``, which are names.

    All runs of all tables go on at the same time, ``processes`` at once; a run that several tables
    share is done once. ``progress(run, fraction)`` as for :func:`parallel.perform`; it is called
    with fraction 0 for each run before any begins. Raises as ``perform`` does.
    """
    plans = {name: planned(load(name), portion) for name in chosen}
    wanted = [run for runs, own in plans.values() for run in (*runs.values(), *own.values())]
    if progress:
        for run in dict.fromkeys(wanted):
            progress(run, 0.0)
    results = perform(wanted, store=store, processes=processes, fresh=fresh, progress=progress)
    return [_assembled(load(name), portion, *plans[name], results) for name in chosen]


def _assembled(table, portion, runs, own, results):
    found = PLANS[table.kind][1](table, portion, runs, results)
    found.arithmetic = arithmetic.of(table)
    if own:
        measured, problems = overheads.result_own(own, results)
        found.measured.append(measured)
        found.problems += problems
    found.fits = _fits(table)
    return found


def _fits(table):
    """(drive, parameter, its value or None, the cells it was fitted to)."""
    cells = {}
    for row in table.rows:
        for column, parameter in row.fitted.items():
            where = row.label if len(table.columns) == 1 else f"{row.label}, {column}"
            cells.setdefault((row.profile, parameter), []).append(where)
    return [(drive, parameter, _value(drive, parameter), "; ".join(where))
            for (drive, parameter), where in cells.items()]


def _value(drive, parameter):
    """That of the profile; None where the parameter is none of the profile's."""
    return value(profiles.load(drive), parameter) if "." in parameter else None
