"""What a drive reports about itself by SMART before and after something, on a terminal."""

from rich.table import Table
from rich.text import Text

from ..pc.maintenance import compared_attributes, compared_health

#: What is printed about the figures of a simulated drive.
SIMULATED = "a simulated drive, whose figures are those of no real one"


def render_readings(console, before, after, *, simulated):
    """Prints two :class:`..pc.maintenance.SmartReading` on the rich console, or one and None. What the drive
    does not report is "unknown"."""
    console.print()
    console.print("what the drive reports about itself, by SMART" + (f": {SIMULATED}" if simulated else ""))
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    table.add_column("before", justify="right")
    table.add_column("after", justify="right")
    for name, *values in compared_health(before, after):
        table.add_row(name, *map(Text, values))
    for pair in compared_attributes(before, after):
        known = pair[0] or pair[1]
        table.add_row(f"{known.number} {known.name}",
                      *("unknown" if one is None else one.texts[2] for one in pair))
    if table.row_count:
        console.print(table)
    for when, reading in ("before", before), ("after", after):
        if reading and reading.failure:
            console.print(Text(f"{when}: {reading.failure}"))
    latest = after if after and after.health else before
    for reason in latest.health.reasons if latest and latest.health else ():
        console.print(Text(reason))
