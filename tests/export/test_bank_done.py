"""What the register bank keeps of the clock of `done`, and the interrupt."""

import pytest
from export.bank_bus import Bus

from sata_recorder.bricks.registers import RegisterBank
from sata_recorder.interface import FILE, POWER


def test_done_and_irq():
    """STATUS.DONE keeps the clock of `done` until it is cleared or an operation starts."""
    bank = RegisterBank()
    bus = Bus(bank)
    status, control = 0x00C, 0x008

    async def end(ctx):
        ctx.set(bank.user.status.done, 1)
        await ctx.tick()
        ctx.set(bank.user.status.done, 0)

    async def seen(ctx):
        data, _ = await bus.read(ctx, status)
        return data & 1, ctx.get(bank.axil.irq)

    async def run(ctx):
        assert await seen(ctx) == (0, 0)
        await end(ctx)
        assert await seen(ctx) == (1, 0)
        await bus.write(ctx, 0x010, 1)
        assert await seen(ctx) == (1, 1)
        await bus.write(ctx, status, 0)
        await bus.write(ctx, status, 1, strobes=0b1110)
        assert await seen(ctx) == (1, 1)
        await bus.write(ctx, status, 1)
        assert await seen(ctx) == (0, 0)
        await end(ctx)
        assert await seen(ctx) == (1, 1)
        await bus.write(ctx, control, 1)
        assert await seen(ctx) == (0, 0)

    bus.run(run)


@pytest.mark.parametrize("control, status, enable, of, group", [
    (0x008, 0x00C, 0x010, "core", FILE), (0x900, 0x904, 0x908, "file", FILE),
    (0x008, 0x00C, 0x010, "core", POWER)])
def test_an_ignored_start_clears_no_done(control, status, enable, of, group):
    """With files a recording ends while a slot is being looked for, and an operation while power
    fails: busy stays high."""
    bank = RegisterBank(group)
    bus = Bus(bank)
    busy, done = ((bank.user.file.busy, bank.user.file.done) if of == "file" else
                  (bank.user.status.busy, bank.user.status.done))

    async def run(ctx):
        await bus.write(ctx, enable, 1)
        ctx.set(busy, 1)
        ctx.set(done, 1)
        await ctx.tick()
        ctx.set(done, 0)
        await bus.write(ctx, control, 1)
        data, _ = await bus.read(ctx, status)
        assert (data & 1, ctx.get(bank.axil.irq)) == (1, 1)
        ctx.set(busy, 0)
        await bus.write(ctx, control, 1)
        data, _ = await bus.read(ctx, status)
        assert (data & 1, ctx.get(bank.axil.irq)) == (0, 0)

    bus.run(run)


@pytest.mark.sample(3)
@pytest.mark.parametrize("written, shown", [("START", 0), ("DONE", 1), ("STOP", 1), (None, 1)])
def test_written_in_the_clock_of_done(written, shown):
    """`start` is never ignored in that clock: DONE is of the operation that begins. Cleared in
    that clock, it stays: the manager cannot have seen it."""
    bank = RegisterBank()
    bus = Bus(bank, stall=0)
    address, data = {"START": (0x008, 1), "STOP": (0x008, 2), "DONE": (0x00C, 1),
                     None: (0x028, 5)}[written]

    async def run(ctx):
        for earlier in range(8):    # one of them is that clock
            await bus.write(ctx, 0x00C, 1)
            bus.begin_write(address, data)
            for _ in range(earlier):
                await ctx.tick()
            ctx.set(bank.user.status.done, 1)
            meets = written == "START" and ctx.get(bank.user.control.start)
            met.append(meets)
            await ctx.tick()
            ctx.set(bank.user.status.done, 0)
            await bus.manager.receive(ctx, "b")
            state, _ = await bus.read(ctx, 0x00C)
            found.append(state & 1)
    met, found = [], []
    bus.run(run)
    if written == "START":
        assert sum(met) == 1
        # Before that clock DONE is cleared afterwards, after that clock it is not.
        at = met.index(1)
        assert found == [0] * (at + 1) + [1] * (7 - at)
    elif written == "DONE":
        assert 0 in found and 1 in found and found == sorted(found)
    else:
        assert found == [shown] * 8
