"""The query of the drive's health: when it is due, its command, and what an answer means."""

import pytest

from sata_recorder.core.command import CommandResult, Protocol
from sata_recorder.core.sequencer.between.health import HealthQuery
from sata_recorder.interface.health import HealthVerdict
from unit.bench import Bench
from unit.core.sequencer.queries import begin, due_after, due_after_while, query, request

BENCH = Bench(HealthQuery(3))
UNKNOWN, GOOD, FAILING = HealthVerdict
#: LBA at the end of SMART RETURN STATUS; only bits 23:8 count.
ANSWERS = {GOOD: 0xA5C24F5A, FAILING: 0xA52CF45A}


async def answer(bench, verdict):
    await query(bench, final__lba=ANSWERS[verdict])
    assert HealthVerdict(bench.get("user__drive_health")) == verdict


def test_it_is_due_before_the_first_command_and_after_every_third():
    async def script(bench):
        assert not bench.get("due")
        await begin(bench)
        for after in (0, 3, 3):
            assert await due_after(bench) == after
            await answer(bench, GOOD)
            await bench.tick(9)
            assert not bench.get("due")
        await begin(bench)
        assert await due_after(bench) == 0
    BENCH.run(script)


def test_only_a_recording_is_asked_in():
    """What is written meanwhile does not count."""
    async def script(bench):
        assert await due_after_while(bench, lambda: answer(bench, GOOD), records=0) == 3
    BENCH.run(script)


def test_its_command():
    async def script(bench):
        assert request(bench) == (0xB0, 0xDA, 0xC24F00, 0, Protocol.NO_DATA, 0)
    BENCH.run(script)


def test_any_other_answer_is_none():
    async def script(bench):
        await begin(bench)
        for verdict in (GOOD, FAILING, GOOD):
            await answer(bench, verdict)
        await query(bench, final__lba=0xC24E << 8)
        assert HealthVerdict(bench.get("user__drive_health")) == UNKNOWN
        assert await due_after(bench) == 3, "it has answered"
    BENCH.run(script)


@pytest.mark.parametrize("before", ANSWERS)
@pytest.mark.parametrize("event", ["error", "other drive", "reset", "line"])
def test_what_a_verdict_survives(before, event):
    """A bad one the reset of a drive that is silent, a good one nothing."""
    async def script(bench):
        await begin(bench)
        await answer(bench, before)
        if event == "other drive":
            await bench.pulse(gap__other_drive=1)
        elif event == "reset":
            bench.set(runs=1)
            await bench.pulse(resets=1)
            bench.set(runs=0)
        else:
            await query(bench, CommandResult.DRIVE_ERROR if event == "error" else CommandResult.PROTOCOL)
        await bench.tick(2)
        stays = before == FAILING and event == "reset"
        assert HealthVerdict(bench.get("user__drive_health")) == (before if stays else UNKNOWN)
        assert await due_after(bench) == (3 if event == "other drive" else None)
    BENCH.run(script)


def test_a_recovery_gives_the_recording_its_turn():
    """After a query of another kind that has failed it comes no sooner than after one of its own."""
    async def script(bench):
        await begin(bench)
        await answer(bench, GOOD)
        for _ in range(2):
            await bench.pulse(gap__writing=1, gap__written=1)
        await bench.pulse(gap__query_failed=1)
        assert await due_after(bench) == 3
    BENCH.run(script)


def test_clocks_of_this_recording():
    async def script(bench):
        await begin(bench)
        for _ in range(2):
            await answer(bench, GOOD)
        clocks = bench.get("user__drive_health_clocks")
        assert clocks == 2 * 3
        # Another operation leaves them as they are.
        await bench.pulse(gap__begin=1)
        assert bench.get("user__drive_health_clocks") == clocks
        await begin(bench)
        assert bench.get("user__drive_health_clocks") == 0
    BENCH.run(script)
