"""What the brick of files costs on an ECP5, from one synthesis of each.

    .venv/bin/python benchmarks/files_area.py [--markdown]

With `--clock` it is placed, too, and its clock printed: that takes some minutes.
"""

import argparse

from rich.console import Console

from area import FREQUENCY, SEEDS
from area_table import show
from sata_recorder.config import Configuration
from sata_recorder.core import SataRecorder
from sata_recorder.files import FileController
from sata_recorder.interface import named_ports
from sata_recorder_platforms import out_of_context


def areas():
    """(name, area) of all rows."""
    core = SataRecorder(Configuration())
    yield "the core, for comparison", out_of_context.measure(
        core, ports=named_ports(core), seeds=())[0]
    for name, modes in ("files", False), ("files, for a core with modes", True):
        yield name, out_of_context.measure(FileController(FREQUENCY * 1e6, modes=modes),
                                           seeds=())[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--markdown", action="store_true",
                        help="also rewrite the table in docs/files.md")
    parser.add_argument("--clock", action="store_true", help="instead: the clock")
    arguments = parser.parse_args()
    if arguments.clock:
        _, timings = out_of_context.measure(FileController(FREQUENCY * 1e6), seeds=SEEDS,
                                            frequency=FREQUENCY)
        for timing in timings:
            Console().print(f"seed {timing.seed}: {timing.fmax:.0f} MHz")
            for signal, time in timing.path:
                Console().print(f"  {time:5.2f} {signal}", markup=False, highlight=False)
        return
    show(areas(), "files.md" if arguments.markdown else None)


if __name__ == "__main__":
    main()
