"""What stands at a processor's bus: the way to AXI4-Lite, and the program memory."""

import pytest
from amaranth.sim import Simulator

from sata_recorder.firmware import AxiLiteManager, ProgramMemory


def simulated(component, *processes):
    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    for process in processes:
        simulator.add_testbench(process, background=process is not processes[0])
    simulator.run()


async def access(ctx, bus, tick, every, address, *, strobes=0, data=0):
    """An access of a processor that ticks in one of ``every`` clocks; (what was read, ticks)."""
    ctx.set(bus.address, address)
    ctx.set(bus.strobes, strobes)
    ctx.set(bus.write_data, data)
    ctx.set(bus.valid, 1)
    for count in range(1, 200):
        for clock in range(every):
            ctx.set(tick, clock == every - 1)
            ready, read = ctx.get(bus.ready), ctx.get(bus.read_data)
            await ctx.tick()
        if ready:
            ctx.set(bus.valid, 0)
            ctx.set(tick, 0)
            return read, count
    raise AssertionError("no answer")


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("address_first, gap", [(True, 0), (True, 4), (False, 4)])
def test_manager(every, address_first, gap):
    """Each access crosses once, in whatever order the subordinate takes address and data."""
    dut = AxiLiteManager()
    axil = dut.axil
    crossed = []

    async def subordinate(ctx):
        channels = [(axil.awvalid, axil.awready, axil.awaddr),
                    (axil.wvalid, axil.wready, axil.wdata)]
        while True:
            await ctx.tick()
            if not ctx.get(axil.awvalid | axil.arvalid):
                continue
            if ctx.get(axil.arvalid):
                ctx.set(axil.arready, 1)
                crossed.append(("read", ctx.get(axil.araddr)))
                await ctx.tick()
                ctx.set(axil.arready, 0)
                await ctx.tick().repeat(gap + 1)
                ctx.set(axil.rdata, 0x1234_5678)
                ctx.set(axil.rvalid, 1)
                await ctx.tick().until(axil.rready)
                ctx.set(axil.rvalid, 0)
                continue
            found = []
            for valid, ready, value in channels if address_first else channels[::-1]:
                assert ctx.get(valid)
                ctx.set(ready, 1)
                found.append(ctx.get(value))
                await ctx.tick()
                ctx.set(ready, 0)
                await ctx.tick().repeat(gap + 1)
                assert not ctx.get(valid), "it is offered once"
            crossed.append(("write", *sorted(found), ctx.get(axil.wstrb)))
            ctx.set(axil.bvalid, 1)
            await ctx.tick().until(axil.bready)
            ctx.set(axil.bvalid, 0)

    async def processor(ctx):
        for _ in range(3):
            read, _ = await access(ctx, dut.bus, dut.tick, every, 0x8000_0104)
            assert read == 0x1234_5678
            await access(ctx, dut.bus, dut.tick, every, 0x8000_0020, strobes=0xF, data=0xABCD)
        await ctx.tick().repeat(20)

    simulated(dut, processor, subordinate)
    assert crossed == 3 * [("read", 0x104), ("write", 0x20, 0xABCD, 0xF)]


@pytest.mark.parametrize("every", [1, 5])
def test_program_memory(every):
    dut = ProgramMemory([0x0302_0100, 0x0706_0504])

    async def processor(ctx):
        for bus in dut.fetch, dut.data:
            assert await access(ctx, bus, dut.tick, every, 4) == (0x0706_0504, 2)
        await access(ctx, dut.data, dut.tick, every, 0, strobes=0b0110, data=0xAABB_CCDD)
        for bus in dut.data, dut.fetch:
            assert await access(ctx, bus, dut.tick, every, 0) == (0x03BB_CC00, 2)

    simulated(dut, processor)
