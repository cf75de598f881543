"""Fits parameters of the profiles again, by the secant method, until the run gives the published figure."""

from dataclasses import dataclass

from ...simulation import ProfileError, load_profile
from .parallel import perform
from .parameters import changed, value
from .portion import Portion
from .published import load_table
from .reproduction import PLANS

#: How near a fit comes to the published figure, as a part of it.
NEAR = 2e-5
#: By the kind of a table, the step in which its figures move, in their unit: an overhead has whole
#: clocks, and may move by three of 75 MHz at once. No fit is sure to come nearer than half a step.
_STEP = {"overhead": 0.04}
_MOST = 12
#: Tables that are fitted first: the rates are found with their latencies.
_FIRST = ("6-2",)
#: The fewest loops or blocks that show a figure, by the kind of a table.
_PORTION = {"loops": 1, "overhead": 2, "whole": 1, "blocks": 5, "sectors": 1, "drives": 1}


class NotConverged(RuntimeError):
    """No value of the parameter gives the published figure."""


@dataclass(frozen=True)
class Fit:
    """``parameter`` of ``drive``, fitted so that the cell ``row``, ``column`` of ``table`` shows ``target``:
    its value ``before``, the value ``found``, what that ``gives``, after ``runs`` runs."""

    drive: str
    parameter: str
    table: str
    row: str
    column: str
    target: float
    before: float
    found: float
    gives: float
    runs: int


def secant(function, start, target, *, near=NEAR, step=0.0):
    """(x, function(x), calls) with function(x) within ``near`` * ``target`` of ``target``; if
    none is found, the nearest that was tried, provided it is within half a ``step``.

    Begins at ``start`` and a place beside it. Raises :exc:`NotConverged`.
    """
    tried = []

    def nearest(otherwise):
        x, y = min(tried, key=lambda pair: abs(pair[1] - target))
        if abs(y - target) > step / 2:
            raise NotConverged(otherwise)
        return x, y, len(tried)

    x0, x1 = start, start * 1.02 if start else 1.0
    y0 = function(x0)
    tried.append((x0, y0))
    if abs(y0 - target) <= near * target:
        return x0, y0, 1
    for count in range(2, _MOST + 1):
        y1 = function(x1)
        tried.append((x1, y1))
        if abs(y1 - target) <= near * target:
            return x1, y1, count
        if y1 == y0:
            return nearest(f"{x1:g} gives {y1:g} as {x0:g} does: it has no influence")
        x0, y0, x1 = x1, y1, max(0.0, x1 + (target - y1) * (x1 - x0) / (y1 - y0))
        if x1 == x0:
            break
    return nearest(f"{x0:g} gives {y0:g} instead of {target:g}")


def fits(chosen, *, store, processes, progress=None):
    """Yields the :class:`Fit` of every fitted cell of the tables ``chosen``, one after the other.

    Later fits use the values found before. Raises :exc:`NotConverged` and what ``perform`` raises.
    """
    found = {}

    def drive(name):
        return changed(load_profile(name), found.get(name, {}))
    for name in sorted(chosen, key=lambda name: name not in _FIRST):
        table = load_table(name)
        for row in table.rows:
            for column, parameter in row.fitted.items():
                if "." not in parameter:
                    continue
                one = _fit(table, row, column, parameter, drive, store, processes, progress)
                found.setdefault(row.profile, {})[parameter] = one.found
                yield one


def _fit(table, row, column, parameter, drive, store, processes, progress):
    single = _single(table, row, column)
    plan, result = PLANS[table.kind]
    portion = Portion(_PORTION[table.kind])

    def figure(number):
        def tried(name):
            return changed(drive(name), {parameter: number} if name == row.profile else {})
        try:
            runs = plan(single, portion, tried)
        except ProfileError as error:
            raise NotConverged(str(error)) from None
        done = perform(runs.values(), store=store, processes=processes, progress=progress)
        again = result(single, portion, runs, done)
        if again.problems:
            raise NotConverged(again.problems[0])
        return next(cell.simulated for cell in again.cells if cell.simulated is not None)

    target, before = table.value(row, column), value(drive(row.profile), parameter)
    try:
        found, gives, count = secant(figure, before, target, step=_STEP.get(table.kind, 0.0))
    except NotConverged as error:
        raise NotConverged(f"{row.profile}: {parameter} for {table.name}, {row.label}, "
                           f"{column}: {error}") from None
    return Fit(row.profile, parameter, table.name, row.label, column, target, before, found, gives,
               count)


def _single(table, row, column):
    """The table with only this cell."""
    alone = row.model_copy(update={"values": (table.value(row, column),), "mean": None})
    return table.model_copy(update={"rows": (alone,), "columns": (column,)})
