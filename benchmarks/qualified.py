"""Drives whose speed was published, as the qualifier finds them over the console: beside what was published.

The station simulates each drive's profile, which was made of the published figures, and the qualifier
sees its console alone: so this tests the drive model and the qualifier, not the drives.
"""

from contextlib import contextmanager
from functools import partial

from sata_recorder.pc.console.client import Client
from sata_recorder.pc.console.simulated import SimulatedBoard
from sata_recorder.board.qualification import block_times, profile_of, profile_text, qualify
from sata_recorder.board.qualification.operations import Operations
from sata_recorder.board.qualification.trim import TrimTrial
from sata_recorder.facts.throughput import Host, sustained_rate
from tables import Table, markdown

#: Sectors of a block in the published curves, and the link that they were measured with.
BLOCK, GENERATION = 65_536, 1
#: Of the trial of TRIM.
TRIAL_SECTORS = 32 << 11


@contextmanager
def client(name, **options):
    """A client of a board with the drive of the profile ``name``."""
    board = SimulatedBoard(drive=name, **options)
    try:
        with Client(board.start(), timeout=600) as connected:
            connected.connect()
            yield connected
    finally:
        board.close()


def published(name, size, places, lines):
    """The rows of a drive, of ``size`` bytes as the long recording, and of this many places: ``lines`` of
    the qualifier's result and of the profile that it makes."""
    with client(name, generation=GENERATION, in_step=True) as connected:
        found = qualify(connected, sectors=size // 512, places=places, simulated=True)
    return [(label, f"{told:g} {unit}", f"{figure:.1f} {unit}", f"{100 * (figure / told - 1):+.1f} %")
            for label, told, figure, unit in lines(found, profile_of(profile_text(found, name, "qualified"), name))]


def hard_disk(found, profile):
    """Both ends of its zones, and a block at its start: label, published, qualified, unit."""
    write, read = profile.write.zones, profile.read.zones
    yield "HDS721050CLA362, write, first sectors", 110, write[0][1], "MB/s"
    yield "HDS721050CLA362, write, last sectors", 55, write[-1][1], "MB/s"
    yield "HDS721050CLA362, read, first sectors", 130, read[0][1], "MB/s"
    yield "HDS721050CLA362, read, last sectors", 65, read[-1][1], "MB/s"
    # The first block has the drive's RAM for itself.
    yield "HDS721050CLA362, block of 32 MiB, start", 300, 1e3 * block_times(found.written, 512 * BLOCK)[1], "ms"


def solid_state(found, profile):
    """Its two kinds of blocks, how often, and the price of a flush."""
    times = [1e3 * seconds for seconds in block_times(found.written, 512 * BLOCK)[1:]]
    fast = [ms for ms in times if ms < 400]
    slow = [ms for ms in times if ms >= 400]
    block = 1e3 * 512 * BLOCK / (1e6 * profile.write.mb_per_s)
    yield "Vertex Plus, block of 32 MiB", 250, sorted(fast)[len(fast) // 2], "ms"
    yield "Vertex Plus, slow block", 550, sorted(slow)[len(slow) // 2], "ms"
    yield ("Vertex Plus, blocks from one slow one to the next", 5,
           profile.write.stalls[0].every_bytes / (512 * BLOCK), "blocks")
    yield "Vertex Plus, write, mean", 107, sustained_rate(Host(GENERATION), profile) / 1e6, "MB/s"
    yield "Vertex Plus, block with FLUSH CACHE", 400, block + profile.write.flush_us / 1e3, "ms"
    yield ("Vertex Plus, read (the link is the limit)", 140,
           profile.read.mb_per_s or found.link_rate / 1e6, "MB/s")


def trim(name, full, trimmed):
    """What TRIM does to a drive that was full: the published rates in MB/s, and those of a trial."""
    with client(name, generation=3, offers=("commands",)) as connected:
        found = TrimTrial(Operations(connected, None), 0, TRIAL_SECTORS).run(lambda name, part: None)
    return (name, f"{full:.1f} MB/s", f"{found.before / 1e6:.1f} MB/s", f"{trimmed:.1f} MB/s",
            f"{found.after / 1e6:.1f} MB/s")


TABLES = (
    Table("qualify.md", "published", (
        ("hds721050cla362", 96 << 20, 5, hard_disk), ("vertex-plus", 560_000_000, 0, solid_state)),
        published, lambda drives: markdown(("", "published", "qualified", "difference"), sum(drives, []))),
    Table("qualify.md", "trim", (("850-evo-m2", 23.9, 295.0), ("850-evo-msata", 18.4, 225.7)),
          trim, partial(markdown, ("", "full, published", "full, qualified", "after TRIM, published",
                                   "after TRIM, qualified"))),
)
