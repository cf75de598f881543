"""What the memories of all lanes report is summed up of one operation, and stays after it."""

import random

from unit.bench import Bench

from sata_recorder.bricks.array.array_memory import ArrayMemory
from sata_recorder.interface.memory import MemoryFailure

LANES = 3
BENCH = Bench(ArrayMemory(LANES))
SUMS, HIGHEST = ("level", "waits", "lost"), ("high_water", "failure")


def shown(bench):
    return {name: bench.get(f"shown__{name}") for name in (*SUMS, *HIGHEST)}


async def reports(bench, rng, takes):
    """Random ones of all lanes; what is to be shown of those that take part."""
    lanes = [{**{name: rng.getrandbits(40) for name in (*SUMS, "high_water")}, "failure": rng.randrange(4)}
             for _ in range(LANES)]
    bench.set(takes=takes, **{f"lanes__{lane}__{name}": value for lane, report in enumerate(lanes)
                              for name, value in report.items()})
    those = [report for lane, report in enumerate(lanes) if takes >> lane & 1] or [dict.fromkeys(lanes[0], 0)]
    return {**{name: sum(one[name] for one in those) for name in SUMS},
            **{name: max(one[name] for one in those) for name in HIGHEST}}


async def operations(bench, seed):
    rng = random.Random(seed)
    nothing = dict.fromkeys((*SUMS, *HIGHEST), 0)
    for _ in range(20):
        bench.set(restart=1)
        await bench.tick()
        bench.set(restart=0)
        assert shown(bench) == nothing
        # What lanes report before it counts is of what they did before.
        await reports(bench, rng, 7)
        await bench.tick(rng.randint(0, 3 * LANES))
        assert shown(bench) == nothing
        wanted = await reports(bench, rng, rng.randrange(8))
        bench.set(counts=1)
        await bench.tick(4 * LANES + 2)
        assert shown(bench) == wanted
        bench.set(counts=0)
        await bench.tick()
        await reports(bench, rng, 7)
        await bench.tick(rng.randint(1, 5 * LANES))
        assert shown(bench) == wanted


def test_sums_of_an_operation(seed):
    BENCH.run(operations, seed)


def test_a_word_that_was_given_up_outweighs_what_else_failed():
    """Its count would be none otherwise."""
    assert MemoryFailure.GIVEN_UP == max(MemoryFailure)
