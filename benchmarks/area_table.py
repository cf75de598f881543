"""The table of what parts cost on an ECP5: on the terminal, and in a page of the docs."""

from statistics import median

from rich.console import Console
from rich.table import Table

import tables
from sata_recorder_platforms import out_of_context

__all__ = ["show"]

_HEADER = ("", "LUT4", "carry", "FF", "LUT RAM", "BRAM")


def show(areas, page=None, *, clocks=None):
    """Prints the table of ``areas``, (name, area) each; with a ``page`` its block "area" becomes
    this table. ``clocks`` has for each row those of all placements, in MHz."""
    rows = [(name, area.lut4, area.carry, area.ff, area.lutram, area.bram)
            for name, area in areas]
    header = _HEADER
    if clocks:
        header = *_HEADER, "MHz min", "median", "max"
        rows = [(*row, *(f"{number:.0f}" for number in (min(found), median(found), max(found))))
                for row, found in zip(rows, clocks)]
    table = Table(title=out_of_context.DEVICE)
    for column in header:
        table.add_column(column, justify="right" if column else "left")
    for row in rows:
        table.add_row(*map(str, row))
    Console().print(table)
    if page:
        tables.replace(page, "area",
                       f"{out_of_context.DEVICE}:\n\n{tables.markdown(header, rows)}")
