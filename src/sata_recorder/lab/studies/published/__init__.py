"""Published tables as data: the figures, where they are, and what was fitted to which of them.

One TOML file per table, named after it. A value that is not given is written as "-".
"""

import datetime
import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = ["Citation", "Row", "Table", "load_table", "table_names"]

_FOLDER = Path(__file__).parent
#: The order in which the tables are listed.
_ORDER = ("5-1", "5-2", "6-1", "6-2", "7-1", "block-times", "speed-by-sector", "drives-for-rate", "disk-inside",
          "alignment", "read-cache", "after-the-cache", "endurance", "read-only", "bit-errors", "at-rest",
          "recorder-life")


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Citation(_Data):
    """Where the figures are: ``publisher``, ``title``, ``place`` in it; date as far as known."""

    publisher: str
    title: str
    place: str
    revision: str = ""
    date: datetime.date | None = None

    def __str__(self):
        parts = [f"{self.publisher}, {self.title}", self.revision, str(self.date or ""), self.place]
        return ", ".join(part for part in parts if part)


class Row(_Data):
    """One series of figures, a value for each column of its table.

    ``fitted`` names, by column, the parameter that was fitted to its value; ``follows`` names the rows
    with such columns ("TABLE: ROW" for one of another table) from which all other values follow by
    arithmetic; without it they are predictions. ``mean`` is the published mean of the values. ``reason``
    states why one of them is further off than 2 %. ``profile`` is the drive, ``operation`` what is done
    with it, ``circuit`` what runs the loop. A row of a table of the kind "media" has the name of one of
    :data:`..media.FIGURES` as ``model`` in place of these.
    """

    label: str
    values: tuple[Annotated[float, Field(ge=0)] | Literal["-"], ...]
    unit: Literal["MB/s", "us", "ms", "drives", "IO/s", "GiB", "days", "PB", "%", "blocks", "times", "h", "years", ""]
    profile: str = ""
    operation: Literal["record", "play"] = "record"
    model: str = ""
    circuit: Literal["firmware", "state machine"] = "state machine"
    figure: Literal["", "first", "fast", "slow", "mean", "flushed", "sustained", "drives",
                    "bound"] = ""
    mean: float | None = None
    fitted: dict[str, str] = {}
    follows: tuple[str, ...] = ()
    assumes: str = ""
    reason: str = ""


class Table(_Data):
    """A published table: ``rows`` by ``columns``; ``kind`` is the experiment that repeats it.

    ``generation`` is that of the link it was measured over, ``rate`` the MB/s for which drives are
    counted; ``further`` are figures of the same source outside the table, by a name that states
    what they are.
    """

    name: str
    title: str
    kind: Literal["loops", "overhead", "whole", "blocks", "sectors", "drives", "media"]
    generation: Annotated[int, Field(ge=1, le=3)]
    source: Citation
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    rate: float | None = None
    further: dict[str, float] = {}
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _complete(self):
        for row in self.rows:
            if len(row.values) != len(self.columns):
                raise ValueError(f"row {row.label!r} has {len(row.values)} values for "
                                 f"{len(self.columns)} columns")
            for column in row.fitted:
                if self.value(row, column) is None:
                    raise ValueError(f"row {row.label!r}: fitted to {column!r}, which is not given")
        if any(bool(row.model) != (self.kind == "media") or bool(row.profile) == bool(row.model) for row in self.rows):
            raise ValueError("a row has either a profile or, in a table of the kind media, a model")
        if len({row.label for row in self.rows}) != len(self.rows):
            raise ValueError("two rows have the same label")
        return self

    def row(self, label):
        """The row with that label."""
        return next(row for row in self.rows if row.label == label)

    def value(self, row, column):
        """The value of ``row`` in ``column``; None if it is not given."""
        value = row.values[self.columns.index(column)]
        return None if value == "-" else value


def table_names():
    """The names of all tables, in the order in which they are listed."""
    return list(_ORDER)


def load_table(name):
    """The :class:`Table` of that name. Raises ``KeyError`` if there is none."""
    if name not in _ORDER:
        raise KeyError(name)
    return Table(name=name, **tomllib.loads((_FOLDER / f"{name}.toml").read_text()))
