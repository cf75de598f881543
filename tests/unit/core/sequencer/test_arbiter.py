"""Which interjection comes next: the order, how often, and what a recovery changes."""

import pytest
from amaranth.hdl import Module

from sata_recorder.core.sequencer.between import arbiter
from sata_recorder.core.sequencer.between.interjection import Booked, Interjection, OnFailure, Silence
from unit.bench import Bench


def kind(number, **traits):
    """An interjection that is due while bit ``number`` of ``gap.room`` is 1, and is known by the LBA of its
    command; ``traits`` are the attributes that make it what it is."""
    class Due(Interjection):
        name = f"due{number}"

        @classmethod
        def exists(cls, configuration):
            return True

        def elaborate(self, platform):
            m = Module()
            m.d.comb += [self.due.eq(self.gap.room[number]), self.request.command.registers.lba.eq(number + 1)]
            return m

    for name, value in traits.items():
        setattr(Due, name, value)
    return Due


#: Bits of ``gap.room``.
REPEATED, FIRST, SECOND = 1, 2, 4


@pytest.fixture
def between(monkeypatch):
    """A bench with one that is repeated, and two queries after it: a FLUSH CACHE, what writes, and what does not."""
    monkeypatch.setattr(arbiter, "TABLE", (
        kind(0, on_failure=OnFailure.REPEATS, flushes_cache=True),
        kind(1, writes_cache=True, silence=Silence.COMMAND, booked=Booked.X_RDY), kind(2)))
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


@pytest.mark.parametrize("which, is_flush, is_patient, is_late", [
    (REPEATED, 1, 1, 0), (FIRST, 0, 0, 1), (SECOND, 0, 1, 0)])
def test_what_the_one_in_flight_is(between, which, is_flush, is_patient, is_late):
    """Whatever else becomes due meanwhile."""
    async def script(bench):
        bench.set(more=1)
        await bench.pulse(gap__begin=1)
        assert await due(bench, which)
        await bench.pulse(issue=1)
        bench.set(runs=1)
        await due(bench, REPEATED | FIRST | SECOND)
        assert [bench.get(name) for name in ("flushes", "patient", "booked_late")] == [is_flush, is_patient, is_late]
        assert bench.get("request__command__registers__lba") == which.bit_length()
    between.run(script)


def test_ahead_of_the_first_data_command(between):
    """What is in flight, and its recovery: not between two operations, and not after the first data command."""
    async def ahead(bench):
        found = [bench.get("ahead")]
        for name in ("runs", "gap__recovers"):
            bench.set(**{name: 1})
            found.append(bench.get("ahead"))
            bench.set(**{name: 0})
        await bench.tick()
        return found

    async def script(bench):
        bench.set(more=1)
        for _ in range(2):
            await bench.pulse(gap__begin=1)
            await bench.tick(3)
            for _ in range(2):
                assert await ahead(bench) == [0, 1, 1]
            for _ in range(2):
                await bench.pulse(gap__next=1)
                assert await ahead(bench) == [0, 0, 0]
    between.run(script)


def test_clean_after_a_flush_until_something_is_written(between):
    async def script(bench):
        async def clean(which):
            assert await due(bench, which)
            await runs(bench)
            return bench.get("clean")

        bench.set(more=1)
        await bench.pulse(gap__begin=1)
        assert not bench.get("clean")
        assert [await clean(which) for which in (SECOND, REPEATED, SECOND, REPEATED, FIRST, REPEATED)] == [
            0, 1, 1, 1, 0, 1]
        for event in ("gap__next", "gap__begin"):
            await bench.pulse(**{event: 1})
            assert not bench.get("clean")
            assert await clean(REPEATED)
    between.run(script)
