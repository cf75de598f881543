"""Whether a drive is queried again that has not answered a query."""

import pytest

from sata_recorder.core.sequencer.between.may_query import MayQuery
from unit.bench import Bench

BENCH = Bench(MayQuery())


async def query(bench, *, answered=0, resets=0):
    """A query from its begin to its end; whether the drive may be queried again."""
    assert bench.get("may")
    bench.set(runs=1)
    await bench.tick(4)
    await bench.pulse(answered=answered, resets=resets)
    bench.set(runs=0)
    await bench.tick(3)
    return bench.get("may")


async def begin(bench):
    """An operation; whether the drive may be queried in it."""
    await bench.pulse(gap__begin=1)
    await bench.tick(2)
    return bench.get("may")


def test_a_drive_that_answers_is_queried_again():
    async def script(bench):
        assert await begin(bench)
        assert all([await query(bench, answered=1) for _ in range(3)])
    BENCH.run(script)


@pytest.mark.parametrize("event", ["brings_up", "renewed"])
@pytest.mark.parametrize("resets", [0, 1])
def test_a_drive_that_does_not_is_left_alone(event, resets):
    """Until the operation after a bring-up; where it had to be reset for the query, not after one of the same drive."""
    async def script(bench):
        assert await begin(bench)
        assert not await query(bench, resets=resets)
        assert not await begin(bench)
        await bench.pulse(**{f"gap__{event}": 1})
        # Not in this operation any more.
        await bench.tick(5)
        assert not bench.get("may")
        may = await begin(bench)
        assert may == (event == "renewed" or not resets)
        if not may:
            await bench.pulse(gap__renewed=1)
            assert await begin(bench)
        # What was before counts no longer.
        assert not await query(bench)
        assert not await begin(bench)
        await bench.pulse(gap__brings_up=1)
        assert await begin(bench)
    BENCH.run(script)


def test_a_bring_up_before_the_query_is_none_after_it():
    async def script(bench):
        await bench.pulse(gap__brings_up=1)
        assert await begin(bench)
        assert not await query(bench)
        assert not await begin(bench)
    BENCH.run(script)
