"""Where the sectors of an array are, to the last one that 48 bits can name."""

import random

import pytest
from unit.bench import Bench

from sata_recorder.bricks.array.geometry import LinearJoin, LinearSplit, StripedJoin, StripedSplit

WIDEST = (1 << 48) - 1
SHAPES = [(2, 3), (3, 7), (5, 4), (7, 3), (7, 7), (8, 3), (8, 7)]


def places(striped, shift, sizes, lba, end):
    """The reference: (first, length) of each lane."""
    lanes, chunk = len(sizes), 1 << shift
    if striped:
        def below(sector, lane):
            row, part = divmod(sector, chunk * lanes)
            return row * chunk + min(max(part - lane * chunk, 0), chunk)
        return [(below(lba, lane), below(end, lane) - below(lba, lane)) for lane in range(lanes)]
    found = []
    for size in sizes:
        first = min(lba, size)
        found.append((first, min(end, size) - first))
        lba, end = max(lba - size, 0), max(end - size, 0)
    return found


def extents(rng, capacity):
    for _ in range(12):
        sectors = min(capacity, rng.choice((1, 7, 8, 9, 200, rng.randint(1, capacity))))
        lba = rng.choice((0, capacity - sectors, rng.randint(0, capacity - sectors)))
        yield lba, lba + sectors


def sizes_of(rng, striped, lanes, shift):
    """Sizes in whole chunks: as many as there can be, or few; of linear ones some are 0."""
    most = (WIDEST // lanes >> shift) << shift
    if striped:
        return [rng.choice((most, 1 << shift, 40 << shift))] * lanes
    return [rng.choice((0, 1 << shift, 40 << shift, most)) for _ in range(lanes - 1)] + [most]


def bench_of(component, lanes):
    """Its sizes are inputs with names."""
    for lane in range(lanes):
        setattr(component, f"size{lane}", component.sizes[lane])
    return Bench(component)


async def split(bench, lanes, sizes, lba, end):
    bench.set(**{f"size{lane}": size for lane, size in enumerate(sizes)})
    bench.set(begin=1, lba=lba, end=end, lane=0, advance=0)
    await bench.tick()
    bench.set(begin=0)
    await bench.tick()
    while not bench.get("valid"):
        await bench.tick()
    found = []
    for lane in range(lanes):
        for _ in range(4):
            await bench.tick()
        found.append((bench.get("first"), bench.get("length")))
        bench.set(advance=1)
        await bench.tick()
        bench.set(advance=0, lane=min(lane + 1, lanes - 1))
    return found, bench.get("at_lane"), bench.get("left")


async def joined(bench, sizes, wanted):
    bench.set(**{f"size{lane}": size for lane, size in enumerate(sizes)})
    for _ in range(len(sizes)):
        await bench.tick()
    found = []
    for lane, own in wanted:
        bench.set(lane=lane, own=own)
        for _ in range(3):
            await bench.tick()
        found.append(bench.get("sector"))
    return found


@pytest.mark.sample(3)
@pytest.mark.parametrize("lanes, shift", SHAPES)
@pytest.mark.parametrize("striped", [True, False])
def test_split_and_join(striped, lanes, shift):
    """What the lanes have of an extent, and back."""
    split_bench = bench_of((StripedSplit if striped else LinearSplit)(lanes, chunk_shift=shift), lanes)
    join_bench = bench_of((StripedJoin if striped else LinearJoin)(lanes, chunk_shift=shift), lanes)
    rng = random.Random(lanes << shift)
    for _ in range(3):
        sizes = sizes_of(rng, striped, lanes, shift)
        for lba, end in extents(rng, sum(sizes)):
            expected = places(striped, shift, sizes, lba, end)
            found, at_lane, left = split_bench.run(split, lanes, sizes, lba, end)
            assert [length for _, length in found] == [length for _, length in expected]
            held = [(lane, first, length) for lane, (first, length) in enumerate(found) if length]
            assert held == [(lane, first, length) for lane, (first, length) in enumerate(expected) if length]
            backs = join_bench.run(joined, sizes, [(lane, first) for lane, first, _ in held])
            assert min(backs) == lba and held[backs.index(lba)][0] == at_lane
            lasts = join_bench.run(joined, sizes, [(lane, first + length - 1) for lane, first, length in held])
            assert max(lasts) == end - 1
            if striped:
                assert left == (1 << shift) - lba % (1 << shift)
