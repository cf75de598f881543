"""Published next to simulated: the cells of a table, and the notes on them."""

from dataclasses import dataclass, field, replace

#: A figure that was not fitted and is further off, in percent, needs a reason.
TOLERANCE = 2.0


@dataclass(frozen=True)
class ComparedFigure:
    """One figure: ``published`` and ``simulated`` in ``unit``; either may be None.

    ``fitted`` names the parameter that was fitted to this cell, ``follows`` the fitted cells from
    which this one follows by arithmetic, ``assumes`` what was chosen to obtain it; all are
    empty for a prediction. ``reason`` states why a cell to which nothing was fitted may be off.
    ``measured`` is the figure with firmware on a soft processor, or None.
    """

    row: str
    column: str
    unit: str
    published: float | None
    simulated: float | None
    fitted: str = ""
    reason: str = ""
    follows: str = ""
    assumes: str = ""
    measured: float | None = None

    @classmethod
    def of(cls, table, row, column, simulated):
        """The figure that was ``simulated`` for the cell of ``table`` in this row and column."""
        return cls(row.label, column, row.unit, table.value(row, column), simulated,
                   row.fitted.get(column, ""), row.reason, "; ".join(row.follows), row.assumes)

    @classmethod
    def of_part(cls, table, row, column, part, simulated):
        """The figure that was ``simulated`` for a ``part`` of the cell of ``table`` in this row and column."""
        return replace(cls.of(table, row, column, simulated), column=part)

    @property
    def difference(self):
        """The simulated figure against the published one in percent; None if one of them is missing."""
        if self.published is None or self.simulated is None:
            return None
        return 100 * (self.simulated / self.published - 1)

    @property
    def off(self):
        """Whether nothing was fitted to this cell, and it is outside :data:`TOLERANCE`."""
        return (not self.fitted and self.difference is not None
                and abs(self.difference) > TOLERANCE)

    @property
    def mark(self):
        """What the cell is: "fitted", "follows from the fit", "rests on an assumption", "predicted",
        "not run", or "not published"."""
        if self.simulated is None:
            return "not run"
        if self.published is None:
            return "not published"
        if self.fitted:
            return "fitted"
        if self.assumes:
            return "rests on an assumption"
        return "follows from the fit" if self.follows else "predicted"


@dataclass
class Reproduction:
    """A table reproduced: ``cells``, what was run (``portion``), and ``problems`` of the runs.

    ``explained`` states which processor would have the published figures.
    ``arithmetic`` of the published figures; ``fits`` as (drive, parameter, value, what it was
    fitted to); further ``measured`` tables as (title, header, rows of a text and numbers);
    ``series`` for a plot as label -> (xs, ys), and its ``axes``; the published values for that plot
    are ``points`` in the same form and ``levels`` as label -> y.
    """

    table: object
    cells: list
    portion: list
    arithmetic: list = field(default_factory=list)
    explained: list = field(default_factory=list)
    fits: list = field(default_factory=list)
    measured: list = field(default_factory=list)
    series: dict = field(default_factory=dict)
    axes: tuple = ("", "")
    points: dict = field(default_factory=dict)
    levels: dict = field(default_factory=dict)
    problems: list = field(default_factory=list)

    def as_data(self):
        """The reproduction as dictionaries, lists, texts and numbers."""
        table = self.table
        return {
            "table": table.name,
            "title": table.title,
            "source": table.source.model_dump(mode="json"),
            "portion": self.portion,
            "cells": [{"row": cell.row, "column": cell.column, "unit": cell.unit,
                       "published": cell.published, "simulated": cell.simulated,
                       "measured": cell.measured, "difference_percent": cell.difference,
                       "mark": cell.mark,
                       "fitted_parameter": cell.fitted or None,
                       "follows_from": cell.follows or None,
                       "assumes": cell.assumes or None,
                       "reason": cell.reason if cell.off else None} for cell in self.cells],
            "fits": [{"drive": drive, "parameter": parameter, "value": value, "to": to}
                     for drive, parameter, value, to in self.fits],
            "arithmetic": self.arithmetic,
            "explained": self.explained,
            "measured": [{"title": title, "header": header, "rows": rows}
                         for title, header, rows in self.measured],
            "notes": list(table.notes),
            "problems": self.problems,
        }
