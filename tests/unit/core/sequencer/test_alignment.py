"""The count of write commands that split a physical sector, against sums in Python."""

import random

import pytest

from sata_recorder.core.sequencer.alignment import AlignmentCounter
from unit.compiled_bench import CompiledBench

BENCH = CompiledBench(AlignmentCounter(width=4))


async def identify(bench, word106, word209):
    await bench.pulse(forget=1)
    for index in range(128):
        dword = random.Random(index).getrandbits(32)
        if index == 53:
            dword = dword & 0xFFFF0000 | word106
        if index == 104:
            dword = dword & 0xFFFF | word209 << 16
        await bench.pulse(payload__valid=1, payload__payload=dword)
    await bench.tick(3)


async def command(bench, lba, sectors):
    """A write command that succeeds; how much is counted for it."""
    before = bench.get("user__misaligned")
    bench.set(lba=lba, sectors=sectors)
    await bench.tick(2)
    await bench.pulse(completed=1)
    return bench.get("user__misaligned") - before


@pytest.mark.parametrize("word106, word209, found", [
    (0x6003, 0x4000, (8, 0)), (0x6003, 0x4001, (8, 1)), (0x6003, 0x4007, (8, 7)), (0x6007, 0x4000, (128, 0)),
    (0x6001, 0x4001, (2, 1)),
    # No physical sector of several logical ones, or words that do not count.
    (0x4003, 0x4001, (1, 0)), (0x2003, 0x4001, (1, 0)), (0xE003, 0x4001, (1, 0)), (0x0000, 0x0000, (1, 0)),
    (0x6000, 0x4000, (1, 0)), (0x6008, 0x4000, (1, 0)), (0x600F, 0x4000, (1, 0)),
    # Places that do not count, or are none.
    (0x6003, 0x0001, (8, 0)), (0x6003, 0xC001, (8, 0)), (0x6003, 0x8001, (8, 0)), (0x6003, 0x4008, (8, 0)),
    (0x6003, 0x6001, (8, 0)), (0x6003, 0x7FFF, (8, 0))])
def test_what_the_drive_says(word106, word209, found):
    async def script(bench):
        await bench.tick(3)
        assert (bench.get("user__sectors"), bench.get("user__offset")) == (1, 0)
        await identify(bench, word106, word209)
        assert (bench.get("user__sectors"), bench.get("user__offset")) == found
        await bench.pulse(forget=1)
        await bench.tick(3)
        assert (bench.get("user__sectors"), bench.get("user__offset")) == (1, 0)
    BENCH.run(script)


@pytest.mark.parametrize("sectors, offset", [(1, 0), (2, 1), (8, 0), (8, 3), (16, 15), (128, 77)])
def test_both_ends_count(sectors, offset):
    async def script(bench):
        await identify(bench, 0x6000 | sectors.bit_length() - 1, 0x4000 | offset)
        rng = random.Random(sectors)
        for _ in range(60):
            lba, count = rng.choice((rng.randrange(300), rng.getrandbits(47))), rng.randint(1, 65536)
            if rng.random() < 0.5:
                lba -= (lba + offset) % sectors if lba > sectors else 0
            if rng.random() < 0.5:
                count = -(-count // sectors) * sectors & 0x1FFFF
            splits = any((at + offset) % sectors for at in (lba, lba + count))
            assert await command(bench, lba, count) == splits, (lba, count)
            await bench.pulse(user__clear=1)
            assert bench.get("user__misaligned") == 0
    BENCH.run(script)


def test_of_a_drive_that_lies():
    async def script(bench):
        await identify(bench, 0x4000, 0x4003)
        assert await command(bench, 1, 7) == 0
        bench.set(user__override=8)
        await bench.tick(3)
        assert (bench.get("user__sectors"), bench.get("user__offset")) == (8, 3)
        assert [await command(bench, lba, 8) for lba in (0, 5, 8, 13)] == [1, 0, 1, 0]
        bench.set(user__override=2)
        await bench.tick(3)
        assert (bench.get("user__sectors"), bench.get("user__offset")) == (2, 0)
        assert [await command(bench, lba, 8) for lba in (0, 5)] == [0, 1]
        bench.set(user__override=0)
        await bench.tick(3)
        assert await command(bench, 1, 7) == 0
    BENCH.run(script)


def test_it_saturates():
    async def script(bench):
        await identify(bench, 0x6003, 0x4000)
        assert sum([await command(bench, 1, 8) for _ in range(20)]) == 15
        await bench.pulse(completed=1, user__clear=1)
        assert bench.get("user__misaligned") == 0
    BENCH.run(script)
