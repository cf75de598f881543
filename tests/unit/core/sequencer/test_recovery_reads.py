"""Playbacks that fail: what was delivered, what is read again."""

import pytest

from sata_recorder.core.command import CommandResult
from sata_recorder.core.drive_port import Error, JournalKind, Operation
from unit.core.sequencer.recovering import RETRY, SERIAL, extents, replug
from unit.core.sequencer.world import page, run


@pytest.mark.parametrize("status, error, place, then", [
    (0x51, 0x40, 105, 105), (0x51, 0x40, 115, 105), (0x51, 0x40, 104, None),
    (0x51, 0x40, 0, None), (0x51, 0x40, 116, None), (0x10, 0x40, 105, None),
    (0x51, 0x84, 0, 100), (0x51, 0x84, 105, 100), (0x10, 0x84, 105, None), (0x51, 0x10, 105, 105),
    (0x71, 0x40, 105, 105), (0x51, 0x04, 105, None), (0x71, 0x04, 105, None), (0x70, 0x40, 105, None)])
def test_what_a_read_delivered(status, error, place, then):
    """It is good if the status names a sector after it, within the command, as UNC and IDNF do. If that
    blames the interface it is read again, because no status has confirmed it."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.PLAY, 100, 40)
        world.bench.set(port__recovery__resume_offset=5, command__error_lba=place,
                        command__status=status,
                        command__error=error)
        await world.complete(CommandResult.DRIVE_ERROR)
        await world.tick(60)
        if then:
            assert extents(world) == [(100, 16), (then, 16)]
            assert world.get("status__sectors_done") == then - 100
        else:
            assert await world.end() == Error.DRIVE_ERROR
            assert world.marks == [(JournalKind.IN_DOUBT, Error.DRIVE_ERROR, 100, 16)]
            assert world.get("status__sectors_done") == 0
    run(script, **RETRY)


@pytest.mark.parametrize("place, then", [(104, None), (105, None), (106, 105), (115, 105)])
def test_error_in_a_sector_that_was_delivered_in_part(place, then):
    """The drive reports that it could not read what it has sent: nothing of it is good."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.PLAY, 100, 40)
        world.bench.set(port__recovery__resume_offset=5, port__recovery__partial=1,
                        command__error_lba=place, command__status=0x51, command__error=0x40)
        await world.complete(CommandResult.DRIVE_ERROR)
        await world.tick(60)
        if then:
            assert extents(world) == [(100, 16), (then, 16)]
        else:
            assert await world.end() == Error.DRIVE_ERROR
            assert world.marks == [(JournalKind.IN_DOUBT, Error.DRIVE_ERROR, 100, 16)]
            assert world.get("status__sectors_done") == 0
    run(script, **RETRY)


@pytest.mark.parametrize("cause", ["link", "silence", CommandResult.DATA_CRC])
def test_read_without_a_good_status_is_repeated(cause):
    """However much of it was delivered; and as long as it comes further each time."""
    async def script(world):
        await world.bring_up(page(**SERIAL))
        await world.begin(Operation.PLAY, 100, 16)
        for number, offset in enumerate([3, 4, 5, 16, 16, 16, 16]):
            world.bench.set(port__recovery__resume_offset=offset)
            await world.tick(5)
            assert world.get("command__spec__registers__lba") == 100
            assert world.get("command__spec__registers__count") == 16
            if cause == "link":
                world.link(0)
            elif cause == "silence":
                await world.until(lambda: world.get("phy__reset"))
                world.link(0)
            else:
                await world.complete(cause)
            for _ in range(30):
                repeats = world.get("port__recovery__reread")
                await world.tick()
                if repeats:
                    break
            assert repeats == (number < 6)
            if cause != CommandResult.DATA_CRC and number < 6:
                await replug(world, **SERIAL)
            await world.until(lambda: world.done or not world.get("status__recovering"))
        assert await world.end() == {
            "link": Error.LINK_LOST, "silence": Error.TIMEOUT}.get(cause, Error.DATA_CRC)
        assert world.get("status__sectors_done") == 0
    run(script, **RETRY)


@pytest.mark.parametrize("sectors", [1, 3])
def test_how_far_a_read_came_is_forgotten_with_its_success(sectors):
    """The next command has its own tries, and comes further when it delivers its first sectors."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.PLAY, 100, 32)
        failures = [(100, 5), (116, 0), (116, 0), (116, 0), (116, sectors)]
        for number, (place, offset) in enumerate(failures):
            await world.until(lambda: len(world.commands) == 1 + number + (place == 116))
            assert extents(world)[-1] == (place, 16)
            world.bench.set(port__recovery__resume_offset=offset)
            await world.complete(CommandResult.DATA_CRC)
            await world.until(lambda: not world.get("status__recovering"))
            if place == 100:
                await world.complete()
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.get("status__sectors_done") == 32
    run(script, **RETRY)


@pytest.mark.parametrize("retries, commands", [(0, 1), (1, 5), (2, 6)])
def test_read_that_comes_further_each_time(retries, commands):
    """It is tried again for as long as it does, if it is tried again at all."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.PLAY, 100, 16)
        for offset in (3, 6, 9, 12, 12, 12):
            world.bench.set(port__recovery__resume_offset=offset)
            await world.complete(CommandResult.DATA_CRC)
            await world.until(lambda: world.done or not world.get("status__recovering"))
            if world.done:
                break
        assert await world.end() == Error.DATA_CRC
        return len(world.commands)
    assert run(script, **RETRY | {"retries": retries}) == commands


def test_progress_counts_from_where_the_drive_found_its_error():
    """What precedes a sector that the status names is good: the rest is another command, with its own beginning."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.PLAY, 100, 16)
        for number, (place, offset) in enumerate([(100, 5), (105, 3), (108, 2)]):
            await world.until(lambda: len(world.commands) == 1 + number)
            assert extents(world)[-1] == (place, 116 - place)
            world.bench.set(port__recovery__resume_offset=offset, command__error_lba=place + offset,
                            command__status=0x51, command__error=0x40)
            await world.complete(CommandResult.DRIVE_ERROR)
            await world.until(lambda: world.done or not world.get("status__recovering"))
        await world.until(lambda: len(world.commands) == 4)
        await world.complete()
        assert await world.end() == Error.NONE
        assert extents(world)[-1] == (110, 6) and world.get("status__sectors_done") == 16
    run(script, **RETRY | {"retries": 1})


def test_play_back_that_is_stopped_waits_for_no_drive():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.PLAY, 100, 40)
        world.link(0)
        await world.tick(50)
        world.bench.set(port__stopped=1, port__pending_sectors=0)
        before = world.clock
        assert await world.end() == Error.NONE
        assert world.clock - before < 200 and world.get("status__retries") == 0
    run(script, **RETRY)


def test_play_back_of_words_that_may_be_wrong_ends_at_once():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.PLAY, 100, 40)
        world.bench.set(port__drained=0, port__recovery__tainted=1)
        await world.complete(CommandResult.DATA_CRC)
        assert await world.end() == Error.DATA_CRC
    run(script, **RETRY)


def test_play_back_that_fails_delivers_what_is_good():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.PLAY, 100, 40)
        await world.complete()
        await world.tick(10)
        world.bench.set(port__drained=0)
        for number in range(4):
            await world.until(lambda: len(world.commands) == 2 + number)
            await world.complete(CommandResult.DRIVE_ERROR)
        await world.tick(500)
        assert world.get("status__busy") and world.get("port__playing")
        assert not world.get("status__recovering")
        world.bench.set(port__drained=1)
        assert await world.end() == Error.DRIVE_ERROR
        assert world.get("status__sectors_done") == 16
    run(script, **RETRY)


@pytest.mark.parametrize("clock", range(16))
def test_status_that_comes_while_all_is_decided(clock):
    """The drive repeats its status, without the error: each sector is done or in doubt still."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.PLAY, 100, 40)
        world.bench.set(port__recovery__resume_offset=5, command__error_lba=105,
                        command__status=0x51,
                        command__error=0x40)
        await world.complete(CommandResult.DRIVE_ERROR)
        await world.tick(clock)
        world.bench.set(command__status=0x50, command__error=0)
        world.bench.set(port__recovery__settled=0)
        await world.tick(20)
        world.link(0)
        assert await world.end() == Error.DRIVE_ERROR
        (kind, _, place, length), = world.marks
        assert kind == JournalKind.IN_DOUBT and place + length == 116
        assert world.get("status__sectors_done") == place - 100 in (0, 5)
    run(script, **RETRY)


@pytest.mark.parametrize("offset", [0, 5])
def test_the_rest_of_a_read_is_passed_over(offset):
    """What the status confirmed counts as done."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.PLAY, 100, 40)
        world.bench.set(port__recovery__resume_offset=offset, command__error_lba=105,
                        command__status=0x51,
                        command__error=0x40)
        await world.complete(CommandResult.DRIVE_ERROR)
        await world.until(lambda: len(world.commands) == 2)
        for _ in range(2):
            await world.complete()
        assert await world.end() == Error.NONE
        assert extents(world)[1] == (116, 16)
        assert world.marks == [(JournalKind.SKIPPED, Error.DRIVE_ERROR, 100 + offset, 16 - offset)]
        assert world.get("status__skipped_sectors") == 16 - offset
        assert world.get("status__sectors_done") == 24 + offset
    run(script, max_command_sectors=16, on_failure="skip")
