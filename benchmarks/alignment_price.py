"""What recordings cost that split physical sectors, with the core's own count of such commands.

The drive is that of a profile, and reads a physical sector before it writes a part of it, which takes a
turn of the disk: that is an assumption, not a published figure. Every clock is simulated, which takes
some minutes. `--markdown` writes the table into docs/what-limits.md.
"""

import sys

from sata_drive_model.medium.profile import load

import tables
from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.measurement import Job, execute
from sata_recorder.simulation import Pattern
from sata_recorder.facts.units import SECTOR_WORDS

DRIVE = "st8000as0002"
#: Bytes of a physical sector, and us of a turn at 5,900 rpm.
PHYSICAL, TURN = 4096, 60e6 / 5900
#: Sectors of a command, and of the recording.
COMMANDS, SECTORS = (8192, 2048, 512), 16 << 11
#: Where it begins: with a physical sector, and a sector behind.
PLACES = 8, 9
HEADER = ("commands of", "aligned", "misaligned", "commands", "counted, aligned", "counted, misaligned")


def transfer(profile, command, lba):
    """The recording, with FLUSH CACHE behind it: all of it is on the medium."""
    job = Job(Configuration(clock_hz=75e6, max_command_sectors=command, alignment=True), "record", lba,
              SECTORS, data=Pattern("random", 1, SECTOR_WORDS * SECTORS), profile=profile, flush=True)
    measurement = execute(job)
    assert not measurement.problems, measurement.problems
    found, = measurement.transfers
    return found


def rows():
    """The rows of the table."""
    plain = load(DRIVE)
    profile = plain.model_copy(update={
        "physical_sector": PHYSICAL, "write": plain.write.model_copy(update={"misaligned_us": TURN})})
    for command in COMMANDS:
        print(f"alignment price: {command} ...", file=sys.stderr, flush=True)
        aligned, split = (transfer(profile, command, lba) for lba in PLACES)
        yield (f"{command // 2:,} KiB", f"{aligned.rate / 1e6:.1f} MB/s", f"{split.rate / 1e6:.1f} MB/s",
               f"{split.ledger.commands:,}", f"{aligned.counters['misaligned']:,}",
               f"{split.counters['misaligned']:,}")


if __name__ == "__main__":
    tables.main(__doc__, "what-limits.md", "alignment", HEADER, rows)
