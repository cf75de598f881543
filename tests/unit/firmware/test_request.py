"""The request as a processor sees it: its words, its end, and the header that names both."""

import re

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import Component, In
from amaranth.sim import Simulator
from unit.firmware.test_bus import access, simulated

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.firmware.bus import BusSignature, AddressRegion, route
from sata_recorder.firmware.cheader import request_header
from sata_recorder.firmware.request import Request, RequestWord

#: The numbers of the header that the firmware is compiled with, by their names.
DEFINED = {name: int(number, 0) for name, number in
           re.findall(r"#define (\w+) (\w+?)u?\n", request_header())}


@pytest.mark.parametrize("every", [1, 3])
def test_a_request_to_its_end(every):
    """Each word, by the header's numbers, is what the user requested."""
    dut = Request()
    asked = {"lba": 0x1234_5678_9ABC, "sectors": 0xFEDC_BA98_7654, "operation_sectors": 0x1_0000,
             "interrupts": 1}

    def word(name):
        return DEFINED["REGION_REQUEST"] + 4 * DEFINED[f"REQUEST_{name}"]

    def state(operation):
        return sum(value << DEFINED[f"REQUEST_STATE_{field}_SHIFT"] for field, value in (
            ("PENDING", 1), ("OPERATION", operation)))

    async def processor(ctx):
        async def read(name):
            return (await access(ctx, dut.bus, dut.tick, every, word(name)))[0]

        async def write(name, value):
            await access(ctx, dut.bus, dut.tick, every, word(name), strobes=0xF, data=value)

        async def pulse(signal):
            ctx.set(signal, 1)
            await ctx.tick()
            ctx.set(signal, 0)

        assert not ctx.get(dut.ready) and await read("STATE") == 0
        await write("READY", 1)
        assert ctx.get(dut.ready)
        await pulse(dut.control.stop)
        ctx.set(dut.control.lba, asked["lba"])
        ctx.set(dut.control.sectors, asked["sectors"])
        ctx.set(dut.control.operation, Operation.RECORD_FLUSH)
        ctx.set(dut.operation_sectors, asked["operation_sectors"])
        ctx.set(dut.interrupts, asked["interrupts"])
        await pulse(dut.control.start)
        # What the user shows later belongs to no request yet.
        for signal in (dut.control.lba, dut.control.sectors, dut.control.operation,
                       dut.operation_sectors, dut.interrupts):
            ctx.set(signal, 0)
        assert ctx.get(dut.pending)
        assert await read("STATE") == state(Operation.RECORD_FLUSH)
        assert await read("STOP") == ctx.get(dut.stopping) == 0, "a stop before the start is none"
        assert await read("LBA_HIGH") << 32 | await read("LBA_LOW") == asked["lba"]
        assert await read("SECTORS_HIGH") << 32 | await read("SECTORS_LOW") == asked["sectors"]
        assert await read("OPERATION_SECTORS") == asked["operation_sectors"]
        assert await read("INTERRUPTS") == asked["interrupts"]
        await pulse(dut.control.stop)
        assert await read("STOP") == ctx.get(dut.stopping) == 1
        ctx.set(dut.busy, 1)
        await pulse(dut.control.start)
        assert await read("STATE") == state(Operation.RECORD_FLUSH), "one at a time"
        await write("RESULT", Error.LINK_LOST)
        assert not ctx.get(dut.pending) and ctx.get(dut.result) == Error.LINK_LOST
        assert not ctx.get(dut.stopping)
        ctx.set(dut.busy, 0)
        await pulse(dut.control.start)
        assert await read("STATE") == state(Operation.PLAY)

    simulated(dut, processor)


def test_the_header_has_all_words():
    assert [DEFINED[f"REQUEST_{word.name}"] for word in RequestWord] == list(RequestWord)
    assert [DEFINED[f"REGION_{region.name}"] for region in AddressRegion] == list(AddressRegion)
    assert all(word.meaning in request_header() for word in RequestWord)


class Router(Component):
    """`route`, with ports."""

    bus: In(BusSignature())

    def __init__(self):
        super().__init__()
        self.regions = {region: BusSignature().create(path=(region.name.lower(),))
                        for region in AddressRegion}

    def elaborate(self, platform):
        m = Module()
        route(m, self.bus, self.regions)
        return m


def test_each_region_has_its_accesses():
    dut = Router()

    async def processor(ctx):
        ctx.set(dut.bus.write_data, 0xCAFE)
        ctx.set(dut.bus.strobes, 0b0110)
        for number, place in enumerate(dut.regions.values()):
            ctx.set(place.read_data, 100 + number)
        for number, (region, meant) in enumerate(dut.regions.items()):
            for address in (region, region + 0x3FFF_FFFC):
                ctx.set(dut.bus.address, address)
                ctx.set(dut.bus.valid, 1)
                assert [ctx.get(place.valid) for place in dut.regions.values()] == [
                    place is meant for place in dut.regions.values()]
                assert (ctx.get(meant.address), ctx.get(meant.strobes),
                        ctx.get(meant.write_data)) == (address, 0b0110, 0xCAFE)
                assert ctx.get(dut.bus.read_data) == 100 + number
                for answering in dut.regions.values():
                    ctx.set(answering.ready, 1)
                    assert ctx.get(dut.bus.ready) == (answering is meant)
                    ctx.set(answering.ready, 0)
                ctx.set(dut.bus.valid, 0)
                assert not any(ctx.get(place.valid) for place in dut.regions.values())
        ctx.set(dut.bus.address, 0xC000_0000)
        ctx.set(dut.bus.valid, 1)
        assert not any(ctx.get(place.valid) for place in dut.regions.values())

    simulator = Simulator(dut)
    simulator.add_testbench(processor)
    simulator.run()
