"""Two drives whose speed was published, qualified over the console: what comes out, beside it.

The station simulates each drive's profile, and the qualifier sees its console alone. Takes a quarter
of an hour of a processor core; `--markdown` rewrites the table of docs/qualify.md.
"""

import argparse
import sys
from pathlib import Path

import tables
from rich.console import Console
from rich.table import Table
from sata_recorder.pc.console.client import Client
from sata_recorder.pc.console.simulated import SimulatedBoard
from sata_recorder.board.qualification import block_times, profile_of, profile_text, qualify
from sata_recorder.facts.throughput import Host, sustained_rate

#: Sectors of a block in the published curves, and the link that they were measured with.
BLOCK, GENERATION = 65_536, 1
#: Drive: bytes of the long recording, and places on the drive.
DRIVES = {"hds721050cla362": (96 << 20, 5), "vertex-plus": (560_000_000, 0)}
HEADER = ("", "published", "qualified", "difference")


def qualified(name, progress):
    """What the qualifier finds of the drive of the profile ``name``, and the profile it makes."""
    size, places = DRIVES[name]
    board = SimulatedBoard(drive=name, generation=GENERATION, in_step=True)
    try:
        with Client(board.start(), timeout=600) as client:
            client.connect()
            found = qualify(client, sectors=size // 512, places=places, simulated=True,
                            progress=progress)
    finally:
        board.close()
    return found, profile_of(profile_text(found, name, "qualified"), name)


def row(label, published, found, unit):
    """One of the table: figures with their unit, and how far apart they are."""
    return (label, f"{published:g} {unit}", f"{found:.1f} {unit}",
            f"{100 * (found / published - 1):+.1f} %")


def hard_disk(found, profile):
    """The rows of the hard disk: both ends of its zones, and a block at its start."""
    write, read = profile.write.zones, profile.read.zones
    yield row("HDS721050CLA362, write, first sectors", 110, write[0][1], "MB/s")
    yield row("HDS721050CLA362, write, last sectors", 55, write[-1][1], "MB/s")
    yield row("HDS721050CLA362, read, first sectors", 130, read[0][1], "MB/s")
    yield row("HDS721050CLA362, read, last sectors", 65, read[-1][1], "MB/s")
    # The first block has the drive's RAM for itself.
    yield row("HDS721050CLA362, block of 32 MiB, start", 300,
              1e3 * block_times(found.written, 512 * BLOCK)[1], "ms")


def solid_state(found, profile):
    """The rows of the SSD: its two kinds of blocks, how often, and the price of a flush."""
    times = [1e3 * seconds for seconds in block_times(found.written, 512 * BLOCK)[1:]]
    fast = [ms for ms in times if ms < 400]
    slow = [ms for ms in times if ms >= 400]
    block = 1e3 * 512 * BLOCK / (1e6 * profile.write.mb_per_s)
    stall = profile.write.stalls[0]
    yield row("Vertex Plus, block of 32 MiB", 250, sorted(fast)[len(fast) // 2], "ms")
    yield row("Vertex Plus, slow block", 550, sorted(slow)[len(slow) // 2], "ms")
    yield row("Vertex Plus, blocks from one slow one to the next", 5,
              stall.every_bytes / (512 * BLOCK), "blocks")
    yield row("Vertex Plus, write, mean", 107, sustained_rate(Host(GENERATION), profile) / 1e6, "MB/s")
    yield row("Vertex Plus, block with FLUSH CACHE", 400, block + profile.write.flush_us / 1e3, "ms")
    read = profile.read.mb_per_s or found.link_rate / 1e6
    yield row("Vertex Plus, read (the link is the limit)", 140, read, "MB/s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--markdown", action="store_true",
                        help="also rewrite the table in docs/qualify.md")
    parser.add_argument("--profiles", type=Path, metavar="DIR", help="also keep the profiles there")
    arguments = parser.parse_args()
    rows = []
    for name, lines in ("hds721050cla362", hard_disk), ("vertex-plus", solid_state):
        steps = set()

        def progress(step, part):
            if step not in steps:
                steps.add(step)
                print(f"{name}: {step}", file=sys.stderr, flush=True)
        found, profile = qualified(name, progress)
        if arguments.profiles:
            (arguments.profiles / f"{name}.toml").write_text(profile_text(found, name, "qualified"))
        rows += lines(found, profile)
    table = Table()
    for column in HEADER:
        table.add_column(column, justify="right" if column else "left")
    for line in rows:
        table.add_row(*line)
    Console().print(table)
    if arguments.markdown:
        tables.replace("qualify.md", "published", tables.markdown(HEADER, rows))


if __name__ == "__main__":
    main()
