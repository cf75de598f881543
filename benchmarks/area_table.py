"""The table of what parts cost on an ECP5: on the terminal, and in a page of the docs."""

from rich.console import Console
from rich.table import Table

import tables
from sata_recorder_platforms import out_of_context

__all__ = ["show"]

_HEADER = ("", "LUT4", "carry", "FF", "LUT RAM", "BRAM")


def show(areas, page=None):
    """Prints the table of ``areas``, (name, area) each; with a ``page`` its block "area" becomes
    this table."""
    rows = [(name, area.lut4, area.carry, area.ff, area.lutram, area.bram)
            for name, area in areas]
    table = Table(title=out_of_context.DEVICE)
    for column in _HEADER:
        table.add_column(column, justify="right" if column else "left")
    for row in rows:
        table.add_row(*map(str, row))
    Console().print(table)
    if page:
        tables.replace(page, "area",
                       f"{out_of_context.DEVICE}:\n\n{tables.markdown(_HEADER, rows)}")
