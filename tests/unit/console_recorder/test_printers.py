"""Numbers, texts and dumps as characters; events of link and drive, each told once."""

import pytest
from amaranth.sim import Simulator

from sata_recorder.core.drive_port import Error
from sata_recorder_platforms.console_recorder.block_printer import BlockPrinter
from sata_recorder_platforms.console_recorder.events import Events
from sata_recorder_platforms.console_recorder.messages import Block, Page
from sata_recorder_platforms.console_recorder.number_printer import NumberPrinter


def simulate(component, testbench):
    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


def printed(component, words=None):
    """What ``component`` prints after ``start``; ``words``: dwords of its memory."""
    found = []

    async def take(ctx):
        ctx.set(component.start, 1)
        await ctx.tick()
        ctx.set(component.start, 0)
        clocks = 0
        while ctx.get(component.busy):
            if words is not None:
                ctx.set(component.value, words[ctx.get(component.dword)])
            clocks += 1
            assert clocks < 20_000
            ctx.set(component.o.ready, clocks % 3 == 0)
            _, _, valid, ready, char = await ctx.tick().sample(
                component.o.valid, component.o.ready, component.o.payload)
            if valid and ready:
                found.append(chr(char))
        if words is not None:
            await ctx.tick()
            assert ctx.get(component.dword) == 0

    return found, take


@pytest.mark.parametrize("form, value, text", [
    ({}, 0, "0"), ({}, 100, "100"), ({}, 2**48 - 1, "281474976710655"),
    ({"absent": 1}, 2**48 - 1, "-"), ({"absent": 1}, 7, "7"),
    ({"hundredths": 1}, 29427, "294.27"), ({"hundredths": 1}, 5, "0.05"),
    ({"hexadecimal": 1}, 0xBFF, "00000bff"), ({"hexadecimal": 1, "short": 1}, 0x150, "50"),
])
def test_number(form, value, text):
    printer = NumberPrinter()
    found, take = printed(printer)

    async def testbench(ctx):
        ctx.set(printer.form, form)
        ctx.set(printer.value, value)
        await take(ctx)

    simulate(printer, testbench)
    assert "".join(found) == text


def shown(block, data):
    printer = BlockPrinter()
    found, take = printed(printer, [int.from_bytes(data[at:at + 4], "little")
                                    for at in range(0, 512, 4)])

    async def testbench(ctx):
        ctx.set(printer.block, block)
        await take(ctx)

    simulate(printer, testbench)
    return "".join(found)


def test_dump():
    data = bytes(range(256)) * 2
    lines = [f"{at:03x}: {data[at:at + 16].hex(' ')}" for at in range(0, 512, 16)]
    assert shown(Block.SECTOR, data) == "\r\n".join(lines)


@pytest.mark.parametrize("text, expected", [
    ("  A  B\x07C ", "A  B?C"), ("", ""), ("x" * 40, "x" * 40)])
def test_text(text, expected):
    """Words of the IDENTIFY DEVICE data have their first character in the upper byte."""
    characters = text.ljust(40).encode("latin-1")
    data = bytearray(512)
    data[54:94] = b"".join(characters[at:at + 2][::-1] for at in range(0, 40, 2))
    assert shown(Block.MODEL, bytes(data)) == expected


def test_events():
    events = Events()
    found = []

    async def settle(ctx):
        for _ in range(5):
            await ctx.tick()
            if ctx.get(events.valid):
                found.append((Page(ctx.get(events.page)), ctx.get(events.failed)))
                ctx.set(events.take, 1)
                await ctx.tick()
                ctx.set(events.take, 0)

    async def testbench(ctx):
        for names in ({"link_up": 1}, {"error": Error.TIMEOUT}, {"error": Error.NONE, "ready": 1},
                      {"ready": 0, "active": 1, "error": Error.DRIVE_ERROR}, {"active": 0},
                      {"link_up": 0}, {"link_up": 1, "ready": 1}):
            for signal, name in ((events.link_up, "link_up"), (events.ready, "ready"),
                                 (events.error, "error"), (events.active, "active")):
                if name in names:
                    ctx.set(signal, names[name])
            await settle(ctx)

    simulate(events, testbench)
    assert found == [
        (Page.LINK_EVENT, 0), (Page.ERROR_EVENT, 1), (Page.READY_EVENT, 0),
        (Page.LINK_EVENT, 0), (Page.LINK_EVENT, 0), (Page.READY_EVENT, 0)]
