"""The UART against a line that is driven level by level."""

import pytest
from amaranth.sim import Simulator

from sata_recorder_platforms.console_recorder.uart import LEAST_DIVISOR, Receiver, Transmitter


def frame(byte, stop=1):
    return [0, *(byte >> bit & 1 for bit in range(8)), stop]


def received(divisor, levels):
    """What a receiver takes from (level, clocks) pairs: (byte, fault)."""
    receiver = Receiver(divisor)
    found = []

    async def line(ctx):
        for level, clocks in [(1, 3), *levels, (1, 12 * divisor)]:
            ctx.set(receiver.rx, level)
            await ctx.tick().repeat(clocks)

    async def listen(ctx):
        async for _, _, valid, byte in ctx.tick().sample(receiver.o.valid, receiver.o.payload):
            if valid:
                found.append((byte.data, byte.fault))

    run(receiver, line, listen)
    return found


def run(design, testbench, process):
    simulator = Simulator(design)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.add_testbench(process, background=True)
    simulator.run()


def at(clocks, bits):
    return [(bit, clocks) for bit in bits]


@pytest.mark.parametrize("divisor, clocks", [
    (LEAST_DIVISOR, LEAST_DIVISOR), (50, 49), (50, 51), (217, 217)])
def test_back_to_back(divisor, clocks):
    """Bytes without a pause, also from a sender whose clock is off by 2 %."""
    data = b"\x00\xff\x55\xaaOK\r\n" if divisor < 100 else b"\x00\xffU"
    bits = [bit for byte in data for bit in frame(byte)]
    assert received(divisor, at(clocks, bits)) == [(byte, 0) for byte in data]


def test_glitch():
    levels = [(0, 20), (1, 100), (0, 24), (1, 100), *at(50, frame(0x41))]
    assert received(50, levels) == [(0x41, 0)]


def test_framing_error():
    levels = [*at(16, frame(0x41, stop=0)), (1, 16), *at(16, frame(0x42))]
    assert received(16, levels) == [(0x41, 1), (0x42, 0)]


def test_break():
    """A line that stays low gives one bad byte; the next one is good."""
    assert received(16, [(0, 1000), (1, 40), *at(16, frame(0x42))]) == [(0, 1), (0x42, 0)]


def test_transmitter():
    data, divisor = b"\x00\xffA\r", 9
    transmitter = Transmitter(divisor)
    levels = []

    async def feed(ctx):
        await ctx.tick().repeat(5)
        for number, byte in enumerate(data):
            if number == 3:
                await ctx.tick().repeat(200)
            ctx.set(transmitter.i.payload, byte)
            ctx.set(transmitter.i.valid, 1)
            await ctx.tick().until(transmitter.i.ready)
            ctx.set(transmitter.i.valid, 0)
        await ctx.tick().repeat(12 * divisor)

    async def listen(ctx):
        async for _, _, level in ctx.tick().sample(transmitter.tx):
            levels.append(level)

    run(transmitter, feed, listen)
    start = levels.index(0)
    together = [bit for byte in data[:3] for bit in frame(byte) for _ in range(divisor)]
    assert levels[start:start + len(together)] == together
    rest = levels[start + len(together):]
    last = rest.index(0)
    assert rest[last:last + 10 * divisor] == [bit for bit in frame(data[3])
                                              for _ in range(divisor)]
    assert set(levels[:start] + rest[:last] + rest[last + 10 * divisor:]) == {1}
