"""What follows a failed command: what is issued, what is told to the recorder, how it ends."""

import pytest

from sata_recorder.core.command import CommandResult
from sata_recorder.core.drive_port import Error, JournalKind, Operation
from unit.core.sequencer.recovering import PATIENCE, PAUSE, RETRY, extents
from unit.core.sequencer.world import run


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY])
@pytest.mark.parametrize("result, error", [
    (CommandResult.DRIVE_ERROR, Error.DRIVE_ERROR), (CommandResult.DATA_CRC, Error.DATA_CRC),
    (CommandResult.SHORT_DATA, Error.SHORT_DATA)])
def test_replayed_at_once(operation, result, error):
    async def script(world):
        await world.bring_up()
        await world.begin(operation, 100, 40)
        await world.complete(result)
        before = world.clock
        await world.until(lambda: len(world.commands) == 2)
        assert world.clock - before < 40
        assert (world.get("status__cause"), world.get("status__retries")) == (error, 1)
        for _ in range(3):
            await world.complete()
        assert await world.end() == Error.NONE
        assert extents(world) == [(100, 16), (100, 16), (116, 16), (132, 8)]
        assert world.get("status__sectors_done") == 40
        assert not world.get("phy__reset")
    run(script, **RETRY)


def test_pauses_double_and_the_tries_end():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 40)
        await world.complete()
        failed = 0
        for number in range(4):
            await world.until(lambda: len(world.commands) == 2 + number)
            if number:
                pause = (0, 0, PAUSE, 2 * PAUSE)[number]
                assert pause <= world.clock - failed < pause + 60
            await world.complete(CommandResult.DRIVE_ERROR)
            failed = world.clock
        assert await world.end() == Error.DRIVE_ERROR
        assert extents(world) == [(100, 16)] + [(116, 16)] * 4
        assert world.get("status__retries") == 3
        assert world.marks == [(JournalKind.IN_DOUBT, Error.DRIVE_ERROR, 116, 16)]
    run(script, **RETRY)


def test_longest_pause():
    """It does not double for ever: 128 times the first one is the longest."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 16)
        pauses = []
        for number in range(12):
            await world.complete(CommandResult.DRIVE_ERROR)
            before = world.clock
            await world.until(lambda: len(world.commands) == 2 + number)
            pauses.append(world.clock - before)
        for number, pause in enumerate(pauses[1:]):
            wanted = 4 * 2**min(number, 7)
            assert wanted <= pause < 1.1 * wanted + 30
    run(script, **RETRY | {"retries": 12, "retry_delay": 4e-6})


@pytest.mark.parametrize("result, error", [
    (CommandResult.DATA_CRC, Error.DATA_CRC), (CommandResult.SHORT_DATA, Error.SHORT_DATA)])
@pytest.mark.parametrize("offset", [0, 5, 16])
def test_words_that_are_gone_are_passed_over(offset, result, error):
    """A recording continues after the sectors whose words have left the buffer, whatever is to blame."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 40)
        world.bench.set(port__recovery__resume_offset=offset)
        await world.complete(result)
        await world.until(lambda: len(world.commands) == 2)
        for _ in range(2):
            await world.complete()
        await world.until(lambda: world.done or len(world.commands) == 4)
        if not world.done:
            await world.complete()
        assert await world.end() == Error.NONE
        assert extents(world)[1][0] == 100 + offset
        assert world.marks == (
            [(JournalKind.SKIPPED, error, 100, offset)] if offset else [])
        assert world.get("status__skipped_sectors") == offset
        assert world.get("status__sectors_done") == 40 - offset
    run(script, **RETRY | {"on_failure": "skip"})


def test_words_that_are_gone_end_the_operation():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 40)
        world.bench.set(port__recovery__resume_offset=1)
        await world.complete(CommandResult.DATA_CRC)
        assert await world.end() == Error.DATA_CRC
        assert world.marks == [(JournalKind.IN_DOUBT, Error.DATA_CRC, 100, 16)]
        assert len(world.commands) == 1
    run(script, **RETRY)


def test_no_room_in_the_journal_ends_the_operation():
    async def script(world):
        await world.bring_up()
        world.bench.set(port__journal_room=0, port__recovery__resume_offset=3)
        await world.begin(Operation.RECORD, 100, 40)
        await world.complete(CommandResult.DATA_CRC)
        assert await world.end() == Error.DATA_CRC
        assert world.get("status__skipped_sectors") == 0
    run(script, **RETRY | {"on_failure": "skip"})


def test_whole_command_is_passed_over():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 40)
        for number in range(4):
            await world.until(lambda: len(world.commands) == 1 + number)
            await world.complete(CommandResult.DRIVE_ERROR)
        await world.until(lambda: len(world.commands) == 5)
        assert extents(world)[-1] == (116, 16)
        await world.complete()
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.marks == [(JournalKind.SKIPPED, Error.DRIVE_ERROR, 100, 16)]
    run(script, **RETRY | {"on_failure": "skip"})


@pytest.mark.parametrize("failures, offset, skipped, in_doubt", [
    (4, 0, (100, 16), None), (1, 5, (100, 5), (105, 11)), (4, 16, (100, 16), None)])
def test_what_was_passed_over_is_in_doubt_no_more(failures, offset, skipped, in_doubt):
    """The drive goes away after that, and the rest of the command is the only one in doubt."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 40)
        for number in range(failures):
            await world.until(lambda: len(world.commands) == 1 + number)
            if number == failures - 1:
                world.bench.set(port__recovery__settled=0, port__recovery__resume_offset=offset)
            await world.complete(CommandResult.DATA_CRC)
        await world.tick(50)
        world.link(0)
        assert await world.end() == Error.DATA_CRC
        assert world.marks == [(JournalKind.SKIPPED, Error.DATA_CRC, *skipped),
                         *([(JournalKind.IN_DOUBT, Error.DATA_CRC, *in_doubt)] if in_doubt else []),
                         (JournalKind.UNFLUSHED, Error.DATA_CRC, *skipped)]
        assert world.get("status__skipped_sectors") == skipped[1]
    run(script, **RETRY | {"on_failure": "skip"})


@pytest.mark.parametrize("offset", [0, 65535, 65536])
def test_longest_command(offset):
    """65,536 sectors are passed over as a whole: none more, none less."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 65540)
        world.bench.set(port__recovery__resume_offset=offset)
        await world.complete(CommandResult.DATA_CRC)
        await world.until(lambda: len(world.commands) == 2)
        assert extents(world)[1] == (65636, 4)
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.marks == [(JournalKind.SKIPPED, Error.DATA_CRC, 100, 65536)]
        assert world.get("status__skipped_sectors") == 65536
        assert world.get("status__sectors_done") == 4
    run(script, on_failure="skip")


def test_longest_command_in_doubt():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 65536)
        await world.complete(CommandResult.DATA_CRC)
        assert await world.end() == Error.DATA_CRC
        assert world.marks == [(JournalKind.IN_DOUBT, Error.DATA_CRC, 100, 65536)]
    run(script)


def test_end_waits_for_the_words_of_what_was_passed_over():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 16)
        world.bench.set(port__drained=0)
        for number in range(4):
            await world.until(lambda: len(world.commands) == 1 + number)
            await world.complete(CommandResult.DRIVE_ERROR)
        await world.tick(2 * PATIENCE)
        assert world.get("status__busy") and world.get("port__recording")
        world.bench.set(port__drained=1)
        assert await world.end() == Error.NONE
        assert world.get("status__skipped_sectors") == 16
    run(script, **RETRY | {"on_failure": "skip"})


@pytest.mark.parametrize("pending", [0, 3, 16])
def test_stop_makes_no_replay_shorter(pending):
    """The drive may have written zeros to the end of the command already."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 40)
        world.bench.set(port__stopped=1, port__pending_sectors=pending)
        await world.complete(CommandResult.DATA_CRC)
        await world.until(lambda: len(world.commands) == 2)
        world.bench.set(port__pending_sectors=0)
        await world.complete()
        assert await world.end() == Error.NONE
        assert extents(world) == [(100, 16), (100, 16)]
        assert world.get("status__sectors_done") == 16
    run(script, **RETRY)


def test_shortened_command_is_replayed_as_it_was():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 40)
        world.bench.set(port__stopped=1, port__pending_sectors=3)
        await world.complete()
        await world.until(lambda: len(world.commands) == 2)
        await world.complete(CommandResult.DATA_CRC)
        await world.until(lambda: len(world.commands) == 3)
        world.bench.set(port__pending_sectors=0)
        await world.complete()
        assert await world.end() == Error.NONE
        assert extents(world) == [(100, 16), (116, 3), (116, 3)]
    run(script, **RETRY)
