"""FLUSH CACHE that fails."""

import pytest

from sata_recorder.core.command import CommandResult
from sata_recorder.core.drive_port import Error, JournalKind, Operation
from unit.core.sequencer.recovering import RETRY, SERIAL, replug
from unit.core.sequencer.world import page, run


def test_flush_is_repeated():
    async def script(world):
        await world.bring_up(page(**SERIAL))
        await world.begin(Operation.RECORD_FLUSH, 100, 16)
        await world.complete()
        await world.until(lambda: len(world.commands) == 2)
        flush = world.commands[1]
        await replug(world, away=5, **SERIAL)
        await world.until(lambda: not world.get("status__recovering"))
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.get("status__retries") == 1
        assert flush[2] in (0xE7, 0xEA)
        assert world.marks == [(JournalKind.UNFLUSHED, Error.LINK_LOST, 100, 16)]
    run(script, **RETRY)


@pytest.mark.parametrize("operation", [Operation.RECORD_FLUSH, Operation.FLUSH])
def test_flush_that_failed_is_not_repeated(operation):
    """What could not be written has left the cache then: the next one would succeed without it."""
    async def script(world):
        await world.bring_up()
        await world.begin(operation, 100, 16)
        if operation == Operation.RECORD_FLUSH:
            await world.complete()
        await world.complete(CommandResult.DRIVE_ERROR)
        assert await world.end() == Error.DRIVE_ERROR
        assert world.get("status__retries") == 0
        assert world.marks == ([(JournalKind.UNFLUSHED, Error.DRIVE_ERROR, 100, 16)]
                         if operation == Operation.RECORD_FLUSH else [])
    run(script, **RETRY)


def test_flush_alone_ends_with_the_link():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.FLUSH)
        world.link(0)
        assert await world.end() == Error.LINK_LOST
    run(script, **RETRY)


@pytest.mark.parametrize("after", range(5))
def test_flush_alone_moves_no_words_whenever_the_link_falls(after):
    async def script(world):
        await world.bring_up(page(**SERIAL))
        await world.start(Operation.FLUSH)
        seen = 0
        for clock in range(60):
            if clock == after:
                world.link(0)
            await world.tick()
            seen |= world.get("port__playing") | world.get("port__recording")
        assert not seen
    run(script, **RETRY)


@pytest.mark.parametrize("tries", [1, 2, 3])
def test_flush_alone_is_repeated_where_the_drive_refused_it(tries):
    """And is not followed by anything else, whatever extent is at the pins."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.FLUSH, 100, 16)
        for number in range(tries):
            await world.complete(CommandResult.REFUSED)
            await world.until(lambda: len(world.commands) == 2 + number)
        await world.complete()
        assert await world.end() == Error.NONE
        assert [command[2] for command in world.commands] == [0xEA] * (1 + tries)
        assert world.get("status__retries") == tries
        assert world.get("status__sectors_done") == 0
    run(script, **RETRY)


def test_flush_alone_does_not_leave_anything():
    """A recording after it that fails is replayed, not flushed."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.FLUSH)
        await world.complete()
        assert await world.end() == Error.NONE
        await world.begin(Operation.RECORD, 100, 16)
        await world.complete(CommandResult.REFUSED)
        await world.until(lambda: len(world.commands) == 3)
        await world.complete()
        assert await world.end() == Error.NONE
        assert [command[2] for command in world.commands] == [0xEA, 0x35, 0x35]
    run(script, **RETRY)
