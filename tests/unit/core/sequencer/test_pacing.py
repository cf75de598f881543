"""Programmable pacing: shorter commands, and a delay before each that follows another."""

import pytest

from sata_recorder.core.command import CommandResult
from sata_recorder.core.drive_port import Error, Operation
from unit.core.sequencer.recovering import RETRY
from unit.core.sequencer.world import LIMITS, run


def paced(script):
    return run(script, 16, "programmable")


async def follow(world):
    """Clocks from the end of the command in flight to the next one."""
    await world.tick(8)
    before, begin = len(world.commands), world.clock
    await world.tick(command__done=1, command__succeeded=1, command__result=CommandResult.SUCCESS)
    await world.until(lambda: len(world.commands) > before)
    return world.clock - begin


@pytest.mark.parametrize("turnaround", [0, 1, 2, 7, 300, 2 * LIMITS["command"]])
def test_delay(turnaround):
    """Exactly as long as it states, and no silence of the drive however long it is."""
    async def script(world):
        world.bench.set(pacing__turnaround=turnaround, pacing__command_limit=3)
        await world.bring_up()
        await world.begin(Operation.RECORD_FLUSH, 100, 9)
        clocks = [await follow(world), await follow(world)]
        await world.complete()
        flush = world.clock
        await world.until(lambda: len(world.commands) == 4)
        flush = world.clock - flush
        await world.complete()
        assert await world.end() == Error.NONE
        return clocks, flush, [command[3:5] for command in world.commands[:3]]
    clocks, flush, commands = paced(script)
    assert clocks == [1 + turnaround] * 2
    assert flush <= 1, "no command of the extent follows: nothing to delay"
    assert commands == [(100, 3), (103, 3), (106, 3)]


def test_first_command_is_not_delayed():
    async def script(world, turnaround):
        world.bench.set(pacing__turnaround=turnaround)
        await world.bring_up()
        begin = world.clock
        await world.begin(Operation.PLAY, 0, 1)
        return world.clock - begin
    first, second = (paced(lambda world, n=n: script(world, n)) for n in (0, 500))
    assert first == second


@pytest.mark.parametrize("operation, flushes", [(Operation.RECORD, 0), (Operation.RECORD_FLUSH, 1)])
def test_stop_while_delayed(operation, flushes):
    """The command that waits is not begun when no more is wanted."""
    async def script(world):
        world.bench.set(pacing__turnaround=50)
        await world.bring_up()
        await world.begin(operation, 0, 64)
        await world.complete()
        await world.tick(10)
        world.bench.set(port__stopped=1, port__pending_sectors=0)
        if flushes:
            await world.until(lambda: len(world.commands) == 2)
            await world.complete()
        assert await world.end() == Error.NONE
        world.bench.set(port__stopped=0)
        return world.get("status__sectors_done"), [command[2] for command in world.commands]
    assert paced(script) == (16, [0x35, 0xEA][:1 + flushes])


@pytest.mark.parametrize("at", [1, 30, 50, 51, 52])
def test_link_lost_while_delayed(at):
    """No command is begun any more; the next operation starts without a left-over delay."""
    async def script(world):
        world.bench.set(pacing__turnaround=50)
        await world.bring_up()
        await world.begin(Operation.RECORD, 0, 64)
        await world.complete()
        await world.tick(at)
        begun = len(world.commands)
        world.link(0)
        assert await world.end() == Error.LINK_LOST
        assert len(world.commands) == begun
        await world.bring_up()
        await world.begin(Operation.PLAY, 7, 16)
        await world.complete()
        assert await world.end() == Error.NONE
        return [command[3] for command in world.commands]
    assert paced(script) == [7]


def test_a_pause_belongs_to_no_command():
    """Words that the recorder accuses in it fail the next command: the one before is completed."""
    async def script(world):
        await world.bring_up()
        world.bench.set(pacing__turnaround=200)
        await world.begin(Operation.PLAY, 100, 3)
        await world.complete()
        await world.tick(20)
        world.bench.set(port__lost=1)
        for _ in range(100):
            assert not world.get("port__recovery__rewind") and not world.get("status__recovering")
            await world.tick()
        await world.until(lambda: world.get("port__recovery__rewind"))
        assert [lba for _, _, _, lba, *_ in world.commands] == [100, 102]
    run(script, pacing="programmable", **RETRY | {"max_command_sectors": 2})
