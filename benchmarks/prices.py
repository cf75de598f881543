"""What options of a recording cost in rate: flushes, TRIM, looks, split physical sectors.

Every clock is simulated, which takes some minutes a table.
"""

from functools import partial

from sata_drive_model.medium.profile import load

from sata_recorder.facts.units import SECTOR_WORDS
from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.measurement import Job, LookPlan, RecordingPlan, execute, words_per_clock
from sata_recorder.simulation import ENDLESS, Pattern, Rate
from tables import Table, markdown

CLOCK_HZ = 75e6
#: us of a turn at 5,900 rpm: what the disk takes for a command that splits a physical sector is an
#: assumption, not a published figure. It reads that sector before it writes a part of it.
TURN = 60e6 / 5900
#: Sectors of the rings, and words of their buffer.
RING, BUFFER = 1 << 15, 1 << 15


def recorded(profile, sectors, options, lba=0, **job):
    """The measurement of a recording on a drive of this profile; ``options`` of the configuration."""
    words = ENDLESS if "recording" in job else SECTOR_WORDS * sectors
    measurement = execute(Job(Configuration(clock_hz=CLOCK_HZ, **options), "record", lba, sectors,
                              data=Pattern("random", 1, words), profile=profile, **job))
    assert not measurement.problems, measurement.problems
    return measurement


def megabytes(transfer):
    return f"{transfer.rate / 1e6:.1f} MB/s"


def milliseconds(clocks, digits=3):
    return f"{1e3 * clocks / CLOCK_HZ:.{digits}f}"


def alignment(name, command):
    """16 MiB in commands of this many sectors, from a physical sector and from a sector after its begin;
    with FLUSH CACHE after it: all of it is on the medium."""
    plain = load("st8000as0002")
    profile = plain.model_copy(update={"physical_sector": 4096, "write": plain.write.model_copy(
        update={"misaligned_us": TURN})})
    aligned, split = (recorded(
        profile, 16 << 11, {"max_command_sectors": command, "alignment": True}, lba, flush=True).transfers[0]
        for lba in (8, 9))
    return (name, megabytes(aligned), megabytes(split), f"{split.ledger.commands:,}",
            f"{aligned.counters['misaligned']:,}", f"{split.counters['misaligned']:,}")


def flush(name, options, unflushed, fua=False):
    """64 MiB in commands of 4 MiB, on a drive whose flush is known. A WRITE DMA FUA EXT takes the time
    until the data of the command are on the medium and no more, which is a guess."""
    transfer, = recorded(load("vertex-plus").model_copy(update={"fua": fua}), 128 << 10,
                         {"max_command_sectors": 8192, **options}).transfers
    share = transfer.ledger.accounts["flush"] / transfer.ledger.total
    return name, megabytes(transfer), f"{share:.1%}", unflushed


def trim(name, ahead, us):
    """A ring with TRIM this many sectors ahead, each of which takes ``us``: the published rates are those
    of a full drive and of one after TRIM, the times are guesses."""
    measurement = recorded(
        load("850-evo-m2"), RING, {"max_command_sectors": 2048, "extents": "modes", "trim_ahead": True,
                                   "buffer_words": BUFFER},
        recording=RecordingPlan("ring", stop_after=SECTOR_WORDS * (3 << 14), trim_ahead=ahead, trim_us=us))
    transfer, = measurement.transfers
    told = measurement.recording.trim
    share = told["clocks"] / transfer.ledger.total if told else 0
    return (name, f"{us / 1000:g} ms" if ahead else "-", megabytes(transfer), f"{share:.2%}",
            f"{milliseconds(transfer.counters['longest_stall'], 1)} ms", f"{1 - 2 * ahead / RING:.0%}")


def look(drive, rate, duration, every, room):
    """Looks at the latest 16 sectors of a ring, one every N words where there is room, during
    ``duration`` ms of the stream; and the same recording without them."""
    measurement = recorded(
        load(drive), RING, {"max_command_sectors": 2048, "extents": "modes", "look_sectors": 16,
                            "buffer_words": BUFFER},
        recording=RecordingPlan("ring", stop_after=int(rate / 4 * duration / 1000),
                                looks=LookPlan(16, every=every, room=room)),
        input_rate=Rate(*words_per_clock(rate, CLOCK_HZ).as_integer_ratio()), fifo_words=None)
    looks = measurement.recording.looks
    ends = looks["with"], looks["without"]
    return (drive, f"{rate / 1e6:g} MB/s", f"{room:,}", f"{looks['ready']:,} of {looks['asked']:,}",
            f"{milliseconds(looks['mean_clocks'])} ms" if looks["ready"] else "-",
            f"{milliseconds(looks['longest_wait'])} ms", " / ".join(f"{end['least_room']:,}" for end in ends),
            " / ".join(milliseconds(end["held_cycles"]) for end in ends) + " ms")


TABLES = (
    Table("what-limits.md", "alignment", (("4,096 KiB", 8192), ("1,024 KiB", 2048), ("256 KiB", 512)),
          alignment, partial(markdown, ("commands of", "aligned", "misaligned", "commands",
                                        "counted, aligned", "counted, misaligned"))),
    Table("recovery.md", "flush", (
        ("none", {}, "the drive's cache"), ("16 commands", {"flush_commands": 16}, "64 MiB"),
        ("4 commands", {"flush_commands": 4}, "16 MiB"), ("each command", {"flush_commands": 1}, "4 MiB"),
        ("`fua`, the drive has it", {"fua": True}, "the command in flight", True),
        ("`fua`, the drive does not have it", {"fua": True}, "the command in flight")),
        flush, partial(markdown, ("FLUSH CACHE after", "rate", "share of time in FLUSH CACHE",
                                  "not flushed, at most"))),
    Table("recording.md", "trim", (
        ("none", 0, 0), ("256", 256, 0), ("256", 256, 1000), ("2,048", 2048, 1000), ("8,192", 8192, 1000),
        ("8,192", 8192, 10_000)),
        trim, partial(markdown, ("`trim_ahead`", "a TRIM takes (a guess)", "rate", "share of time in TRIM",
                                 "longest stall", "part of the ring kept, at least"))),
    Table("recording.md", "look", (
        ("x25-e", 50e6, 100, 1 << 14, 1 << 12), ("x25-e", 100e6, 100, 1 << 14, 1 << 12),
        ("x25-e", 100e6, 100, 1 << 14, 1 << 14), ("x25-e", 250e6, 50, 1 << 14, 1 << 12),
        ("870-qvo", 50e6, 100, 1 << 14, 1 << 14), ("870-qvo", 250e6, 100, 1 << 14, 1 << 14),
        ("870-qvo", 250e6, 100, 1 << 14, 0), ("st8000as0002", 1e6, 300, 1 << 14, 1 << 14),
        ("st8000as0002", 50e6, 300, 1 << 16, 1 << 14)),
        look, partial(markdown, ("drive", "stream", "room required", "readbacks", "a readback takes",
                                 "waits, at most", "least room, with / without readbacks",
                                 "held up, with / without"))),
)
