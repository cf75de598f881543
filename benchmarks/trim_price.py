"""What TRIM ahead of a ring does to the rate of a drive that was full and never trimmed, and what it costs.

No profile says how long a drive takes for a TRIM: the times are guesses. The drive is simulated, from the
published rates of a full drive and behind TRIM. `--markdown` writes the table into docs/recording.md.
"""

import sys

from sata_drive_model.medium.profile import load

import tables
from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.measurement import Job, RecordingPlan, execute
from sata_recorder.simulation import ENDLESS, Pattern
from sata_recorder.facts.units import SECTOR_WORDS

DRIVE = "850-evo-m2"
#: Sectors of a command, of the ring, and of the recording.
COMMAND, RING, RECORDED = 2048, 1 << 15, 3 << 14
#: Sectors ahead, and microseconds that the drive takes for each TRIM.
TRIMS = (0, 0), (256, 0), (256, 1000), (2048, 1000), (8192, 1000), (8192, 10_000)
HEADER = ("`trim_ahead`", "a TRIM takes (a guess)", "rate", "of the time in TRIM", "longest standstill",
          "kept of the ring, at least")


def recorded(ahead, us):
    """The columns behind the first two."""
    configuration = Configuration(clock_hz=75e6, max_command_sectors=COMMAND, extents="modes",
                                  trim_ahead=True, buffer_words=32768)
    plan = RecordingPlan("ring", stop_after=SECTOR_WORDS * RECORDED, trim_ahead=ahead, trim_us=us)
    measurement = execute(Job(configuration, "record", 0, RING, data=Pattern("random", 1, ENDLESS),
                              profile=load(DRIVE), recording=plan))
    assert not measurement.problems, measurement.problems
    transfer, = measurement.transfers
    trim = measurement.recording.trim
    share = trim["clocks"] / transfer.ledger.total if trim else 0
    return (f"{transfer.rate / 1e6:.1f} MB/s", f"{share:.2%}",
            f"{1e3 * transfer.counters['longest_stall'] / configuration.clock_hz:.1f} ms",
            f"{1 - 2 * ahead / RING:.0%}")


def rows():
    """The rows of the table."""
    for ahead, us in TRIMS:
        print(f"trim price: {ahead} {us} ...", file=sys.stderr, flush=True)
        yield (f"{ahead:,}" if ahead else "none", f"{us / 1000:g} ms" if ahead else "-", *recorded(ahead, us))


if __name__ == "__main__":
    tables.main(__doc__, "recording.md", "trim", HEADER, rows)
