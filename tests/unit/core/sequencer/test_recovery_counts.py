"""What is counted of failures: again in each operation, for each command, over all of the drive."""

import pytest

from sata_recorder.core.command import CommandResult
from sata_recorder.core.drive_port import Error, JournalKind, Operation
from unit.core.sequencer.recovering import RETRY, SERIAL, extents, replug
from unit.core.sequencer.world import CLEAR, page, run

#: The last sectors of the largest drive.
FAR = (1 << 48) - 40


def test_skipped_sectors_are_those_of_the_operation():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 16)
        world.bench.set(port__recovery__resume_offset=5)
        await world.complete(CommandResult.DATA_CRC)
        await world.until(lambda: len(world.commands) == 2)
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.get("status__skipped_sectors") == 5
        await world.begin(Operation.RECORD, 200, 16)
        assert world.get("status__skipped_sectors") == 0
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.get("status__sectors_done") == 16
    run(script, **RETRY | {"on_failure": "skip"})


@pytest.mark.parametrize("recovery", [RETRY, {"recovery": False, "retain_sectors": 0}])
def test_cause_is_that_of_the_operation(recovery):
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 16)
        for _ in range(1 + recovery.get("retries", 0)):
            before = len(world.commands)
            await world.complete(CommandResult.DRIVE_ERROR)
            await world.until(lambda: world.done or len(world.commands) > before)
        assert await world.end() == Error.DRIVE_ERROR
        assert world.get("status__cause") == Error.DRIVE_ERROR
        await world.begin(Operation.RECORD, 200, 16)
        assert world.get("status__cause") == Error.NONE
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.get("status__cause") == Error.NONE
    run(script, **recovery)


@pytest.mark.parametrize("lba", [100, FAR])
def test_flush_of_what_a_drive_has_lost(lba):
    """A FLUSH CACHE that would succeed reports what had been in the cache."""
    async def script(world):
        await world.bring_up(page(**SERIAL))
        await world.begin(Operation.RECORD, lba, 16)
        await world.complete()
        assert await world.end() == Error.NONE
        await replug(world, away=5, **SERIAL)
        assert world.get("status__unflushed")
        await world.begin(Operation.FLUSH)
        await world.complete()
        assert await world.end() == Error.LINK_LOST
        assert world.marks == [(JournalKind.UNFLUSHED, Error.LINK_LOST, lba, 16)]
    run(script, **RETRY)


@pytest.mark.parametrize("lba", [100, FAR])
def test_flush_that_fails_leaves_all_in_doubt(lba):
    """Not the FLUSH CACHE alone: what was recorded before it, and what the next one cannot know."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD_FLUSH, lba, 16)
        await world.complete()
        await world.until(lambda: len(world.commands) == 2)
        await world.complete(CommandResult.DRIVE_ERROR)
        assert await world.end() == Error.DRIVE_ERROR
        assert world.marks == [(JournalKind.UNFLUSHED, Error.DRIVE_ERROR, lba, 16)]
        assert world.get("status__unflushed")
        await world.begin(Operation.FLUSH)
        await world.complete()
        assert await world.end() == Error.LINK_LOST
    run(script, **RETRY)


@pytest.mark.parametrize("recovery", [RETRY, {"recovery": False, "retain_sectors": 0}])
@pytest.mark.parametrize("operation", [Operation.FLUSH, Operation.RECORD_FLUSH])
def test_flush_that_fails_takes_no_word_back(operation, recovery):
    async def script(world):
        await world.bring_up()
        await world.begin(operation, 100, 16)
        if operation == Operation.RECORD_FLUSH:
            await world.complete()
            await world.until(lambda: len(world.commands) == 2)
        await world.complete(CommandResult.DRIVE_ERROR)
        while not world.done:
            assert not world.get("port__recovery__rewind")
            await world.tick()
        assert world.error == Error.DRIVE_ERROR
    run(script, **recovery)


def test_flush_that_succeeds_leaves_none():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD_FLUSH, 100, 16)
        await world.complete()
        await world.until(lambda: len(world.commands) == 2)
        await world.complete()
        assert await world.end() == Error.NONE
        await world.tick(10)
        assert not world.get("status__unflushed") and not world.marks
    run(script, **RETRY)


@pytest.mark.parametrize("operation", [Operation.FLUSH, Operation.RECORD_FLUSH])
def test_flush_is_tried_as_often_as_another_command(operation):
    async def script(world):
        await world.bring_up()
        await world.begin(operation, 100, 16)
        before = 0
        if operation == Operation.RECORD_FLUSH:
            await world.complete()
            before = 1
        for tries in range(4):
            await world.until(lambda: len(world.commands) == before + 1 + tries)
            await world.complete(CommandResult.REFUSED)
        assert await world.end() == Error.COMMAND_REFUSED
        assert world.get("status__retries") == 3
    run(script, **RETRY)


def test_recording_makes_no_progress_by_words_that_are_gone():
    """What is tried after them has been tried as often as what was before them."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 60)
        for tries, offset in enumerate([0, 0, 1, 0, 0]):
            await world.until(lambda: len(world.commands) == 1 + tries)
            world.bench.set(port__recovery__resume_offset=offset)
            await world.complete(CommandResult.DRIVE_ERROR)
        await world.until(lambda: len(world.commands) == 6)
        assert extents(world) == [(100, 16)] * 3 + [(101, 16)] * 2 + [(117, 16)]
        await world.tick(20)
        assert [mark[0::2] for mark in world.marks] == [(JournalKind.SKIPPED, 100),
                                                        (JournalKind.SKIPPED, 101)]
        assert world.get("status__skipped_sectors") == 17
        assert world.get("status__retries") == 3
    run(script, **RETRY | {"on_failure": "skip"})


def test_first_command_waits_until_the_ledger_is_cleared():
    async def script(world):
        await world.bring_up()
        await world.start(Operation.RECORD, 100, 16)
        begun = world.clock
        await world.until(lambda: world.commands)
        assert world.clock - begun == CLEAR + 1
    run(script, **RETRY)
