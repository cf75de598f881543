"""A link that falls while an operation runs: the drive that comes back, and the speed."""

import pytest

from sata_recorder.core.command import CommandResult
from sata_recorder.core.drive_port import Error, JournalKind, Operation
from short import short
from unit.core.sequencer.recovering import PATIENCE, PAUSE, RETRY, SERIAL, extents, replug
from unit.core.sequencer.world import ERRORS, page, run


@pytest.mark.parametrize("back, error", [(SERIAL, Error.NONE),
                                         (SERIAL | {"w19": 0x1234}, Error.OTHER_DRIVE)])
def test_unplugged_and_back(back, error):
    async def script(world):
        world.link(0)
        await world.tick(2)
        world.link(1)
        await world.tick(2)
        await world.tick(command__signature_received=1, command__is_ata=1)
        await world.identify(page(**SERIAL))
        await world.begin(Operation.RECORD, 100, 40)
        await world.complete()
        await world.until(lambda: len(world.commands) == 2)
        await world.tick(5)
        world.link(0)
        await world.tick(1000)
        assert world.get("status__recovering") and world.get("status__busy")
        assert world.get("port__recording")
        await replug(world, **back)
        if error:
            assert await world.end() == error
            assert world.marks == [(JournalKind.IN_DOUBT, Error.LINK_LOST, 116, 16),
                             (JournalKind.UNFLUSHED, Error.LINK_LOST, 100, 16)]
            assert len(world.commands) == 2
            return
        await world.until(lambda: world.commands and extents(world)[-1] == (116, 16))
        await world.complete()
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.marks == [(JournalKind.UNFLUSHED, Error.LINK_LOST, 100, 16)]
        assert world.get("status__sectors_done") == 40
    run(script, **RETRY)


@pytest.mark.parametrize("words, error", [
    ({"w49": 0}, Error.NO_DMA_LBA), ({"w0": 0x8580}, Error.NOT_ATA)])
def test_drive_that_comes_back_cannot_be_used(words, error):
    """The same one, if its serial number is to be believed: no reason to wait any longer."""
    async def script(world):
        await world.bring_up(page(**SERIAL))
        await world.begin(Operation.RECORD, 100, 40)
        await world.tick(5)
        before = world.clock
        await replug(world, away=5, **SERIAL | words)
        assert await world.end() == error
        assert world.clock - before < PATIENCE / 2
        assert world.marks == [(JournalKind.IN_DOUBT, Error.LINK_LOST, 100, 16)]
    run(script, **RETRY)


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.RECORD_FLUSH, Operation.PLAY])
@pytest.mark.parametrize("before, after", [
    ({"sectors": 2**48 - 1}, {"sectors": 2**28 - 1, "lba48": False}),
    ({"sectors": 2**28 - 1}, {"sectors": 2**28 - 1, "lba48": False}),
    ({"sectors": 2**28 - 1, "lba48": False}, {"sectors": 2**28 - 1}),
    ({"sectors": 2**28 + 600}, {"sectors": 2**28 + 599}),
    ({"sectors": 2**28 + 600}, {"sectors": 2**28 + 601}),
    ({"sectors": 2**28 + 600}, {"sectors": 2**32 + 2**28 + 600})])
@pytest.mark.parametrize("at", ["first", "second", "opening"])
def test_drive_that_comes_back_smaller_or_larger(operation, before, after, at):
    """Or with addresses of another width: no command goes to it, however it is called."""
    async def script(world):
        await world.bring_up(page(**before, **SERIAL))
        lba = 2**28 if before["sectors"] > 2**28 else 2**28 - 601
        if at == "opening":
            await world.start(operation, lba, 600)
        else:
            await world.begin(operation, lba, 600)
        if at == "second":
            await world.complete()
        await world.tick(5)
        number = len(world.commands)
        await replug(world, away=60, **after, **SERIAL)
        await world.tick(2 * PAUSE)
        assert world.done and world.error == Error.OTHER_DRIVE
        assert len(world.commands) <= number
    run(script, **RETRY | {"max_command_sectors": 512})


def test_drive_that_does_not_come_back():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD_FLUSH, 100, 40)
        world.link(0)
        before = world.clock
        assert await world.end() == Error.LINK_LOST
        assert PATIENCE <= world.clock - before < 1.1 * PATIENCE + 200
        assert world.marks == [(JournalKind.IN_DOUBT, Error.LINK_LOST, 100, 16)]
    run(script, **RETRY)


@pytest.mark.parametrize("cause", ["link", CommandResult.DATA_CRC, CommandResult.PROTOCOL])
def test_what_was_done_before_may_be_in_a_cache(cause):
    """A recording that ends without any retry says so, too, if the drive lost the link or was
    reset."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 40)
        await world.complete()
        await world.until(lambda: len(world.commands) == 2)
        if cause == "link":
            world.link(0)
        else:
            await world.complete(cause, needs_comreset=cause == CommandResult.PROTOCOL)
        error = Error.LINK_LOST if cause == "link" else ERRORS[cause]
        assert await world.end() == error
        unflushed = [(JournalKind.UNFLUSHED, error, 100,
                      16)] if cause != CommandResult.DATA_CRC else []
        assert world.marks == [(JournalKind.IN_DOUBT, error, 116, 16), *unflushed]
    run(script, max_command_sectors=16)


@pytest.mark.parametrize("operation, away", short(
    [(operation, away) for operation in Operation if operation != Operation.FLUSH
     for away in (1, 60)],
    [(Operation.RECORD, 60), (Operation.RECORD_FLUSH, 1), (Operation.PLAY, 1)]))
@pytest.mark.parametrize("after", [0, 1, 2, 3, 5, 9, 20, 34, 35, 36, 37, 38, 39, 40, 45])
def test_link_falls_as_an_operation_begins(operation, after, away):
    """While the extent is checked and the ledger cleared: it recovers as it does later."""
    async def script(world):
        await world.bring_up(page(sectors=140, **SERIAL))
        opens = []

        async def tick(clocks):
            for _ in range(clocks):
                opens.append(world.get("port__opening") or world.get("port__recording"))
                await world.tick()
        if after == 0:
            world.link(0)
        await world.start(operation, 100, 40)
        await tick(after - 1)
        world.link(0)
        await tick(max(away, 45 - after))
        assert world.get("status__recovering")
        assert world.get("activity__enable"), "its clocks are the operation's"
        if operation != Operation.PLAY:
            assert opens[opens.index(1):].count(0) == 1, "words are refused meanwhile"
        world.commands.clear()
        await replug(world, sectors=140, **SERIAL)
        await world.until(lambda: world.commands)
        assert extents(world) == [(100, 16)]
        for _ in range(3 + (operation == Operation.RECORD_FLUSH)):
            await world.complete()
        world.bench.set(port__drained=1)
        assert await world.end() == Error.NONE
        assert world.get("status__sectors_done") == 40 and world.marks == []
        assert world.get("status__cause") == Error.LINK_LOST
        assert world.get("status__retries") == 1
    run(script, **RETRY)


def test_stopped_as_the_drive_is_waited_for():
    """A playback that has not begun needs no drive any more."""
    async def script(world):
        await world.bring_up(page(**SERIAL))
        await world.start(Operation.PLAY, 100, 40)
        world.link(0)
        await world.until(lambda: world.get("status__recovering"))
        await world.tick(100)
        world.bench.set(port__stopped=1)
        before = world.clock
        assert await world.end() == Error.NONE
        assert world.clock - before < 100
    run(script, **RETRY)


@pytest.mark.parametrize("extent, error", [((100, 41), Error.OUT_OF_RANGE),
                                           ((100, 0), Error.ZERO_SECTORS)])
@pytest.mark.parametrize("after", [0, 1, 2, 3, 4, 20])
def test_link_falls_as_an_operation_is_refused(extent, error, after):
    async def script(world):
        await world.bring_up(page(sectors=140, **SERIAL))
        if after == 0:
            world.link(0)
        await world.start(Operation.RECORD, *extent)
        await world.tick(max(0, after - 1))
        world.link(0)
        assert await world.end() == error
        assert not world.commands and not world.marks
    run(script, **RETRY)


@pytest.mark.parametrize("away", [1, 3, 20])
def test_link_that_is_back_before_the_first_command(away):
    """It is found out nevertheless: what came back may be another drive."""
    async def script(world):
        await world.bring_up(page(**SERIAL))
        await world.start(Operation.RECORD, 100, 40)
        await world.tick(5)
        world.link(0)
        await world.tick(away)
        world.link(1)
        await world.until(lambda: world.get("status__recovering"), most=60)
        assert extents(world) == []
    run(script, **RETRY)


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("away", [1, 30, 90])
def test_link_falls_in_a_pause_between_commands(same, away):
    """However soon it is back: the serial number is compared before anything is written."""
    async def script(world):
        await world.bring_up(page(**SERIAL))
        world.bench.set(pacing__turnaround=400)
        await world.begin(Operation.RECORD, 100, 40)
        await world.complete()
        await world.tick(20)
        await replug(world, away=away, **(SERIAL if same else SERIAL | {"w12": 7}))
        if not same:
            assert await world.end() == Error.OTHER_DRIVE
            assert [lba for lba, _ in extents(world)] == [100]
            assert world.marks[-1] == (JournalKind.UNFLUSHED, Error.LINK_LOST, 100, 16)
            return
        await world.until(lambda: not world.get("status__recovering"))
        for _ in range(2):
            await world.tick(500)
            await world.complete()
        assert await world.end() == Error.NONE
        assert world.get("status__sectors_done") == 40
        assert world.marks == [(JournalKind.UNFLUSHED, Error.LINK_LOST, 100, 16)]
    run(script, pacing="programmable", **RETRY)


def test_link_falls_while_a_pause_runs():
    """The drive was idle, and is not any more: what it had completed may have been in its cache."""
    async def script(world):
        await world.bring_up(page(**SERIAL))
        await world.begin(Operation.RECORD, 100, 40)
        await world.complete()
        for number in range(2):
            await world.until(lambda: len(world.commands) == 2 + number)
            await world.complete(CommandResult.DRIVE_ERROR)
        await world.tick(50)
        await replug(world, away=20, **SERIAL)
        await world.until(lambda: not world.get("status__recovering"))
        for _ in range(2):
            await world.complete()
        assert await world.end() == Error.NONE
        assert world.marks == [(JournalKind.UNFLUSHED, Error.DRIVE_ERROR, 100, 16)]
    run(script, **RETRY)


@pytest.mark.parametrize("late", range(4))
def test_link_falls_with_the_success_of_a_command(late):
    async def script(world):
        await world.bring_up(page(**SERIAL))
        await world.begin(Operation.RECORD, 100, 40)
        await world.tick(8)
        world.bench.set(command__done=1, command__succeeded=1, command__result=CommandResult.SUCCESS)
        if late == 0:
            world.link(0)
        await world.tick()
        world.bench.set(command__done=0, command__succeeded=0)
        for clock in range(1, 5):
            if late == clock:
                world.link(0)
            await world.tick()
        await world.tick(20)
        await replug(world, **SERIAL)
        await world.until(lambda: not world.get("status__recovering"))
        for _ in range(2):
            await world.complete()
        assert await world.end() == Error.NONE
        assert world.marks == [(JournalKind.UNFLUSHED, Error.LINK_LOST, 100, 16)]
        assert world.get("status__sectors_done") == 40
    run(script, **RETRY)


@pytest.mark.parametrize("cause", ["link", "silence", CommandResult.DATA_CRC,
                                   CommandResult.REFUSED])
def test_slower_link(cause):
    """The third failure of a command in a row, because of the line: one generation less, and a
    COMRESET with that limit."""
    async def script(world):
        await world.bring_up(page(**SERIAL))
        await world.begin(Operation.RECORD, 100, 16)
        for number in range(3):
            assert world.get("phy__limit") == 0
            world.bench.set(phy__generation=3)
            await world.tick(8)
            if cause == "link":
                world.link(0)
                world.bench.set(phy__generation=2)       # what the PHY tries next
            elif cause == "silence":
                await world.until(lambda: world.get("phy__reset"))
            else:
                await world.complete(cause, needs_comreset=cause == CommandResult.REFUSED)
            limited = 0
            for _ in range(40):
                await world.tick()
                if world.get("phy__reset"):
                    limited = world.get("phy__limit")
                    if number < 2:
                        world.link(0)
            assert limited == (2 if number == 2 else 0)
            if cause != CommandResult.DATA_CRC or number == 2:
                await replug(world, away=5, **SERIAL)
            await world.until(lambda: not world.get("status__recovering"))
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.get("phy__limit") == 2
        await replug(world, away=5, **SERIAL | {"w10": 1})
        assert world.get("phy__limit") == 0
    run(script, **RETRY)


@pytest.mark.parametrize("status, error", [(0x51, 0x40), (0x10, 0x84)])
def test_link_stays_fast_where_the_line_is_not_to_blame(status, error):
    """However often a command fails; ICRC counts in a status with ERR only."""
    async def script(world):
        await world.bring_up(page(**SERIAL))
        world.bench.set(phy__generation=3, command__status=status, command__error=error,
                        command__error_lba=105)
        await world.begin(Operation.RECORD, 100, 16)
        for number in range(4):
            await world.until(lambda: len(world.commands) == 1 + number)
            await world.complete(CommandResult.DRIVE_ERROR)
            for _ in range(30):
                await world.tick()
                assert not world.get("phy__reset") and not world.get("phy__limit")
        assert world.error == Error.DRIVE_ERROR
    run(script, **RETRY)


@pytest.mark.parametrize("fall", range(30))
def test_link_falls_for_good_after_a_failure(fall):
    """In whatever state of the recovery, or in the command that follows: it comes to its end."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 100, 16)
        await world.complete(CommandResult.DRIVE_ERROR)
        await world.tick(fall)
        world.link(0)
        before = world.clock
        assert await world.end() in (Error.DRIVE_ERROR, Error.LINK_LOST)
        assert PATIENCE <= world.clock - before < 1.1 * PATIENCE + 100
    run(script, **RETRY)
