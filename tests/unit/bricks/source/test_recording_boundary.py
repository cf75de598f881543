"""What is old in a stream, and what is lost in it, where recordings end."""

import random
from collections import deque

import pytest
from amaranth.sim import Simulator

from sata_recorder.bricks.source.recording_boundary import RecordingBoundary
from sata_recorder.bricks.source.word_splitter import WordSplitter


def run(component, script):
    simulator = Simulator(component)
    simulator.add_clock(1e-8)
    simulator.add_testbench(script)
    simulator.run()


@pytest.mark.sample(3)
@pytest.mark.parametrize("ends, passes", [(0.3, 0.3), (0.05, 0.3), (0.3, 0.02), (0.5, 0.01)])
def test_nothing_old_is_taken_for_new(ends, passes):
    """However many recordings end before the first boundary of them passes; and once all have passed, all is new."""
    dut, rng = RecordingBoundary(), random.Random(7)

    async def script(ctx):
        waiting = deque()           # boundaries in the FIFO: number, and how many recordings had ended by then
        ended = covered = number = 0
        for clock in range(4000):
            quiet = clock >= 3000
            there = bool(waiting) and rng.random() < (1 if quiet else passes)
            end = not quiet and rng.random() < ends
            ctx.set(dut.ended, end)
            ctx.set(dut.boundary, there)
            ctx.set(dut.boundary_number, waiting[0][0] if there else 0)
            assert ctx.get(dut.old) or covered == ended
            if there:
                covered = waiting.popleft()[1]
            await ctx.tick()
            if ctx.get(dut.number) != number:
                assert (ctx.get(dut.number) ^ number).bit_count() == 1
                number = ctx.get(dut.number)
                waiting.append((number, ended))
            ended += end
        assert not ctx.get(dut.old) and covered == ended > 100
    run(dut, script)


def test_a_loss_in_the_clock_of_the_end_is_no_gap():
    """The next recording may begin in that clock."""
    dut = WordSplitter(32, counts=True)

    async def script(ctx):
        for signal in (dut.active, dut.flowing, dut.o.ready, dut.i.valid):
            ctx.set(signal, 1)
        ctx.set(dut.i.payload.has_data, 1)
        await ctx.tick()
        ctx.set(dut.i.payload.has_data, 0)
        ctx.set(dut.i.payload.lost, 3)
        assert ctx.get(dut.lost) == 3
        ctx.set(dut.ended, 1)
        assert ctx.get(dut.lost) == 0
    run(dut, script)
