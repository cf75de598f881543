"""When something is due that comes after every so many write commands."""

import functools

import pytest

from sata_recorder.core.sequencer.between.every_commands import EveryCommands
from unit.bench import Bench


@functools.cache
def bench(commands):
    return Bench(EveryCommands(commands))


async def due_with(bench, **inputs):
    """Whether it is due in the clock with these ``inputs``."""
    bench.set(**inputs)
    due = bench.get("due")
    await bench.pulse(**inputs)
    return due


@pytest.mark.parametrize("commands", [1, 2, 3, 5])
def test_from_the_clock_of_the_last_command_until_it_comes(commands):
    async def script(bench):
        await bench.pulse(begin=1)
        for _ in range(3):
            for _ in range(commands - 1):
                assert not await due_with(bench, writing=1, written=1)
                await bench.tick(3)
                assert not bench.get("due")
            assert await due_with(bench, writing=1, written=1)
            # More of them, before it can come, change nothing.
            for _ in range(2 * commands):
                assert bench.get("due")
                await bench.pulse(writing=1, written=1)
            assert not await due_with(bench, restart=1, runs=1)
            assert not bench.get("due")
    bench(commands).run(script)


@pytest.mark.parametrize("at_start", [0, 1])
def test_before_the_first_command(at_start):
    """Only where it is to come there, and once in an operation."""
    async def script(bench):
        for _ in range(2):
            await bench.pulse(begin=1, at_start=at_start)
            await bench.tick(5)
            assert bench.get("due") == at_start
            assert not await due_with(bench, restart=1, runs=1)
            await bench.tick(5)
            assert not bench.get("due")
    bench(3).run(script)


def test_an_operation_counts_its_own_commands():
    async def script(bench):
        for before in (2, 3):
            await bench.pulse(begin=1)
            for _ in range(before):
                await bench.pulse(writing=1, written=1)
        assert bench.get("due")
        await bench.pulse(begin=1)
        assert [await due_with(bench, writing=1, written=1) for _ in range(3)] == [0, 0, 1]
    bench(3).run(script)


def test_a_command_that_fails_does_not_count():
    """While it is in flight it is as if it had succeeded: nothing comes before its end."""
    async def script(bench):
        await bench.pulse(begin=1)
        await bench.pulse(writing=1, written=1)
        assert await due_with(bench, writing=1)
        assert not await due_with(bench)
        assert await due_with(bench, writing=1, written=1)
        assert await due_with(bench)
    bench(2).run(script)
