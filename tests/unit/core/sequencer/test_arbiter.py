"""Which interjection comes next: the order, how often, and what a recovery changes."""

import pytest
from amaranth.hdl import Module

from sata_recorder.core.sequencer.between import arbiter
from sata_recorder.core.sequencer.between.interjection import Interjection, OnFailure
from unit.bench import Bench


def kind(number, on_failure):
    """An interjection that is due while bit ``number`` of ``gap.room`` is 1, and is known by the LBA of its
    command."""
    class Due(Interjection):
        name = f"due{number}"

        @classmethod
        def exists(cls, configuration):
            return True

        def elaborate(self, platform):
            m = Module()
            m.d.comb += [self.due.eq(self.gap.room[number]), self.request.command.registers.lba.eq(number + 1)]
            return m

    Due.on_failure = on_failure
    return Due


#: Bits of ``gap.room``.
REPEATED, FIRST, SECOND = 1, 2, 4


@pytest.fixture
def between(monkeypatch):
    """A bench with one that is repeated, and two queries after it."""
    monkeypatch.setattr(arbiter, "TABLE", (
        kind(0, OnFailure.REPEATS), kind(1, OnFailure.GOES_ON), kind(2, OnFailure.GOES_ON)))
    return Bench(arbiter.Between(None))


async def due(bench, which):
    bench.set(gap__room=which)
    await bench.tick()
    return bench.get("wanted")


async def runs(bench):
    """Bit of the one that comes next, and whether it is repeated; its command ends."""
    assert bench.get("wanted")
    await bench.pulse(issue=1)
    bench.set(runs=1)
    await bench.tick(3)
    found = 1 << bench.get("request__command__registers__lba") - 1, bench.get("repeated")
    await bench.pulse(done=1)
    bench.set(runs=0)
    await bench.tick()
    return found


def test_each_once_in_their_order(between):
    """Between two data commands, however long a query stays due."""
    async def script(bench):
        bench.set(more=1)
        await bench.pulse(gap__begin=1)
        for _ in range(3):
            assert await due(bench, REPEATED | FIRST | SECOND)
            assert await runs(bench) == (REPEATED, 1)
            assert await due(bench, FIRST | SECOND)
            assert await runs(bench) == (FIRST, 0)
            assert await runs(bench) == (SECOND, 0)
            assert not await due(bench, FIRST | SECOND)
            await bench.pulse(gap__next=1)
            assert bench.get("wanted")
    between.run(script)


def test_a_later_one_lets_no_earlier_one_come(between):
    async def script(bench):
        bench.set(more=1)
        await bench.pulse(gap__begin=1)
        assert await due(bench, SECOND)
        assert await runs(bench) == (SECOND, 0)
        assert not await due(bench, FIRST | SECOND)
        # But what is repeated, and after that all have their turn again.
        assert await due(bench, REPEATED | FIRST)
        assert await runs(bench) == (REPEATED, 1)
        assert await due(bench, FIRST)
        assert await runs(bench) == (FIRST, 0)
    between.run(script)


def test_a_recovery_is_followed_by_what_failed(between):
    """By the data command, or by what is repeated: by no query."""
    async def script(bench):
        bench.set(more=1)
        await bench.pulse(gap__begin=1)
        await bench.pulse(gap__recovers=1)
        assert not await due(bench, FIRST | SECOND)
        assert await due(bench, REPEATED | FIRST)
        assert await runs(bench) == (REPEATED, 1)
        assert await due(bench, FIRST)
        await bench.pulse(gap__recovers=1)
        assert not bench.get("wanted")
        await bench.pulse(gap__next=1)
        assert bench.get("wanted")
    between.run(script)


def test_a_wait_gives_each_its_turn_again(between):
    async def script(bench):
        bench.set(more=1)
        await bench.pulse(gap__begin=1)
        assert await due(bench, FIRST)
        assert await runs(bench) == (FIRST, 0)
        assert not await due(bench, FIRST)
        await bench.pulse(waits=1)
        assert await due(bench, FIRST)
    between.run(script)


def test_no_query_after_the_last_data_command(between):
    async def script(bench):
        await bench.pulse(gap__begin=1)
        assert not await due(bench, FIRST | SECOND)
        assert await due(bench, REPEATED)
    between.run(script)
