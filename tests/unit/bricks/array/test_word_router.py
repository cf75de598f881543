"""Each word of an extent has the lane of its sector, whatever sectors the lanes have."""

import random

import pytest
from unit.bench import Bench

from sata_recorder.bricks.array.word_router import WordRouter


async def routed(bench, at_lane, left, shares):
    """The lanes of all words of an extent of which each lane has a share, and where ``last`` was."""
    holds = sum((share > 0) << lane for lane, share in enumerate(shares))
    words = [128 * share for share in shares]
    bench.set(begin=1, at_lane=at_lane, left=left, holds=holds, moves=0, ends=0)
    await bench.tick()
    bench.set(begin=0)
    seen, lasts = [], []
    for number in range(sum(words)):
        lane = bench.get("lane")
        words[lane] -= 1
        bench.set(moves=1, ends=words[lane] == 0, next_left=shares[bench.get("following")])
        seen.append(lane)
        if bench.get("last") and not words[lane]:
            lasts.append(number)
        await bench.tick()
    bench.set(moves=0)
    return seen, lasts


@pytest.mark.parametrize("lanes", [2, 3, 8])
def test_linear(lanes):
    """One lane after the other, past those that have none."""
    bench = Bench(WordRouter(lanes, chunk_shift=3, striped=False))
    rng = random.Random(lanes)
    for _ in range(6):
        shares = [rng.choice((0, 0, 1, 2)) for _ in range(lanes)]
        shares[rng.randrange(lanes)] = 1
        first = next(lane for lane, share in enumerate(shares) if share)
        expected = [lane for lane, share in enumerate(shares) for _ in range(128 * share)]
        assert bench.run(routed, first, shares[first], shares) == (expected, [len(expected) - 1])


@pytest.mark.parametrize("lanes", [2, 5, 8])
def test_striped(lanes):
    bench = Bench(WordRouter(lanes, chunk_shift=3, striped=True))
    rng = random.Random(lanes)
    for _ in range(4):
        lba, sectors = rng.randrange(500), rng.randint(1, 12 * lanes)
        places = [sector // 8 % lanes for sector in range(lba, lba + sectors)]
        expected = [lane for lane in places for _ in range(128)]
        shares = [places.count(lane) for lane in range(lanes)]
        assert bench.run(routed, places[0], 8 - lba % 8, shares) == (expected, [len(expected) - 1])
