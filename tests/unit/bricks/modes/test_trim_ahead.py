"""TRIM ahead of a ring, the stage alone, against a model in Python."""

import random

import pytest

from sata_recorder.bricks.modes.trim_ahead import RingTrim
from sata_recorder.interface.trim import TrimState
from unit.compiled_bench import CompiledBench

BENCH = CompiledBench(RingTrim())
LONG = CompiledBench(RingTrim(long_sectors=True))
#: Clocks in which the stage has made out a span, in whatever lap it is.
SETTLED = 60


async def begun(bench, *, lba=1000, sectors=100, position=0, ahead=10, ring=1, long=None):
    """A recording begins."""
    bench.set(lba=lba, sectors=sectors, position=position, ring=ring, runs=0, begun=0, user__ahead=ahead,
              port__known=1, port__offered=1, **({} if long is None else {"long": long}))
    bench.set(take=1)
    await bench.tick()
    bench.set(take=0, user__ahead=7)        # what counts was taken
    await bench.tick(8)
    bench.set(begin=1)
    await bench.tick()
    bench.set(begin=0, runs=1)


async def any_course(bench, seed):
    """Commands of any length, some of which fail and begin again; TRIM in any clock that the core may
    choose. No sector is in a TRIM that a command has been begun for, or twice in a lap."""
    rng = random.Random(seed)
    sectors = rng.randrange(4, 200)
    position, lba, asked = rng.randrange(sectors), rng.randrange(1 << 40), rng.randrange(1, 80)
    ahead = min(asked, sectors // 4)
    await begun(bench, lba=lba, sectors=sectors, position=position, ahead=asked)
    now = reached = trims = 0
    for _ in range(60):
        before, now = now, now + rng.randrange(1, min(sectors, 70) + 1)
        bench.set(begun=now)
        await bench.tick()
        if rng.random() < 0.2:              # it fails, and is tried again in a while
            await bench.tick(20)
            bench.set(begun=before)
            await bench.tick(12)
            bench.set(begun=now)
            await bench.tick()
        await bench.tick()
        assert not bench.get("port__span__valid")       # what it was is withdrawn
        await bench.tick(rng.choice((SETTLED, SETTLED, rng.randrange(20, SETTLED))))
        if bench.get("port__span__valid") and rng.random() < 0.8:
            place, count = (bench.get(f"port__span__payload__{name}") for name in ("lba", "sectors"))
            front, goal = max(now, reached), now + 2 * ahead
            assert goal - front > ahead
            assert place == lba + (position + front) % sectors
            assert count == min(goal - front, sectors - (position + front) % sectors)
            bench.set(port__span__ready=1)
            await bench.tick()
            bench.set(port__span__ready=0)
            reached, trims = front + count, trims + 1
            assert bench.get("reached") == reached and not bench.get("port__span__valid")
    await bench.tick(SETTLED)
    assert bench.get("port__span__valid") == (now + 2 * ahead - max(now, reached) > ahead)
    return trims


@pytest.mark.parametrize("seed", range(30))
def test_any_course(seed):
    assert BENCH.run(any_course, seed) > 5


async def told(bench, *, ring, ahead, sectors, long=None):
    await begun(bench, ring=ring, ahead=ahead, sectors=sectors, long=long)
    await bench.tick(SETTLED)
    return (TrimState(bench.get("user__state")), bench.get("port__span__valid"),
            bench.get("port__span__payload__sectors"))


@pytest.mark.parametrize("fields, wanted", [
    ({"ring": 1, "ahead": 10, "sectors": 100}, 20), ({"ring": 1, "ahead": 26, "sectors": 100}, 50),
    ({"ring": 1, "ahead": 1, "sectors": 4}, 2), ({"ring": 1, "ahead": 1, "sectors": 3}, 0),
    ({"ring": 1, "ahead": 0, "sectors": 100}, 0), ({"ring": 0, "ahead": 10, "sectors": 100}, 0),
    ({"ring": 1, "ahead": (1 << 20) - 1, "sectors": 1 << 30}, (1 << 21) - 2)])
def test_what_counts(fields, wanted):
    state, valid, sectors = BENCH.run(told, **fields)
    assert (state, valid) == ((TrimState.ON, 1) if wanted else (TrimState.OFF, 0))
    assert not wanted or sectors == wanted


@pytest.mark.parametrize("ahead, short, long", [(7, 14, 0), (8, 16, 16), (20, 40, 32)])
def test_whole_logical_sectors(ahead, short, long):
    for is_long, wanted in enumerate((short, long)):
        state, valid, sectors = LONG.run(told, ring=1, ahead=ahead, sectors=800, long=is_long)
        assert valid == (wanted > 0) and (not wanted or sectors == wanted)


async def counts(bench):
    """What is told while a TRIM is in flight, after a failure, and of the next recording."""
    await begun(bench)
    await bench.tick(SETTLED)
    bench.set(port__span__ready=1)
    await bench.tick()
    bench.set(port__span__ready=0, port__trims=1)
    await bench.tick(30)
    bench.set(port__succeeded=1)
    await bench.tick()
    bench.set(port__succeeded=0, port__trims=0, port__given_up=1)
    await bench.tick(3)
    found = [bench.get(f"user__{name}") for name in ("state", "sectors", "clocks")]
    bench.set(runs=0, port__offered=0, port__given_up=0)
    await bench.tick(3)
    assert [bench.get(f"user__{name}") for name in ("state", "sectors", "clocks")] == found
    await begun(bench)
    bench.set(port__offered=0)
    await bench.tick(3)
    return found, [bench.get(f"user__{name}") for name in ("state", "sectors", "clocks", )]


def test_what_is_told():
    assert BENCH.run(counts) == ([TrimState.GIVEN_UP, 20, 31], [TrimState.NOT_OFFERED, 0, 0])


async def unknown(bench):
    """The state where the drive is not known from the begin on, is, has no TRIM, and is not known again."""
    await begun(bench)
    found = []
    for known, offered in (0, 0), (0, 1), (1, 1), (0, 0), (1, 0), (0, 1), (0, 0):
        bench.set(port__known=known, port__offered=offered)
        if not found:
            await begun_without_a_drive(bench)
        await bench.tick(3)
        found.append(TrimState(bench.get("user__state")))
    bench.set(port__given_up=1)
    await bench.tick(3)
    return [*found, TrimState(bench.get("user__state"))]


async def begun_without_a_drive(bench):
    bench.set(begin=1)
    await bench.tick()
    bench.set(begin=0)


def test_what_is_not_known_changes_no_state():
    assert BENCH.run(unknown) == [
        TrimState.OFF, TrimState.OFF, TrimState.ON, TrimState.ON, TrimState.NOT_OFFERED,
        TrimState.NOT_OFFERED, TrimState.NOT_OFFERED, TrimState.GIVEN_UP]


async def another(bench):
    """How far TRIM has reached in a recording, after it, and after the begin of another operation."""
    await begun(bench)
    await bench.tick(SETTLED)
    bench.set(port__span__ready=1)
    await bench.tick()
    bench.set(port__span__ready=0)
    found = [bench.get("reached")]
    bench.set(runs=0)
    await bench.tick(20)
    found.append(bench.get("reached"))
    bench.set(other=1)
    await bench.tick()
    bench.set(other=0)
    return [*found, bench.get("reached")]


def test_how_far_it_has_reached_is_of_the_recording():
    assert BENCH.run(another) == [20, 20, 0]
