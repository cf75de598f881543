"""How long accesses take: of operations whose counts begin anew some clocks after their start."""

import pytest
from amaranth.sim import Simulator

from sata_recorder_platforms.console_recorder.access import AccessMeter


def measured(operations, size=8):
    """(count, least, sum, most) of ``operations``, each the clocks in which the old counts stay, and those of its
    accesses."""
    meter, found = AccessMeter(), []

    async def run(ctx):
        ctx.set(meter.size, size)
        ctx.set(meter.clear, 1)
        ctx.set(meter.begun, 5 * size)
        ctx.set(meter.done, 5 * size)
        await ctx.tick()
        ctx.set(meter.clear, 0)
        for stale, accesses in operations:
            ctx.set(meter.start, 1)
            await ctx.tick()
            ctx.set(meter.start, 0)
            await ctx.tick().repeat(stale)
            ctx.set(meter.begun, 0)
            ctx.set(meter.done, 0)
            await ctx.tick().repeat(3)
            for number, clocks in enumerate(accesses):
                ctx.set(meter.begun, size * (number + 1))
                await ctx.tick().repeat(clocks)
                ctx.set(meter.done, size * (number + 1))
                await ctx.tick().repeat(4)
        found.extend(ctx.get(value) for value in (meter.count, meter.least, meter.sum, meter.most))

    simulator = Simulator(meter)
    simulator.add_clock(1e-6)
    simulator.add_testbench(run)
    simulator.run()
    return tuple(found)


@pytest.mark.parametrize("stale", [1, 3, 5, 20])
def test_old_counts_are_no_access(stale):
    assert measured([(stale, [100]), (stale, [50]), (stale, [70, 90])]) == (4, 50, 310, 100)


def test_nothing_yet():
    assert measured([(3, [])]) == (0, (1 << 48) - 1, 0, 0)
