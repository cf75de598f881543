"""What all lanes have done is summed up of one operation, however soon it follows another one."""

import pytest
from unit.bench import Bench

from sata_recorder.bricks.array.progress import ArrayProgress

LANES = 3
BENCH = Bench(ArrayProgress(LANES, skips=False))


async def two_operations(bench, gap, clocks):
    """One of 10 sectors that all lanes have done; ``clocks`` after its end begins one, of which no lane has done
    anything yet when what lanes show counts, ``gap`` clocks later. What that shows in two rounds."""
    bench.set(extent__first=0, extent__total=10, counts=1, settle=1, takes=1, share_length=10,
              report__sectors_done=10, joined=4)
    while not bench.get("settled"):
        await bench.tick()
    bench.set(counts=0, settle=0)
    await bench.tick(clocks)
    bench.set(restart=1)
    await bench.tick()
    bench.set(restart=0, extent__first=100, extent__total=20, share_length=20, report__sectors_done=0, joined=100)
    await bench.tick(gap)
    bench.set(counts=1)
    seen = set()
    for _ in range(100):
        await bench.tick()
        seen.add(bench.get("sectors_done"))
    return seen


@pytest.mark.parametrize("gap", [1, 20, 40, 60])
def test_round_is_of_one_operation(gap):
    for clocks in range(0, 45, 4):
        assert BENCH.run(two_operations, gap, clocks) == {0}, clocks
