"""A readback, the stage alone, against a model in Python."""

import random

import pytest

from sata_recorder.interface.look import LookState
from sata_recorder.interface.recording import SegmentState
from sata_recorder.bricks.modes.look import Look
from unit.compiled_bench import CompiledBench

BENCH = CompiledBench(Look(sectors=16))
LONG = CompiledBench(Look(sectors=64, long_sectors=True))
IDLE, WAITS, READS, READY, GONE, FAILED, OUT_OF_RANGE = LookState
#: Clocks in which the stage has made out a span, in whatever lap it is.
SETTLED = 60
WORDS = 128


async def begun(bench, *, lba=1000, part=100, position=0, oldest=0, newest=0, **more):
    """A recording begins."""
    bench.set(lba=lba, part=part, position=position, runs=0, oldest=0, newest=0, first_sector=0,
              segment_state=SegmentState.BEFORE, **more)
    await bench.tick(4)
    bench.set(begin=1)
    await bench.tick()
    bench.set(begin=0, runs=1, oldest=oldest, newest=newest)
    await bench.tick(SETTLED)


async def asked(bench, sector, count, room=0):
    bench.set(user__start=1, user__sector=sector, user__count=count, user__room=room)
    await bench.tick()
    bench.set(user__start=0, user__sector=3, user__count=0, user__room=7)       # what counts was taken
    await bench.tick()


def state(bench):
    return LookState(bench.get("user__state"))


def span(bench):
    return (bench.get("port__span__payload__lba"), bench.get("port__span__payload__sectors")) \
        if bench.get("port__span__valid") else None


async def read(bench, words, fails=False):
    """What the span asks for is read: these words."""
    bench.set(port__span__ready=1)
    await bench.tick()
    bench.set(port__span__ready=0, port__reads=1)
    await bench.tick(3)
    assert state(bench) is READS and not bench.get("port__span__valid")
    for word in words:
        bench.set(port__data__valid=1, port__data__payload=word)
        await bench.tick()
    bench.set(port__data__valid=0, port__succeeded=not fails)
    await bench.tick()
    bench.set(port__succeeded=0, port__reads=0, port__failed=fails)
    await bench.tick()
    bench.set(port__failed=0)
    await bench.tick()


async def shown(bench, count):
    found = []
    for address in range(count):
        bench.set(user__address=address)
        await bench.tick(3)
        found.append(bench.get("user__data"))
    return found


async def any_course(bench, seed):
    """Looks of any sectors while a ring continues, one or more segments long; each span is where the model
    reports, each word where it was."""
    rng = random.Random(seed)
    part, lba = rng.randrange(4, 200), rng.randrange(1 << 40)
    position, first, base = rng.choice([0, rng.randrange(part)]), 0, lba
    await begun(bench, lba=lba, part=part, position=position)
    newest = oldest = 0
    found = []
    for _ in range(40):
        newest += rng.randrange(1, min(part, 60) + 1)
        if position == 0 and rng.random() < 0.1 and newest > first:     # another segment
            bench.set(segment_state=SegmentState.BETWEEN)
            await bench.tick(5)
            first, base = newest - rng.randrange(min(2, newest - first)), base + part
            bench.set(segment_state=SegmentState.BEFORE, first_sector=first)
        oldest = max(first, newest - part)
        bench.set(oldest=oldest, newest=newest)
        await bench.tick(rng.choice((SETTLED, SETTLED, rng.randrange(1, 20))))
        sector, count = max(0, rng.randrange(oldest - 3, newest + 2)), rng.randrange(1, 17)
        await asked(bench, sector, count)
        await bench.tick(SETTLED)
        there = oldest <= sector and sector + count <= newest
        assert state(bench) is (WAITS if there else GONE)
        if not there:
            continue
        assert bench.get("port__room") == 0
        words = [rng.getrandbits(32) for _ in range(WORDS * count)]
        place = (position + sector - first) % part
        left = min(part - place, count)
        assert span(bench) == (base + place, left)
        await read(bench, words[:WORDS * left])
        if left < count:
            assert state(bench) is WAITS
            await bench.tick(SETTLED)
            assert span(bench) == (base, count - left)
            await read(bench, words[WORDS * left:])
        assert state(bench) is READY
        several = rng.sample(range(len(words)), 5)
        for address in several:
            bench.set(user__address=address)
            await bench.tick(3)
            assert bench.get("user__data") == words[address]
        found.append(left < count)
    assert bench.get("user__looks") == len(found)
    return found


def test_any_course():
    found = [one for seed in range(12) for one in BENCH.run(any_course, seed)]
    assert len(found) > 100 and any(found)


async def judged(bench, sector, count, **begin):
    await begun(bench, oldest=40, newest=120, **begin)
    await asked(bench, sector, count)
    first = state(bench)
    await bench.tick(SETTLED)
    return first, state(bench)


@pytest.mark.parametrize("sector, count, wanted", [
    (40, 1, WAITS), (39, 1, GONE), (119, 1, WAITS), (119, 2, GONE), (120, 1, GONE), (104, 16, WAITS),
    (105, 16, GONE), ((1 << 48) - 1, 1, GONE), ((1 << 48) - 1, 16, GONE), (0, 16, GONE)])
def test_what_is_there(sector, count, wanted):
    assert BENCH.run(judged, sector, count) == (WAITS, wanted)


@pytest.mark.parametrize("bench, sector, count, more", [
    (BENCH, 50, 0, {}), (BENCH, 50, 17, {}), (BENCH, 50, 64, {}), (BENCH, 50, 127, {}),
    (LONG, 48, 65, {"long": 0}), (LONG, 49, 8, {"long": 1}), (LONG, 48, 9, {"long": 1}),
    (LONG, 48, 0, {"long": 1})])
def test_out_of_range(bench, sector, count, more):
    assert bench.run(judged, sector, count, **more) == (OUT_OF_RANGE, OUT_OF_RANGE)


async def drive_away(bench, sector, count):
    """The drive is lost after the begin of the recording."""
    await begun(bench, oldest=40, newest=120, long=1)
    bench.set(long=0)
    await bench.tick(5)
    await asked(bench, sector, count)
    return state(bench)


def test_a_drive_that_is_away_has_the_sectors_that_it_had():
    assert LONG.run(drive_away, 48, 9) == LONG.run(drive_away, 49, 8) == OUT_OF_RANGE
    assert LONG.run(drive_away, 48, 8) == WAITS


def test_logical_sectors():
    assert LONG.run(judged, 48, 64, long=1) == LONG.run(judged, 47, 63, long=0) == (WAITS, WAITS)


async def ends(bench, how, clocks):
    """What waits, this many clocks after the end of the recording, its stop, or the ring."""
    await begun(bench, oldest=40, newest=120)
    await asked(bench, 45, 4)
    await bench.tick(clocks)
    if how == "runs":
        bench.set(runs=0)
        await bench.tick()
        assert not bench.get("port__span__valid")
    elif how == "oldest":
        bench.set(oldest=46)
    else:
        bench.set(user__stop=1)
        await bench.tick()
        bench.set(user__stop=0)
    await bench.tick(SETTLED)
    assert not bench.get("port__span__valid")
    return state(bench)


@pytest.mark.parametrize("clocks", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30])
@pytest.mark.parametrize("how, wanted", [("runs", GONE), ("oldest", GONE), ("stop", IDLE)])
def test_what_waits_ends(how, wanted, clocks):
    assert BENCH.run(ends, how, clocks) is wanted


async def in_the_clock_in_which_it_begins(bench, pin):
    """``pin`` is high: the readback that begins is read."""
    await begun(bench, oldest=40, newest=120)
    await asked(bench, 45, 4)
    await bench.tick(SETTLED)
    bench.set(port__span__ready=1, user__sector=100, user__count=2, user__room=9, **{f"user__{pin}": 1})
    await bench.tick()
    bench.set(port__span__ready=0, port__reads=1, **{f"user__{pin}": 0})
    await bench.tick()
    found = [state(bench)]
    bench.set(port__succeeded=1)
    await bench.tick()
    bench.set(port__succeeded=0, port__reads=0)
    await bench.tick(SETTLED)
    return [*found, state(bench), span(bench), bench.get("user__looks")]


def test_stop_and_start_in_the_clock_in_which_a_look_begins():
    assert BENCH.run(in_the_clock_in_which_it_begins, "stop") == [READS, READY, None, 1]
    assert BENCH.run(in_the_clock_in_which_it_begins, "start") == [READS, WAITS, (1000, 2), 1]


async def asked_meanwhile(bench, pins, last, fails):
    """The state after a read in which ``pins`` come, ``last`` in its last clock."""
    await begun(bench, oldest=40, newest=120)
    await asked(bench, 95, 10)
    await bench.tick(SETTLED)
    bench.set(port__span__ready=1)
    await bench.tick()
    bench.set(port__span__ready=0, port__reads=1)
    await bench.tick(5)
    bench.set(user__sector=60, user__count=2, user__room=11)
    for pin in pins:
        bench.set(**{f"user__{pin}": 1})
        await bench.tick()
        bench.set(**{f"user__{pin}": 0})
    assert state(bench) is READS
    if fails:
        bench.set(port__reads=0, port__failed=1)
    else:
        bench.set(port__succeeded=1)
    if last:
        bench.set(**{f"user__{last}": 1})
    await bench.tick()
    bench.set(port__succeeded=0, port__reads=0, port__failed=0, user__start=0, user__stop=0)
    await bench.tick(SETTLED)
    return state(bench), span(bench), bench.get("port__room")


REST, OTHER = (WAITS, (1000, 5), 0), (WAITS, (1060, 2), 11)


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("pins, last, wanted", [
    ([], None, REST), (["start"], None, OTHER), ([], "start", OTHER), (["start", "stop"], None, IDLE),
    (["start"], "stop", IDLE), (["stop"], None, REST), ([], "stop", REST), (["stop", "start"], None, OTHER),
    (["start", "stop", "start"], None, OTHER), (["start", "stop"], "start", OTHER),
    (["start", "stop"], "stop", IDLE)])
def test_another_look_while_one_is_read(pins, last, wanted, fails):
    found = BENCH.run(asked_meanwhile, pins, last, fails)
    if wanted is REST and fails:
        assert found[:2] == (FAILED, None)
    elif wanted is IDLE:
        assert found[:2] == (IDLE, None)
    else:
        assert found == wanted


async def counted(bench):
    """``looks`` and ``look_clocks`` are those of a recording; words and state stay."""
    await begun(bench, oldest=40, newest=120)
    for fails in False, True, False:
        await asked(bench, 50, 1)
        await bench.tick(SETTLED)
        await read(bench, range(WORDS), fails)
    found = [bench.get("user__looks"), bench.get("user__clocks")]
    await begun(bench)
    return [*found, bench.get("user__looks"), bench.get("user__clocks"), state(bench), await shown(bench, 9)]


def test_what_is_counted():
    looks, clocks, *then = BENCH.run(counted)
    assert looks == 2 and clocks == 3 * (3 + WORDS + 1) and then == [0, 0, READY, [*range(9)]]
