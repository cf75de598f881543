"""Each word of an extent has the lane of its sector, whatever sectors the lanes have."""

import random

import pytest
from unit.bench import Bench

from sata_recorder.bricks.array.word_router import WordRouter


async def routed(bench, at_lane, left, shares, beat=1):
    """The lanes of all words of an extent of which each lane has a share, in beats of so many, and where ``last``
    was."""
    holds = sum((share > 0) << lane for lane, share in enumerate(shares))
    beats = 128 // beat * sum(shares)
    bench.set(begin=1, division__lane=at_lane, division__left=left, division__holds=holds,
              division__total=sum(shares), moves=0)
    await bench.tick()
    bench.set(begin=0)
    seen, lasts = [], []
    following = 0
    for number in range(beats):
        assert not bench.get("over")
        bench.set(moves=1, next_left=shares[following])
        following = bench.get("following")
        seen += beat * [bench.get("lane")]
        if bench.get("last"):
            lasts.append(beat * number + beat - 1)
        await bench.tick()
    bench.set(moves=0)
    assert bench.get("over")
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


@pytest.mark.parametrize("lanes, beat", [(2, 1), (5, 4), (8, 2)])
def test_striped(lanes, beat):
    bench = Bench(WordRouter(lanes, chunk_shift=3, striped=True, words=beat))
    rng = random.Random(lanes)
    for _ in range(4):
        lba, sectors = rng.randrange(500), rng.randint(1, 12 * lanes)
        places = [sector // 8 % lanes for sector in range(lba, lba + sectors)]
        expected = [lane for lane in places for _ in range(128)]
        shares = [places.count(lane) for lane in range(lanes)]
        assert bench.run(routed, places[0], 8 - lba % 8, shares, beat) == (expected, [len(expected) - 1])
