"""The parts of the stage alone: spans, the table of segments, the time."""

import random

import pytest

from sata_recorder.bricks.modes import ENTRIES, FIELDS
from sata_recorder.bricks.modes.cycle_counter import CycleCounter
from sata_recorder.bricks.modes.segment_table import SegmentTable
from sata_recorder.bricks.modes.span_source import SpanSource
from unit.bench import Bench

SPANS = Bench(SpanSource())
TABLE = Bench(SegmentTable())
TIME = Bench(CycleCounter())


def spans(lba, part, chunk, position, parts):
    """What must come; ``parts`` has for each part how many spans are taken of it."""
    for number, count in enumerate(parts):
        offset = position if number == 0 else 0
        for _ in range(count):
            left = part - offset
            sectors = left if chunk == 0 or left < 2 * chunk else chunk
            yield lba + number * part + offset, sectors
            offset = (offset + sectors) % part


@pytest.mark.parametrize("part, chunk, position, parts", [
    (100, 0, 0, [3]), (100, 0, 40, [3]), (100, 0, 99, [2]), (100, 10, 0, [25]),
    (100, 30, 0, [9]), (100, 30, 45, [5]), (100, 50, 0, [5]), (100, 51, 0, [3]),
    (100, 100, 0, [2]), (100, 7, 0, [4, 20, 1, 3]), (64, 8, 0, [0, 0, 9, 1]),
    (1 << 40, 3 << 30, 0, [400, 3])])
def test_spans(part, chunk, position, parts):
    """All chunks of all laps, and of the parts that follow; what they hold together."""
    rng = random.Random(part + chunk + position)

    async def script(bench):
        bench.set(part=part, chunk=chunk, lba=7000, position=position)
        await bench.pulse(begin=1)
        found, boundaries, total = [], [], 0
        for number, count in enumerate(parts):
            if number:
                # With a span that is taken in the same clock, or without.
                both = bool(count) and bench.get("valid") and rng.random() < 0.5
                sectors = bench.get("span__sectors")
                if both:
                    found.append((bench.get("span__lba"), sectors))
                    total += sectors
                await bench.pulse(next_part=1, taken=both)
                assert not bench.get("valid")
                boundaries.append((total, len(found)))
                await bench.tick(3)
                assert bench.get("settled") and bench.get("boundary") == total
                await bench.tick(2)
            for _ in range(count):
                for waited in range(9):
                    if bench.get("valid"):
                        break
                    await bench.tick()
                assert waited < 6, "no span"
                await bench.tick(rng.randrange(3))
                found.append((bench.get("span__lba"), bench.get("span__sectors")))
                total += found[-1][1]
                await bench.pulse(taken=1)
                assert not bench.get("valid")
            await bench.tick(rng.randrange(6))
        return found, boundaries
    found, boundaries = SPANS.run(script)
    taken = [end - begin for begin, end in zip([0, *(count for _, count in boundaries)],
                                               [*(count for _, count in boundaries), len(found)])]
    assert found == [*spans(7000, part, chunk, position, taken)]
    assert len(found) >= sum(parts)


@pytest.mark.parametrize("position", [101, 1 << 40, (1 << 48) - 7000, (1 << 48) - 500, (1 << 48) - 1])
def test_a_position_after_the_part_is_on_no_drive(position):
    """However large it is: a few sectors before the part would be those of somebody else."""
    async def script(bench):
        bench.set(part=100, chunk=0, lba=7000, position=position)
        await bench.pulse(begin=1)
        await bench.tick(8)
        return bench.get("valid"), bench.get("span__sectors")
    assert SPANS.run(script) == (1, (1 << 48) - 1)


@pytest.mark.parametrize("part, chunk, position", [(100, 10, 0), (100, 30, 45), (64, 7, 60), (100, 0, 40)])
def test_rewind(part, chunk, position):
    """What follows begins after the sectors that have been used, also where a span is taken in that clock, or was in
    the one before."""
    rng = random.Random(part + chunk + position)

    async def script(bench):
        bench.set(part=part, chunk=chunk, lba=7000, position=position)
        await bench.pulse(begin=1)
        total, ways = 0, set()
        for _ in range(60):
            before = total
            for _ in range(rng.randint(1, 3)):
                while not bench.get("valid"):
                    await bench.tick()
                latest = bench.get("span__sectors")
                if total - before + latest > part:
                    way = "earlier"
                    break
                # The last one is taken in the clock of the rewind, just before it, or earlier.
                way = rng.choice(("with", "before", "earlier"))
                total += latest
                if way == "with":
                    break
                await bench.pulse(taken=1)
                if way == "before":
                    break
            else:
                way = "earlier"
            used = rng.randint(max(before, total - part), total)
            bench.set(to=used)
            taken = way == "with" and bench.get("valid")
            ways.add((way, taken))
            await bench.pulse(rewind=1, taken=taken)
            await bench.tick()      # none is taken in this one
            total = used
            for waited in range(24):
                if bench.get("valid"):
                    break
                await bench.tick()
            offset = (position + total) % part
            left = part - offset
            sectors = left if chunk == 0 or left < 2 * chunk else chunk
            assert (bench.get("span__lba"), bench.get("span__sectors")) == (7000 + offset, sectors), waited
        return ways
    assert {way for way, _ in Bench(SpanSource(rewinds=True)).run(script)} == {"with", "before", "earlier"}


def test_table():
    """More segments than it has entries: the latest ones are there, field by field."""
    rng = random.Random(1)
    names = ("first", "trigger", "end", "first_time", "trigger_time", "waited", "gap_time")

    async def script(bench):
        await bench.pulse(begin=1)
        told = []
        for number in range(ENTRIES + 3):
            segment = {name: rng.getrandbits(64 if "time" in name else 48) for name in names}
            bits = {name: rng.getrandbits(1) for name in ("triggered", "complete", "gaps")}
            more = rng.getrandbits(16)
            bench.set(segment__valid=1, segment__payload__more=more, **{
                f"segment__payload__{name}": value for name, value in (segment | bits).items()})
            while not bench.get("segment__ready"):
                await bench.tick()
            await bench.tick()
            bench.set(segment__valid=0)
            await bench.tick(rng.randrange(3))
            assert bench.get("count") == number + 1
            flags = bits["triggered"] | bits["complete"] << 1 | bits["gaps"] << 2 | more << 16
            told.append([*segment.values(), flags])
        for number in range(len(told) - ENTRIES, len(told)):
            for field in range(len(FIELDS)):
                bench.set(address=len(FIELDS) * (number % ENTRIES) + field)
                await bench.tick(2)
                assert bench.get("data") == told[number][field], (number, field)
        await bench.pulse(begin=1)
        assert bench.get("count") == 0
    TABLE.run(script)


def test_time():
    """The count carries into its upper half; an edge of the pulse is latched 3 clocks late."""
    async def script(bench):
        bench.poke(bench.component.now, (5 << 32) - 4)
        before, edges = bench.get("now"), 0
        assert before == (5 << 32) - 4
        for clock in range(1, 40):
            rises = clock in (4, 17, 30)
            if rises:
                edges += 1
                came = bench.get("now")
            bench.set(pps=clock in (4, 5, 6, 17, 18, 30, 31))
            await bench.tick()
            assert bench.get("now") == before + clock
            if clock - 3 in (4, 17, 30):
                assert bench.get("pps_time") == came + 2 and bench.get("pps_edges") == edges
    TIME.run(script)


def test_a_level_is_no_edge():
    """A pulse per second that is high from reset on has not risen."""
    async def script(bench):
        bench.set(pps=1)
        await bench.tick(20)
        return bench.get("pps_edges")
    assert TIME.run(script) == 0
