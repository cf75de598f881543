"""A source that cannot wait: what is lost is counted, and every gap has its place."""

import random

import pytest
from amaranth.sim import Simulator
from hypothesis import given, settings
from hypothesis import strategies as st

from sata_recorder.core.drive_port import Operation
from sata_recorder.core.recorder import ENTRIES
from sata_recorder.core.recorder.overflow import Overflow
from unit.core.recorder.journal import read_journal
from unit.core.recorder.on_fake import bench

EXAMPLES = settings().max_examples
GAP = 1


class Source:
    """A recording of ``sectors`` with a drive that stalls at random, in commands of ``length``."""

    def __init__(self, bench, *, seed, sectors, user, drive, burst, length, retain):
        self.bench, self.get = bench, bench.get
        self.rng = random.Random(seed)
        self.total, self.length, self.retain = 128 * sectors, length, retain
        self.user, self.drive, self.burst = user, drive, burst
        self.mood = 0
        self.now = self.offered = 0
        self.kept, self.taken, self.gaps = [], [], []
        self.gap = None

    def wants(self):
        if not self.mood:
            self.mind, self.mood = self.rng.random() < self.drive, self.rng.randint(1, self.burst)
        self.mood -= 1
        return self.mind

    def close(self):
        if self.gap:
            self.gaps.append((GAP, *self.gap[:2], self.now - self.gap[2]))
            self.gap = None

    async def clock(self, accepting=True, stop=False):
        bench, get = self.bench, self.get
        offers = self.rng.random() < self.user
        bench.set(i__valid=offers, i__payload=self.offered, knobs__stalls=not self.wants(),
                  control__stop=stop)
        if get("recorder__port__write_data__valid") and get("recorder__port__write_data__ready"):
            self.taken.append(get("recorder__port__write_data__payload"))
        before = get("counters__words")
        ready = get("i__ready")
        if accepting is not None:
            assert ready == (accepting and before < self.total)
        await bench.tick()
        if offers and ready:
            if get("counters__words") > before:
                self.close()
                self.kept.append(self.offered)
            else:
                self.gap = self.gap or [before, 0, self.now]
                self.gap[1] += 1
            self.offered += 1
        self.now += 1

    async def run(self, stop):
        bench = self.bench
        bench.set(control__operation=Operation.RECORD, knobs__waits=1, knobs__longest=self.length,
                  knobs__retains=self.retain)
        await bench.pulse(control__start=1, control__sectors=self.total // 128)
        # Words are accepted while the drive is opened.
        for _ in range(40):
            await self.clock()
        bench.set(knobs__waits=0)
        for clock in range(60_000):
            if len(self.taken) >= self.total or clock == stop:
                break
            await self.clock()
        if len(self.taken) < self.total:
            await self.clock(accepting=None, stop=True)
            self.close()
            for _ in range(40):
                await self.clock(accepting=False)
        bench.set(i__valid=0, control__stop=0, knobs__stalls=0)
        for _ in range(2000):
            takes = self.get("recorder__port__write_data__ready")
            if takes and self.get("recorder__port__write_data__valid"):
                self.taken.append(self.get("recorder__port__write_data__payload"))
            if self.get("ready"):
                break
            await bench.tick()
        assert self.get("ready"), "the operation does not end"
        await bench.tick(10)


def run(depth=128, stop=None, **options):
    async def script(bench):
        source = Source(bench, **options)
        await source.run(stop)
        lost = source.offered - len(source.kept)
        assert source.taken[:len(source.kept)] == source.kept
        assert not any(source.taken[len(source.kept):])
        assert source.get("counters__dropped") == lost == sum(
            length for _, _, length, _ in source.gaps)
        assert source.get("counters__words") == len(source.kept)
        assert not source.get("counters__held_cycles")
        entered = source.gaps[:ENTRIES - 3]
        assert await read_journal(bench) == entered
        assert source.get("journal__count") == (
            len(entered) if entered == source.gaps else ENTRIES + 1)
        return source
    return bench(depth=depth, retain=options["retain"], skips=True, drop=True).run(script)


@settings(max_examples=EXAMPLES // 4)
@given(seed=st.integers(0, 2**32 - 1), sectors=st.integers(1, 12), retain=st.booleans(),
       user=st.sampled_from([1, 0.9, 0.5]), drive=st.sampled_from([1, 0.8, 0.4]),
       burst=st.sampled_from([1, 40, 400]), length=st.integers(1, 2),
       stop=st.one_of(st.none(), st.integers(0, 2000)))
def test_gaps(**course):
    run(depth=256, **course)


@pytest.mark.parametrize("retain", [False, True])
def test_commands_as_long_as_the_buffer(retain):
    """They need all of it, and get it, however much was lost before."""
    source = run(depth=128, seed=1, sectors=10, user=1, drive=0.5, burst=3, length=1,
                 retain=retain)
    assert source.gaps and len(source.taken) == 1280


def test_gaps_are_few():
    """A drive at half the rate: words are accepted again when there is a quarter of the room."""
    source = run(depth=1024, seed=1, sectors=60, user=1, drive=0.5, burst=1, length=2,
                 retain=False)
    lengths = [length for _, _, length, _ in source.gaps]
    assert lengths and min(lengths) > 200


def test_more_gaps_than_entries():
    source = run(depth=128, seed=5, sectors=60, user=1, drive=0.4, burst=1, length=2,
                 retain=False)
    assert len(source.gaps) > ENTRIES


def test_a_quarter_of_the_room():
    """After a loss words are accepted again from the level on that leaves a quarter free."""
    depth = 256
    overflow = Overflow(depth=depth)

    async def script(ctx):
        ctx.set(overflow.accepts, 1)
        ctx.set(overflow.gap.ready, 1)
        ctx.set(overflow.level, 100)
        opens = []
        for held in range(depth + 1):
            ctx.set(overflow.held, depth)
            ctx.set(overflow.room, 0)
            ctx.set(overflow.offered, 1)
            await ctx.tick()            # this word is lost
            ctx.set(overflow.offered, 0)
            ctx.set(overflow.room, 1)
            await ctx.tick()
            assert not ctx.get(overflow.open)
            ctx.set(overflow.held, held)
            await ctx.tick()
            if ctx.get(overflow.open):
                opens.append(held)
        assert opens == list(range(depth * 3 // 4))
    simulator = Simulator(overflow)
    simulator.add_clock(1e-8)
    simulator.add_testbench(script)
    simulator.run()


def test_a_recording_begins_open():
    """Whatever the one before has lost, and though its gap has not been taken."""
    overflow = Overflow(depth=256)

    async def script(ctx):
        ctx.set(overflow.accepts, 1)
        ctx.set(overflow.held, 256)
        ctx.set(overflow.level, 100)
        ctx.set(overflow.offered, 1)
        await ctx.tick()                # this word is lost
        ctx.set(overflow.offered, 0)
        ctx.set(overflow.accepts, 0)
        await ctx.tick().repeat(3)
        assert ctx.get(overflow.gap.valid) and not ctx.get(overflow.open) and ctx.get(overflow.dropped) == 1
        ctx.set(overflow.begin, 1)
        await ctx.tick()
        assert ctx.get(overflow.open) and not ctx.get(overflow.gap.valid) and not ctx.get(overflow.dropped)
    simulator = Simulator(overflow)
    simulator.add_clock(1e-8)
    simulator.add_testbench(script)
    simulator.run()
