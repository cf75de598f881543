"""How many words are refused at random boundaries of extents though the buffer has room for them.

    .venv/bin/python benchmarks/boundaries.py [BOUNDARIES]

The whole core and the drive model, compiled. The source offers a word in each clock, and the drive
takes all that the link carries, so the buffer is full. A probe in the recorder counts the clocks in
which a word is refused though there is room; each write is compared word by word as it comes.
"""

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from integration.benches import CoreBench  # noqa: E402
from integration.boundaries import CORE, WriteLog, check_writes, extents, go_on, probed  # noqa: E402
from integration.modes import Numbers  # noqa: E402

import sata_drive_model as model  # noqa: E402
from sata_recorder.simulation import Compiled, drive_port  # noqa: E402
from sata_recorder.facts.units import CEILINGS, SECTOR_BYTES, SECTOR_WORDS  # noqa: E402

_GENERATION = 2
_HZ = 75e6


def measured(boundaries, ahead):
    """(sectors, outputs) of a recording over this many boundaries."""
    first, *others = spans = extents(random.Random(f"boundaries {ahead}"), boundaries + 1)
    total = sum(sectors for _, sectors in spans)
    image = WriteLog()
    port = drive_port(model.Drive(image, behaviour=model.Behaviour()), model=model,
                      generation=_GENERATION, line_rate=(1, 1))
    with Compiled(CORE, port, path=probed(CORE)) as engine:
        bench = CoreBench(engine, port, generation=_GENERATION, limit=2_000_000)
        bench.bring_up()
        source = Numbers()
        source.words = SECTOR_WORDS * total
        engine.source(source)
        outputs = go_on(bench, first, others, ahead=ahead)
        check_writes(image, spans)
        if bench.violations() or bench.disagreements():
            raise SystemExit("boundaries: the drive model disagrees with the core")
        return total, outputs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("boundaries", nargs="?", type=int, default=10_000, metavar="BOUNDARIES")
    count = parser.parse_args().boundaries
    if count < 1:
        parser.error("BOUNDARIES must be at least 1")
    for ahead in (0, 65536):
        sectors, outputs = measured(count, ahead)
        rate = SECTOR_BYTES * sectors / (outputs["clocks"] / _HZ)
        print(f"queue_ahead {ahead}: {count:,} boundaries, {SECTOR_WORDS * sectors:,} words, all at "
              f"their place")
        print(f"  refused with room in the buffer: {outputs['dropped']:,} words")
        print(f"  most words in the buffer: {outputs['high_water']:,} of {CORE.buffer_words:,}; a "
              f"word waited for room in {outputs['held_cycles']:,} of {outputs['clocks']:,} clocks")
        print(f"  {rate / 1e6:.2f} MB/s, {100 * rate / CEILINGS[_GENERATION]:.2f} % of the link's "
              f"{CEILINGS[_GENERATION] / 1e6:.2f} MB/s, in commands of at most "
              f"{CORE.max_command_sectors} sectors")


if __name__ == "__main__":
    main()
