"""What FLUSH CACHE behind every so many commands costs a drive whose flush is known, and its share in
the ledger; and what WRITE DMA FUA EXT costs, if the drive had it: the time until the data of a
command are on the medium, and no more, which is a guess.

Every clock is simulated, which takes some minutes. `--markdown` writes the table into docs/recovery.md.
"""

import sys

from sata_drive_model.medium.profile import load

import tables
from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.measurement import Job, execute
from sata_recorder.simulation import Pattern
from sata_recorder.facts.units import SECTOR_WORDS

DRIVE = "vertex-plus"
#: Of a command, and of the recording.
COMMAND, SECTORS = 8192, 128 << 10
#: Commands behind which FLUSH CACHE comes; 0: none does.
COMMANDS = 0, 16, 4, 1
HEADER = ("FLUSH CACHE behind", "rate", "of the time in FLUSH CACHE", "at most not flushed")


def recorded(profile=load(DRIVE), **options):
    """The recording, and the share of its time in FLUSH CACHE."""
    job = Job(Configuration(clock_hz=75e6, max_command_sectors=COMMAND, **options), "record", 0, SECTORS,
              data=Pattern("random", 1, SECTOR_WORDS * SECTORS), profile=profile)
    measurement = execute(job)
    assert not measurement.problems, measurement.problems
    transfer, = measurement.transfers
    share = transfer.ledger.accounts["flush"] / transfer.ledger.total
    return f"{transfer.rate / 1e6:.1f} MB/s", f"{share:.1%}"


def rows():
    """The rows of the table."""
    for commands in COMMANDS:
        print(f"flush price: {commands} ...", file=sys.stderr, flush=True)
        yield (f"{commands} commands" if commands > 1 else "each command" if commands else "none",
               *recorded(flush_commands=commands),
               f"{commands * COMMAND >> 11} MiB" if commands else "the drive's cache")
    for offers in True, False:
        print(f"flush price: fua {offers} ...", file=sys.stderr, flush=True)
        yield (f"`fua`, the drive {'has it' if offers else 'does not have it'}",
               *recorded(load(DRIVE).model_copy(update={"fua": offers}), fua=True),
               "the command in flight")


if __name__ == "__main__":
    tables.main(__doc__, "recovery.md", "flush", HEADER, rows)
