"""When a playback may begin, where its last beat leaves before it has been counted as an end."""

import pytest
from amaranth.sim import Simulator

from sata_recorder.bricks.playback.stream_output import StreamOutput


def gray(count):
    """The Gray code of ``count``, of 5 bits."""
    return count % 32 ^ count % 32 >> 1


@pytest.mark.parametrize("before", [0, 5, 30, 31])
def test_an_end_that_has_left_before_it_was_counted(before):
    """It is none of the next playback. ``before``: ends since reset."""
    dut = StreamOutput(32, depth=16, fill=12)

    async def end(ctx, shown):
        """A playback of a beat, of which there is enough, leaves; then ``shown`` ends have been counted."""
        ctx.set(dut.i.payload.last, 1)
        ctx.set(dut.waiting, 12)
        ctx.set(dut.i.valid, 1)
        while not ctx.get(dut.i.ready):
            await ctx.tick()
        await ctx.tick()
        ctx.set(dut.i.valid, 0)
        ctx.set(dut.ended, gray(shown))
        ctx.set(dut.waiting, 1)
        await ctx.tick().repeat(3)

    async def script(ctx):
        ctx.set(dut.o.ready, 1)
        ctx.set(dut.i.payload.keep, 1)
        for number in range(before):
            await end(ctx, number + 1)
        await end(ctx, before)
        # The next playback has a beat, and not yet its last one.
        ctx.set(dut.i.payload.last, 0)
        ctx.set(dut.i.valid, 1)
        for shown in before, before + 1:
            ctx.set(dut.ended, gray(shown))
            for _ in range(6):
                await ctx.tick()
                assert not ctx.get(dut.i.ready)
        ctx.set(dut.ended, gray(before + 2))
        await ctx.tick().repeat(3)
        assert ctx.get(dut.i.ready)
    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(script)
    simulator.run()
