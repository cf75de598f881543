"""What the queue of extents and the brick of the modes cost on an ECP5, and which clock they reach.

    .venv/bin/python benchmarks/recording_area.py [--unplaced] [--markdown]

The brick alone, and the core with it, are placed with three seeds: some ten minutes in all. With
`--unplaced` they are not, and no clock is shown. With `--path` the slowest path of each is shown, too.
"""

import argparse
import statistics
import sys

from rich.console import Console
from rich.table import Table

import tables
from area import FREQUENCY, SEEDS, TITLE
from sata_recorder.interface.configuration import Configuration
from sata_recorder.export.top import top
from sata_recorder.bricks.modes import RecordingController
from sata_recorder_platforms import out_of_context

_HEADER = ("", "LUT4", "carry", "FF", "LUT RAM", "BRAM", "MHz min", "median", "max")


def components():
    """(name, component, its ports or None for all, seeds of its placements) of all rows."""
    yield "the core, for comparison", *top(Configuration()), ()
    yield "the core with a queue", *top(Configuration(extents="queued")), ()
    yield "the brick", RecordingController(Configuration(extents="modes")), None, SEEDS
    yield "the core with a queue, and the brick", *top(Configuration(extents="modes")), SEEDS
    yield "the same with TRIM ahead of a ring", *top(Configuration(extents="modes", trim_ahead=True)), ()
    yield "the same with a look of 16 sectors", *top(Configuration(extents="modes", look_sectors=16)), ()


def measured(placed):
    """(name, area, timings) of all rows; with a clock where they are ``placed``."""
    for name, component, ports, seeds in components():
        print(f"recording_area: {name} ...", file=sys.stderr, flush=True)
        yield name, *out_of_context.measure(component, ports=ports, seeds=seeds if placed else (),
                                            frequency=FREQUENCY)


def row(name, area, timings):
    """A row of the table."""
    fmax = sorted(one.fmax for one in timings)
    return (name, area.lut4, area.carry, area.ff, area.lutram, area.bram,
            *([f"{value:.0f}" for value in (fmax[0], statistics.median(fmax), fmax[-1])]
              if fmax else "---"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--markdown", action="store_true",
                        help="also rewrite the table in docs/recording.md")
    parser.add_argument("--path", action="store_true", help="also show the slowest path of each")
    parser.add_argument("--unplaced", action="store_true", help="the area only: minutes")
    arguments = parser.parse_args()
    found = [*measured(not arguments.unplaced)]
    rows = [row(*one) for one in found]
    title = out_of_context.DEVICE if arguments.unplaced else TITLE
    table = Table(title=title)
    for column in _HEADER:
        table.add_column(column, justify="right" if column else "left")
    for values in rows:
        table.add_row(*map(str, values))
    console = Console()
    console.print(table)
    for name, _, timings in found if arguments.path else ():
        if not timings:
            continue
        console.print(f"{name}: slowest path, ns and signal")
        for signal, time in min(timings, key=lambda one: one.fmax).path:
            console.print(f"  {time:5.2f} {signal}", markup=False, highlight=False)
    if arguments.markdown:
        tables.replace("recording.md", "area",
                       f"{title}:\n\n{tables.markdown(_HEADER, rows)}")


if __name__ == "__main__":
    main()
