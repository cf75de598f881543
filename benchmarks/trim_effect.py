"""What TRIM does to the rate of drives that were full: published, and as the qualifier finds it.

The drives are simulated: their profiles were made of the published figures, so this tests the drive
model and the qualifier, not the drives. `--markdown` writes the table into docs/qualify.md.
"""

import sys

import tables
from sata_recorder.pc.console.client import Client
from sata_recorder.pc.console.simulated import SimulatedBoard
from sata_recorder.board.qualification.operations import Operations
from sata_recorder.board.qualification.trim import TrimTrial

#: Of the trial.
SECTORS = 32 << 11
#: Profile, and the rates that its source has in MB/s: dirty, behind TRIM.
PUBLISHED = {"850-evo-m2": (23.9, 295.0), "850-evo-msata": (18.4, 225.7)}
HEADER = ("", "full, published", "full, qualified", "behind TRIM, published", "behind TRIM, qualified")


def trial(name):
    """The `TrimEffect` on the simulated drive ``name``, over a link of generation 3."""
    board = SimulatedBoard(drive=name, generation=3, commands=True)
    try:
        with Client(board.start(), timeout=600) as client:
            client.connect()
            return TrimTrial(Operations(client, None), 0, SECTORS).run(lambda name, part: None)
    finally:
        board.close()


def rows():
    """The rows of the table."""
    for name, (full, trimmed) in PUBLISHED.items():
        print(f"trim: {name} ...", file=sys.stderr, flush=True)
        found = trial(name)
        yield (name, f"{full:.1f} MB/s", f"{found.before / 1e6:.1f} MB/s", f"{trimmed:.1f} MB/s",
               f"{found.behind / 1e6:.1f} MB/s")


if __name__ == "__main__":
    tables.main(__doc__, "qualify.md", "trim", HEADER, rows)
