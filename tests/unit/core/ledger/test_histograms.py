"""The histograms against counts in Python."""

import random

import pytest

from sata_recorder.facts.units import BINS
from sata_recorder.interface.histogram import LEAST_STALL, HistogramKind
from sata_recorder.core.ledger.histograms import BinFinder, Histograms
from unit.bench import Bench
from unit.compiled_bench import CompiledBench

FINDER = Bench(BinFinder(width=32))
BENCH = CompiledBench(Histograms())
NARROW = CompiledBench(Histograms(time_width=9, count_width=2))
#: Clocks until all that has ended is in the memory.
SETTLED = 110


def bin_of(clocks):
    return min(BINS - 1, max(0, clocks.bit_length() - 1))


async def found_bins(bench, numbers):
    found = []
    for number in numbers:
        bench.set(take=1, clocks=number)
        await bench.tick()
        bench.set(take=0, clocks=0)
        for _ in range(32):
            if bench.get("valid"):
                break
            await bench.tick()
        assert bench.get("valid")
        found.append(bench.get("bin"))
        bench.set(ready=1)
        await bench.tick()
        bench.set(ready=0)
        assert not bench.get("valid")
    return found


def test_bin_is_the_logarithm():
    numbers = [0, *(number for n in range(32) for number in (1 << n, (2 << n) - 1))]
    assert FINDER.run(found_bins, numbers) == [bin_of(number) for number in numbers]


def test_a_time_that_is_cleared_is_forgotten():
    async def script(bench):
        for before in 0, 1, 5:
            bench.set(take=1, clocks=1000)
            await bench.tick()
            bench.set(take=0)
            await bench.tick(before)
            bench.set(clear=1)
            await bench.tick()
            bench.set(clear=0)
            for _ in range(40):
                assert not bench.get("valid")
                await bench.tick()
    FINDER.run(script)


async def read(bench):
    """{kind: its bins}."""
    await bench.tick(SETTLED)
    found = []
    for address in range(2 * BINS + 2):
        bench.set(user__address=address % (2 * BINS))
        if address >= 2:
            found.append(bench.get("user__data"))
        await bench.tick()
    return {kind: found[BINS * kind:BINS * (kind + 1)] for kind in HistogramKind}


async def counted(bench, commands, stalls, clear=None):
    """The histograms of ``commands``, (clocks, idle clocks after it), and of ``stalls``, (idle clocks
    before it, clocks); bins are cleared in the clock ``clear``."""
    begins, completed, at = set(), set(), 3
    for clocks, idle in commands:
        begins.add(at)
        at += clocks
        completed.add(at + 1)
        at += idle
    stalled = []
    for idle, clocks in stalls:
        stalled += [0] * idle + [1] * clocks
    for clock in range(max(at, len(stalled)) + 2):
        bench.set(begins=clock in begins, completed=clock in completed,
                  stalls=clock < len(stalled) and stalled[clock], user__clear=clock == clear)
        await bench.tick()
    bench.set(begins=0, completed=0, stalls=0)
    return await read(bench)


def expected(times):
    found = [0] * BINS
    for clocks in times:
        found[bin_of(clocks)] += 1
    return found


@pytest.mark.parametrize("case", range(6))
def test_each_time_is_counted_once(case):
    """However commands and standstills end: in one clock, too, and as close as they can."""
    rng = random.Random(case)
    commands = [(rng.choice((128, 129, 255, 256, 300, rng.randrange(128, 3000))),
                 rng.choice((0, 0, 1, 40))) for _ in range(30)]
    stalls = [(rng.choice((1, 1, 2, 30)), rng.choice((1, 127, 128, 129, 256, rng.randrange(1, 2000))))
              for _ in range(40)]
    found = BENCH.run(counted, commands, stalls)
    assert found[HistogramKind.COMMANDS] == expected(clocks for clocks, _ in commands)
    assert found[HistogramKind.STALLS] == expected(
        clocks for _, clocks in stalls if clocks >= LEAST_STALL)


@pytest.mark.parametrize("offset", range(-4, 40, 3))
def test_both_end_at_once(offset):
    found = BENCH.run(counted, [(200, 0), (200, 0)], [(3 + offset if offset > 0 else 3 + offset + 4,
                                                      190), (1, 128)])
    assert sum(found[HistogramKind.COMMANDS]) == 2 and sum(found[HistogramKind.STALLS]) == 2


@pytest.mark.parametrize("clear", [402, 403, 404, 410, 420, 460, 480])
def test_clear(clear):
    """What ends after it counts, what ended before does not: two commands of 200 clocks end in clocks
    203 and 403, and a third in 603."""
    found = BENCH.run(counted, [(200, 0)] * 3, [(1, 130)] * 3, clear=clear)
    done = 1 if clear >= 404 else 2
    assert sum(found[HistogramKind.COMMANDS]) == done
    assert found[HistogramKind.COMMANDS][7] == done


def test_reset_clears():
    assert sum(BENCH.run(counted, [(500, 0)], [])[HistogramKind.COMMANDS]) == 1
    assert BENCH.run(counted, [], []) == {kind: [0] * BINS for kind in HistogramKind}


def test_times_and_bins_saturate():
    found = NARROW.run(counted, [(600, 0)] * 5, [(1, 1000)] * 2)
    assert found[HistogramKind.COMMANDS][8] == 3 and found[HistogramKind.STALLS][8] == 2
    assert sum(found[HistogramKind.COMMANDS]) == 3
