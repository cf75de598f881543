"""What the brick of files costs on an ECP5: its area, and with --clock its clock.

    .venv/bin/python benchmarks/files_area.py [--clock] [--markdown]

The area is from one synthesis of each; the clock from three placements of each, which take some
minutes.
"""

import argparse

from rich.console import Console

from area import FREQUENCY, SEEDS
from area_table import show
from sata_recorder.interface.configuration import Configuration
from sata_recorder.core import SataRecorder
from sata_recorder.bricks.files import FileController
from sata_recorder.interface import named_ports
from sata_recorder_platforms import out_of_context


def measured(seeds):
    """(name, area, timings) of all rows."""
    core = SataRecorder(Configuration())
    yield "the core, for comparison", *out_of_context.measure(
        core, ports=named_ports(core), seeds=seeds, frequency=FREQUENCY)
    for name, modes in ("files", False), ("files, for a core with modes", True):
        yield name, *out_of_context.measure(FileController(FREQUENCY * 1e6, modes=modes),
                                            seeds=seeds, frequency=FREQUENCY)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--markdown", action="store_true",
                        help="also rewrite the table in docs/files.md")
    parser.add_argument("--clock", action="store_true", help="the clock, too, and what limits it")
    arguments = parser.parse_args()
    rows = list(measured(SEEDS if arguments.clock else ()))
    for name, _, timings in rows:
        for timing in timings[:1]:
            Console().print(f"{name}, seed {timing.seed}: {timing.fmax:.0f} MHz")
            for signal, time in timing.path:
                Console().print(f"  {time:5.2f} {signal}", markup=False, highlight=False)
    clocks = [[timing.fmax for timing in timings] for *_, timings in rows]
    show([(name, area) for name, area, _ in rows], "files.md" if arguments.markdown else None,
         clocks=clocks if arguments.clock else None)


if __name__ == "__main__":
    main()
