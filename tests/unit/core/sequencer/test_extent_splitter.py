"""An extent as a chain of commands, against the same in Python."""

import functools
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.core.sequencer.extent_splitter import ExtentSplitter
from unit.bench import Bench

LARGEST = 2**48 - 1


@functools.cache
def bench(max_sectors):
    return Bench(ExtentSplitter(max_sectors=max_sectors))


def chain(lba, sectors, limit, shorten_at=None, shorten_to=0):
    """(lba, sectors) of each command; from the command ``shorten_at`` on it is shortened."""
    number = 0
    while sectors:
        length = min(sectors, limit)
        if shorten_at is not None and number >= shorten_at:
            length = min(length, shorten_to)
        if not length:
            return
        yield lba, length
        lba, sectors, number = lba + length, sectors - length, number + 1


async def run(bench, lba, sectors, *, lba48=1, capacity=LARGEST, shorten_at=None, shorten_to=0,
              most=20, gap=6):
    """Up to ``most`` commands: their (lba, sectors), whether that is all, and ``beyond``."""
    commands = []
    bench.set(lba48=lba48, capacity=capacity, shorten_to=shorten_to, shorten=shorten_at == 0)
    await bench.pulse(load=1, lba=lba, sectors=sectors)
    await bench.tick(2)
    beyond = bench.get("beyond")
    await bench.tick(2)
    while True:
        left = bench.get("next_sectors")
        assert bench.get("resume__no_more") == (left == 0)
        assert bench.get("resume__sectors_done") == sum(length for _, length in commands[:-1])
        if commands:
            await bench.pulse(completed=1)
            await bench.tick()
            assert bench.get("resume__sectors_done") == sum(length for _, length in commands)
        if not left or len(commands) == most:
            return commands, not left, beyond
        await bench.pulse(next=1)
        commands.append((bench.get("command_lba"), bench.get("command_sectors")))
        assert commands[-1][1] == left
        bench.set(shorten=shorten_at is not None and len(commands) >= shorten_at)
        await bench.tick(gap - 1)
        assert (bench.get("command_lba"), bench.get("command_sectors")) == commands[-1]


def check(max_sectors, lba, sectors, *, lba48=1, most=20, **options):
    limit = max_sectors if lba48 else min(max_sectors, 256)
    expected = []
    for command in chain(lba, sectors, limit, options.get("shorten_at"),
                         options.get("shorten_to", 0)):
        expected.append(command)
        if len(expected) > most:
            break
    commands, ends, _ = bench(max_sectors).run(run, lba, sectors, lba48=lba48, most=most, **options)
    assert (commands, ends) == (expected[:most], len(expected) <= most)


LIMITS = [1, 2, 3, 255, 256, 257, 1000, 65535, 65536]


@given(st.data(), st.sampled_from(LIMITS), st.booleans())
def test_chain(data, max_sectors, lba48):
    limit = max_sectors if lba48 else min(max_sectors, 256)
    sectors = data.draw(st.integers(0, 6 * limit) | st.sampled_from(
        [limit - 1, limit, limit + 1, 2 * limit]))
    lba = data.draw(st.integers(0, LARGEST - sectors))
    check(max_sectors, lba, sectors, lba48=lba48)


@given(st.integers(1, 3000), st.sampled_from(LIMITS), st.sampled_from([0, *LIMITS, 2**17 - 1]),
       st.booleans())
def test_limit_at_run_time(sectors, max_sectors, limit, lba48):
    """The smallest limit counts; 0 is none."""
    async def script(bench):
        bench.set(limit=limit)
        return await run(bench, 9, sectors, lba48=lba48, most=12)
    longest = min(max_sectors, limit or max_sectors, 65536 if lba48 else 256)
    expected = [*itertools.islice(chain(9, sectors, longest), 13)]
    commands, ends, _ = bench(max_sectors).run(script)
    assert (commands, ends) == (expected[:12], len(expected) <= 12)


@given(st.integers(1, LARGEST), st.data(), st.sampled_from(LIMITS))
def test_long_extents(sectors, data, max_sectors):
    """The first commands of extents up to the whole address space."""
    check(max_sectors, data.draw(st.integers(0, LARGEST - sectors)), sectors, most=4)


@given(st.integers(1, 40), st.integers(0, 8), st.integers(0, 30), st.sampled_from([1, 3, 256]))
def test_shortened(sectors, shorten_at, shorten_to, max_sectors):
    """From some command on: each is at most so long, and 0 ends the chain."""
    check(max_sectors, 77, sectors, shorten_at=shorten_at, shorten_to=shorten_to, most=9)


@pytest.mark.parametrize("max_sectors", [256, 65536])
def test_28_bits(max_sectors):
    """A drive without 48-bit commands gets no more than 256 sectors in one."""
    check(max_sectors, 2**28 - 700, 700, lba48=0)


@given(st.integers(0, LARGEST), st.integers(1, LARGEST),
       st.integers(0, LARGEST) | st.sampled_from([LARGEST]), st.integers(-2, 2))
def test_beyond(lba, sectors, capacity, near):
    """The end is compared exactly, though it may need 49 bits."""
    for size in {capacity, min(max(lba + sectors + near, 0), LARGEST)}:
        _, _, beyond = bench(65536).run(run, lba, sectors, capacity=size, most=0)
        assert beyond == (lba + sectors > size)


def test_end_that_wraps():
    for lba, sectors in [(LARGEST, LARGEST), (1, LARGEST), (2**47, 2**47)]:
        _, _, beyond = bench(65536).run(run, lba, sectors, most=0)
        assert beyond == (lba + sectors > LARGEST)


def test_last_sector_of_the_largest_drive():
    check(65536, LARGEST - 1, 1)
    check(65536, LARGEST - 65537, 65537)


def test_clear():
    """The command that has no extent shows zeros; the chain continues where it was."""
    async def script(bench):
        bench.set(lba48=1, capacity=LARGEST)
        await bench.pulse(load=1, lba=10, sectors=5)
        await bench.tick(4)
        await bench.pulse(next=1)
        await bench.tick(4)
        await bench.pulse(clear=1)
        shown = bench.get("command_lba"), bench.get("command_sectors")
        await bench.tick(4)
        await bench.pulse(next=1)
        return shown, bench.get("command_lba"), bench.get("command_sectors")
    assert bench(3).run(script) == ((0, 0), 13, 2)


def test_load_begins_anew():
    async def script(bench):
        first = await run(bench, 5, 4)
        return first, await run(bench, 100, 2)
    first, second = bench(3).run(script)
    assert first[0] == [(5, 3), (8, 1)] and second[0] == [(100, 2)]


@given(st.data())
def test_rewind(data):
    """Any part of any command is done again: the chain continues right after what is done."""
    limit = data.draw(st.sampled_from([1, 3, 256, 65536]))
    lba = data.draw(st.integers(0, 2**47))
    sectors = data.draw(st.integers(1, 5 * limit))

    async def script(bench):
        place, end, done, skipped = lba, lba + sectors, 0, 0
        bench.set(lba48=1, capacity=LARGEST, shorten=0, resume__skipped=0)
        await bench.pulse(load=1, lba=lba, sectors=sectors)
        for number in range(8):
            await bench.tick(6)
            assert bench.get("next_sectors") == min(limit, end - place)
            if place == end:
                return
            await bench.pulse(next=1)
            length = bench.get("command_sectors")
            assert bench.get("command_lba") == place
            await bench.tick(3)
            if number % 2 and data.draw(st.booleans()):
                await bench.pulse(completed=1)
                place, done = place + length, done + length
            else:
                passed = data.draw(st.integers(0, length))
                credit = data.draw(st.integers(0, passed))
                skipped += passed - credit
                bench.set(resume__skipped=skipped)
                await bench.pulse(resume__rewind=1, resume__rewind_to=passed,
                                  resume__again_sectors=length)
                place, done = place + passed, done + credit
                await bench.tick()
            await bench.tick()
            assert bench.get("resume__sectors_done") == done
    bench(limit).run(script)
