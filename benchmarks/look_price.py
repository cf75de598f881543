"""What looks at the latest sectors of a ring cost its stream, at some rates and on some drives.

Each row is recorded twice, with looks and without. The drives are simulated; their models have no times for
a read right behind writes. `--markdown` writes the table into docs/recording.md.
"""

import sys

from sata_drive_model.medium.profile import load

import tables
from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.measurement import Job, LookPlan, RecordingPlan, execute, words_per_clock
from sata_recorder.simulation import ENDLESS, Pattern, Rate
from sata_recorder.facts.units import SECTOR_WORDS

CLOCK_HZ = 75e6
#: Sectors of a command, of the ring, and of a look; words of the buffer.
COMMAND, RING, LOOK, BUFFER = 2048, 1 << 15, 16, 1 << 15
#: Drive, bytes a second, milliseconds of the stream that are recorded, words between two looks, room for one.
ROWS = (
    ("x25-e", 50e6, 100, 1 << 14, 1 << 12),
    ("x25-e", 100e6, 100, 1 << 14, 1 << 12),
    ("x25-e", 100e6, 100, 1 << 14, 1 << 14),
    ("x25-e", 250e6, 50, 1 << 14, 1 << 12),
    ("870-qvo", 50e6, 100, 1 << 14, 1 << 14),
    ("870-qvo", 250e6, 100, 1 << 14, 1 << 14),
    ("870-qvo", 250e6, 100, 1 << 14, 0),
    ("st8000as0002", 1e6, 300, 1 << 14, 1 << 14),
    ("st8000as0002", 50e6, 300, 1 << 16, 1 << 14),
)
HEADER = ("drive", "stream", "room asked for", "looks", "a look takes", "waits, at most",
          "least room, with / without looks", "held up, with / without")


def recorded(drive, rate, milliseconds, every, room):
    """The columns behind the first three."""
    configuration = Configuration(clock_hz=CLOCK_HZ, max_command_sectors=COMMAND, extents="modes",
                                  look_sectors=LOOK, buffer_words=BUFFER)
    words = int(rate / 4 * milliseconds / 1000)
    plan = RecordingPlan("ring", stop_after=words, looks=LookPlan(LOOK, every=every, room=room))
    measurement = execute(Job(
        configuration, "record", 0, RING, data=Pattern("random", 1, ENDLESS), profile=load(drive),
        recording=plan, input_rate=Rate(*words_per_clock(rate, CLOCK_HZ).as_integer_ratio()),
        fifo_words=None))
    assert not measurement.problems, measurement.problems
    looks = measurement.recording.looks
    ends = looks["with"], looks["without"]
    return (f"{looks['ready']:,} of {looks['asked']:,}",
            f"{1e3 * looks['mean_clocks'] / CLOCK_HZ:.3f} ms" if looks["ready"] else "-",
            f"{1e3 * looks['longest_wait'] / CLOCK_HZ:.3f} ms",
            " / ".join(f"{end['least_room']:,}" for end in ends),
            " / ".join(f"{1e3 * end['held_cycles'] / CLOCK_HZ:.3f}" for end in ends) + " ms")


def rows():
    """The rows of the table."""
    for drive, rate, milliseconds, every, room in ROWS:
        print(f"look price: {drive} {rate / 1e6:g} MB/s ...", file=sys.stderr, flush=True)
        yield (drive, f"{rate / 1e6:g} MB/s", f"{room:,}",
               *recorded(drive, rate, milliseconds, every, room))


if __name__ == "__main__":
    tables.main(__doc__, "recording.md", "look", HEADER, rows)
