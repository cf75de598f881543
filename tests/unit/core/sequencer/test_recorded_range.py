"""The range of what a recording has completed, against its smallest and largest sector in Python."""

import random

import pytest

from sata_recorder.core.sequencer.recorded_range import RecordedRange
from unit.bench import Bench

BENCH = Bench(RecordedRange())
#: Clocks after which the range is valid.
VALID = 3


@pytest.mark.parametrize("top", [100, 1 << 48])
def test_random(seed, top):
    """Each command ends anywhere in an extent that begins anywhere; now and then another recording begins."""
    async def script(bench):
        rng = random.Random(seed)
        first, end = top, 0
        for _ in range(300):
            new = rng.random() < 0.2
            bench.set(keep=not new)
            await bench.tick()
            bench.set(keep=1)
            first, end = (top, 0) if new else (first, end)
            origin = rng.randrange(top - 1)
            until = rng.randrange(origin + 1, top)
            first, end = min(first, origin), max(end, until)
            bench.set(origin=origin, end=until)
            await bench.pulse(completed=1)
            await bench.tick()
            bench.set(origin=rng.randrange(top), end=rng.randrange(top))
            await bench.tick(VALID - 1)
            assert (bench.get("lba"), bench.get("sectors")) == (first, end - first)
    BENCH.run(script)
