"""The span that waits, and the splitter that comes to it, against a list of extents in Python."""

import functools

import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from hypothesis import given, settings
from hypothesis import strategies as st

from sata_recorder.core.drive_port import Error, SectorSpan
from sata_recorder.core.sequencer.extent_queue import ExtentQueue
from sata_recorder.core.sequencer.extent_splitter import ExtentSplitter
from sata_recorder.core.sequencer.recovery import ResumeSignature
from unit.bench import Bench

LARGEST = 2**48 - 1
#: Clocks after which what the splitter reports is valid.
VALID = 7


class Queued(wiring.Component):
    """A splitter and its queue."""

    def __init__(self, max_sectors):
        self._max_sectors = max_sectors
        super().__init__({
            "load": In(1), "lba": In(48), "sectors": In(48), "capacity": In(48), "usable": In(1),
            "next": In(1), "completed": In(1), "resume": In(ResumeSignature()),
            "queue": In(stream.Signature(SectorSpan)), "extended": Out(1), "pending": Out(1),
            "refused": Out(1), "error": Out(Error), "command_lba": Out(48),
            "command_sectors": Out(17), "next_sectors": Out(17), "begun": Out(48),
            "origin": Out(48), "next_lba": Out(48), "gathers": In(1), "shorten": In(1),
            "shorten_to": In(17), "gathering": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.splitter = splitter = ExtentSplitter(
            max_sectors=self._max_sectors, queued=True)
        m.submodules.extent_queue = extent_queue = ExtentQueue()
        connect(m, flipped(self.queue), extent_queue.queue)
        connect(m, flipped(self.resume), splitter.resume)
        m.d.comb += [
            splitter.load.eq(self.load), splitter.lba.eq(self.lba),
            splitter.sectors.eq(self.sectors), splitter.lba48.eq(1),
            splitter.capacity.eq(self.capacity), splitter.next.eq(self.next),
            splitter.completed.eq(self.completed), splitter.waits.eq(extent_queue.waits),
            splitter.span.eq(extent_queue.span), splitter.gathers.eq(self.gathers),
            splitter.shorten.eq(self.shorten), splitter.shorten_to.eq(self.shorten_to),
            extent_queue.begin.eq(self.load), extent_queue.open.eq(1),
            extent_queue.usable.eq(self.usable), extent_queue.capacity.eq(self.capacity),
            extent_queue.taken.eq(splitter.taken),
            self.extended.eq(extent_queue.extended), self.pending.eq(extent_queue.pending),
            self.refused.eq(extent_queue.refused), self.error.eq(extent_queue.error),
            self.command_lba.eq(splitter.command_lba), self.begun.eq(splitter.begun),
            self.command_sectors.eq(splitter.command_sectors), self.origin.eq(splitter.origin),
            self.next_sectors.eq(splitter.next_sectors), self.next_lba.eq(splitter.next_lba),
            self.gathering.eq(splitter.gathering),
        ]
        return m


@functools.cache
def bench(max_sectors):
    return Bench(Queued(max_sectors))


async def begin(bench, lba, sectors, capacity=LARGEST):
    bench.set(capacity=capacity, usable=1, gathers=0, shorten=0, resume__skipped=0, queue__valid=0)
    await bench.tick()
    await bench.pulse(load=1, lba=lba, sectors=sectors)


async def offer(bench, lba, sectors):
    """A span is offered until it is taken; returns whether it was extended."""
    bench.set(queue__valid=1, queue__payload__lba=lba, queue__payload__sectors=sectors)
    while not bench.get("queue__ready"):
        await bench.tick()
    await bench.tick()
    assert bench.get("pending")
    # What is offered next is none of it.
    bench.set(queue__valid=0, queue__payload__lba=0xBAD, queue__payload__sectors=LARGEST)
    extended = []
    for _ in range(12):
        extended.append(bench.get("extended"))
        await bench.tick()
    assert sum(extended) <= 1 and not any(extended[4:])
    return any(extended)


extents = st.lists(st.tuples(st.integers(0, 2**47), st.integers(1, 700)), min_size=1, max_size=5)


@settings(max_examples=settings().max_examples // 5)
@given(extents, st.sampled_from([1, 3, 256, 65536]), st.data())
def test_chain(spans, longest, data):
    """Commands of all extents, each of one; any of them can be taken back, in part or whole."""
    longest = max(longest, max(sectors for _, sectors in spans) // 3 or 1)

    async def script(bench):
        coming, done, began, skipped = [*spans[1:]], 0, 0, 0
        await begin(bench, *spans[0])
        here = [*spans[0]]          # what is left of the extent
        origin = spans[0][0]
        for number in range(20):
            follows = None
            if coming and bench.get("queue__ready"):
                follows = coming.pop(0)
                assert await offer(bench, *follows)
                waiting.append(follows)
            await bench.tick(VALID)
            if not here[1] and waiting:
                here = [*waiting.pop(0)]
                origin = here[0]
            assert bench.get("next_sectors") == min(longest, here[1])
            assert bench.get("resume__no_more") == (here[1] == 0)
            assert bench.get("resume__sectors_done") == done
            if not here[1]:
                assert not coming
                return
            await bench.pulse(next=1)
            length = bench.get("command_sectors")
            assert (bench.get("command_lba"), length) == (here[0], min(longest, here[1]))
            await bench.tick(3)
            began += length
            assert (bench.get("begun"), bench.get("origin")) == (began, origin)
            await bench.tick(4)
            assert bench.get("next_lba") == here[0] + length
            if number % 3 or not data.draw(st.booleans()):
                await bench.pulse(completed=1)
                here = [here[0] + length, here[1] - length]
                done += length
            else:
                passed = data.draw(st.integers(0, length))
                skipped += passed
                bench.set(resume__skipped=skipped)
                await bench.pulse(resume__rewind=1, resume__rewind_to=passed,
                                  resume__again_sectors=length)
                here = [here[0] + passed, here[1] - passed]
                began -= length - passed
            await bench.tick(2)
    waiting = []
    bench(longest).run(script)


@pytest.mark.parametrize("lba, sectors, error", [
    (7, 0, Error.ZERO_SECTORS), (99, 2, Error.OUT_OF_RANGE), (100, 1, Error.OUT_OF_RANGE),
    (LARGEST, LARGEST, Error.OUT_OF_RANGE), (98, 2, None), (0, 100, None)])
def test_check(lba, sectors, error):
    """A span that cannot be moved is refused, and no other is taken; the extent continues."""
    async def script(bench):
        await begin(bench, 3, 5, capacity=100)
        assert await offer(bench, lba, sectors) == (error is None)
        assert bench.get("refused") == (error is not None)
        assert not bench.get("queue__ready") and not bench.get("pending")
        if error:
            assert Error(bench.get("error")) == error
        await bench.tick(VALID)
        assert bench.get("next_sectors") == 5
        await begin(bench, 3, 5, capacity=100)
        assert bench.get("queue__ready") and not bench.get("refused")
    bench(65536).run(script)


@pytest.mark.parametrize("lba, sectors", [(LARGEST - 1, 1), (0, LARGEST), (1 << 47, 5)])
def test_of_the_largest_drive(lba, sectors):
    async def script(bench):
        await begin(bench, 3, 5)
        assert await offer(bench, lba, sectors)
        assert (bench.get("refused"), bench.get("queue__ready")) == (0, 0)
    bench(65536).run(script)


@pytest.mark.parametrize("clocks", range(5))
@pytest.mark.parametrize("sectors", [2, 0])
def test_nothing_is_left_of_the_operation_before(clocks, sectors):
    """Of a span that came, good or bad, just before it."""
    async def script(bench):
        await begin(bench, 3, 5)
        assert bench.get("queue__ready")
        await bench.pulse(queue__valid=1, queue__payload__lba=9, queue__payload__sectors=sectors)
        await bench.tick(clocks)
        await begin(bench, 3, 5)
        for _ in range(9):
            assert [bench.get(name) for name in ("queue__ready", "pending", "extended", "refused")] == [1, 0, 0, 0]
            await bench.tick()
        await bench.tick(VALID)
        assert bench.get("next_sectors") == 5
    bench(65536).run(script)


def test_capacity_of_the_drive_that_is_away():
    """While there is no drive the last capacity counts."""
    async def script(bench):
        await begin(bench, 3, 5, capacity=100)
        await bench.tick()
        bench.set(usable=0)
        await bench.tick()
        bench.set(capacity=0)
        assert await offer(bench, 98, 2)
    bench(65536).run(script)


def test_gathering():
    """No more sectors than are in hand; 0 of them are a wait, but not after the last sector."""
    async def script(bench):
        await begin(bench, 3, 5)
        seen = []
        for in_hand in (0, 2, 0, 7):
            bench.set(gathers=1, shorten_to=in_hand)
            await bench.tick(VALID)
            length = bench.get("next_sectors")
            assert bench.get("gathering") == bench.get("resume__no_more") == (length == 0)
            if length:
                await bench.pulse(next=1)
            seen.append(length)
        await bench.tick(VALID)
        assert bench.get("resume__no_more") and not bench.get("gathering")
        assert seen == [0, 2, 0, 3]
        await begin(bench, 3, 5)
        bench.set(gathers=1, shorten=1, shorten_to=0)
        await bench.tick(VALID)
        assert bench.get("resume__no_more") and not bench.get("gathering")
    bench(65536).run(script)
