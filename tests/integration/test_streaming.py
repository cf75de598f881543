"""Streams in chunks and sensors that cannot wait, the same on every engine."""

import struct
from itertools import pairwise

import pytest
from integration import loops
from integration.loops import ENGINES, on
from short import short

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation.signals import Rate
from sata_recorder.core.drive_port import Operation

pytestmark = pytest.mark.wide

CONFIGURATION = Configuration(clock_hz=1e6, buffer_words=128, max_command_sectors=2)
SECTORS = 5
WORDS = 128 * SECTORS


@pytest.mark.parametrize("engine", short(ENGINES, ENGINES[:2]))
def test_chunks_change_nothing(engine):
    state, taken, kept, calls, longest, played, stored = on(
        engine, loops.chunks, CONFIGURATION, SECTORS, 100)
    assert state == on("cxxrtl", loops.whole, CONFIGURATION, SECTORS)
    assert (taken, kept) == (WORDS, b"")
    assert calls == [(first, min(100, WORDS - first)) for first in range(0, WORDS, 100)]
    assert longest == 400
    assert played == stored == struct.pack(f"<{WORDS}I", *range(WORDS))


def reference(rows, rate, depth, count):
    """The FIFO in front of the core, from the words that the core took in each clock."""
    words, clocks = rate
    heard = next(n for n, row in enumerate(rows) if row[1]) + 1 - -(-clocks // words)
    assert heard > 4 and not any(map(any, rows[:heard]))
    fifo, kept, gaps, arrived, lost, high = [], [], [], 0, 0, 0
    last_taken, last_lost = 0, None
    for n, (taken, *row) in enumerate(rows[heard:], 1):
        if taken > last_taken:
            kept.append(fifo.pop(0))
        last_taken = taken
        while arrived < min(count, n * words // clocks):
            if depth is None or len(fifo) < depth:
                fifo.append(arrived)
            else:
                if last_lost is not None and last_lost == arrived - 1:
                    gaps[-1][1] += 1
                else:
                    gaps.append([arrived, 1])
                last_lost = arrived
                lost += 1
            arrived += 1
        high = max(high, len(fifo))
        assert row == [arrived, lost, len(fifo), high], n
    return [tuple(gap) for gap in gaps], kept


CASES = [((2, 3), 50), ((1, 1), 1), ((3, 1), 7), ((1, 7), 4), ((2, 3), None), ((7, 5), 200)]


@pytest.mark.sample(5)
@pytest.mark.parametrize("rate, depth", CASES)
def test_sensor(rate, depth):
    rows, gaps, stored, _ = on("cxxrtl", loops.sensor, CONFIGURATION, 3, rate, depth, 6000)
    expected, kept = reference(rows, rate, depth, 5000)
    assert gaps == expected
    taken = rows[-1][0]
    assert taken > 500 and (bool(gaps) or depth in (None, 4, 50))
    sectors = min(taken, len(kept)) // 256 * 2 - 2     # whole commands that are certainly stored
    assert sectors >= 2
    assert stored[:512 * sectors] == struct.pack(f"<{128 * sectors}I", *kept[:128 * sectors])


@pytest.mark.long
@pytest.mark.parametrize("rate, depth", CASES[:3])
def test_sensor_is_the_same_on_all_engines(rate, depth):
    compiled, interpreted, icarus = (
        on(engine, loops.sensor, CONFIGURATION, 4, rate, depth, 2000) for engine in ENGINES)
    assert compiled == interpreted == icarus


def test_a_sensor_is_heard_until_the_mark():
    rows, *_ = on("cxxrtl", loops.sensor, CONFIGURATION, 3, (1, 4), None, 6000, 600)
    last = next(row for row in rows if row[0] == 600)
    assert rows[-1][1] == last[1] == last[0] + last[3]


@pytest.mark.wide
def test_many_gaps():
    lost, some, gaps, _ = on("cxxrtl", many_gaps, CONFIGURATION)
    assert some == gaps[:10000] and len(gaps) > 10000
    assert sum(words for _, words in gaps) == lost
    assert all(at + words < after for (at, words), (after, _) in pairwise(gaps))


def many_gaps(open_engine, model, configuration):
    port, _ = loops.port_of(model, 0, hostile=False)
    with open_engine(configuration, port) as engine:
        bench = loops.CoreBench(engine, port)
        bench.bring_up()
        engine.source(loops.Counting(200_000), rate=Rate(3, 2), depth=1)
        bench.start(Operation.RECORD, 0, 1000)
        engine.run(100_000)
        gaps = []
        while found := engine.gaps(len(gaps)):
            gaps += found
        return engine.state().lost, engine.gaps(), gaps, None


@pytest.mark.quick
def test_rates_that_are_none():
    with pytest.raises(ValueError, match="rate of 0 words in 5 clocks: both must be at least 1"):
        Rate(0, 5)


@pytest.mark.quick
def test_a_producer_that_gives_too_little(bench):
    class Short(loops.Counting):
        def read(self, first_word, count):
            return super().read(first_word, count)[4:]

    b = bench()
    with pytest.raises(ValueError, match="the producer gave 2556 bytes for 640 words from word 0"):
        b.engine.source(Short(640))
