"""What follows a failed command: what is issued, what is told to the recorder, how it ends."""

import pytest

from sata_recorder.command import Result
from sata_recorder.sequencer import Error, Mark, Operation
from unit.sequencer.world import page, run

RECORD, PLAY, RECORD_FLUSH, FLUSH = (
    Operation.RECORD, Operation.PLAY, Operation.RECORD_FLUSH, Operation.FLUSH)
#: Clocks are microseconds: the first pause, and the longest recovery.
PAUSE, PATIENCE = 200, 2000
RETRY = {"retries": 3, "retry_delay": PAUSE / 1e6, "recovery_timeout": PATIENCE / 1e6,
         "max_command_sectors": 16}
SERIAL = {f"w{word}": 0x4100 + word for word in range(10, 20)}


async def marks(world):
    """The entries that the journal takes while this is waiting for it."""
    found = []
    tick = world.tick

    async def watching(clocks=1, **inputs):
        for n in range(clocks):
            await tick(1, **(inputs if n == 0 else {}))
            if world.get("stream__mark__valid"):
                found.append(tuple(world.get(f"stream__mark__payload__{name}")
                                   for name in ("kind", "cause", "position", "length")))
    world.tick = watching
    return found


def extents(world):
    return [(lba, words // 128) for _, words, _, lba, *_ in world.commands]


@pytest.mark.parametrize("operation", [RECORD, PLAY])
@pytest.mark.parametrize("result, error", [
    (Result.DRIVE_ERROR, Error.DRIVE_ERROR), (Result.DATA_CRC, Error.DATA_CRC),
    (Result.SHORT_DATA, Error.SHORT_DATA)])
def test_replayed_at_once(operation, result, error):
    async def script(world):
        await world.bring_up()
        await world.begin(operation, 100, 40)
        await world.complete(result)
        before = world.clock
        await world.until(lambda: len(world.commands) == 2)
        assert world.clock - before < 40
        assert (world.get("control__cause"), world.get("control__retries")) == (error, 1)
        for _ in range(3):
            await world.complete()
        assert await world.end() == Error.NONE
        assert extents(world) == [(100, 16), (100, 16), (116, 16), (132, 8)]
        assert world.get("control__sectors_done") == 40
        assert not world.get("comreset")
    run(script, **RETRY)


def test_pauses_double_and_the_tries_end():
    async def script(world):
        await world.bring_up()
        found = await marks(world)
        await world.begin(RECORD, 100, 40)
        await world.complete()
        for number in range(4):
            await world.until(lambda: len(world.commands) == 2 + number)
            if number:
                pause = (0, 0, PAUSE, 2 * PAUSE)[number]
                assert pause <= world.clock - failed < pause + 60
            await world.complete(Result.DRIVE_ERROR)
            failed = world.clock
        assert await world.end() == Error.DRIVE_ERROR
        assert extents(world) == [(100, 16)] + [(116, 16)] * 4
        assert world.get("control__retries") == 3
        assert found == [(Mark.IN_DOUBT, Error.DRIVE_ERROR, 116, 16)]
    run(script, **RETRY)


async def replug(world, **words):
    """The link comes back, with a drive that says this of itself."""
    world.link(1)
    await world.tick(2)
    await world.tick(command__greeting=1, command__is_ata=1)
    before = list(world.commands[:-1])
    await world.identify(page(**words))
    world.commands[:0] = before


@pytest.mark.parametrize("back, error", [(SERIAL, Error.NONE),
                                         (SERIAL | {"w19": 0x1234}, Error.OTHER_DRIVE)])
def test_unplugged_and_back(back, error):
    async def script(world):
        world.link(0)
        await world.tick(2)
        world.link(1)
        await world.tick(2)
        await world.tick(command__greeting=1, command__is_ata=1)
        await world.identify(page(**SERIAL))
        found = await marks(world)
        await world.begin(RECORD, 100, 40)
        await world.complete()
        await world.until(lambda: len(world.commands) == 2)
        await world.tick(5)
        world.link(0)
        await world.tick(1000)
        assert world.get("control__recovering") and world.get("control__busy")
        assert world.get("stream__recording")
        await replug(world, **back)
        if error:
            assert await world.end() == error
            assert found == [(Mark.IN_DOUBT, Error.LINK_LOST, 116, 16),
                             (Mark.UNFLUSHED, Error.LINK_LOST, 100, 16)]
            assert len(world.commands) == 2
            return
        await world.until(lambda: world.commands and extents(world)[-1] == (116, 16))
        await world.complete()
        await world.complete()
        assert await world.end() == Error.NONE
        assert found == [(Mark.UNFLUSHED, Error.LINK_LOST, 100, 16)]
        assert world.get("control__sectors_done") == 40
    run(script, **RETRY)


def test_drive_that_does_not_come_back():
    async def script(world):
        await world.bring_up()
        found = await marks(world)
        await world.begin(RECORD_FLUSH, 100, 40)
        world.link(0)
        before = world.clock
        assert await world.end() == Error.LINK_LOST
        assert PATIENCE <= world.clock - before < 1.1 * PATIENCE + 200
        assert found == [(Mark.IN_DOUBT, Error.LINK_LOST, 100, 16)]
    run(script, **RETRY)


def test_flush_is_repeated():
    async def script(world):
        await world.bring_up(page(**SERIAL))
        found = await marks(world)
        await world.begin(RECORD_FLUSH, 100, 16)
        await world.complete()
        await world.until(lambda: len(world.commands) == 2)
        flush = world.commands[1]
        world.link(0)
        await world.tick(5)
        await replug(world, **SERIAL)
        await world.until(lambda: not world.get("control__recovering"))
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.get("control__retries") == 1
        assert flush[2] in (0xE7, 0xEA)
        assert found == [(Mark.UNFLUSHED, Error.LINK_LOST, 100, 16)]
    run(script, **RETRY)


@pytest.mark.parametrize("operation", [RECORD_FLUSH, FLUSH])
def test_flush_that_failed_is_not_repeated(operation):
    """What could not be written has left the cache then: the next one would succeed without it."""
    async def script(world):
        await world.bring_up()
        found = await marks(world)
        await world.begin(operation, 100, 16)
        if operation == RECORD_FLUSH:
            await world.complete()
        await world.complete(Result.DRIVE_ERROR)
        assert await world.end() == Error.DRIVE_ERROR
        assert world.get("control__retries") == 0
        assert found == ([(Mark.UNFLUSHED, Error.DRIVE_ERROR, 100, 16)]
                         if operation == RECORD_FLUSH else [])
    run(script, **RETRY)


def test_flush_alone_ends_with_the_link():
    async def script(world):
        await world.bring_up()
        await world.begin(FLUSH)
        world.link(0)
        assert await world.end() == Error.LINK_LOST
    run(script, **RETRY)


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("away", [1, 30, 90])
def test_link_falls_in_a_pause_between_commands(same, away):
    """However soon it is back: the serial number is compared before anything is written."""
    async def script(world):
        await world.bring_up(page(**SERIAL))
        found = await marks(world)
        world.bench.set(control__turnaround=400)
        await world.begin(RECORD, 100, 40)
        await world.complete()
        await world.tick(20)
        world.link(0)
        await world.tick(away)
        await replug(world, **(SERIAL if same else SERIAL | {"w12": 7}))
        if not same:
            assert await world.end() == Error.OTHER_DRIVE
            assert [lba for lba, _ in extents(world)] == [100]
            assert found[-1] == (Mark.UNFLUSHED, Error.LINK_LOST, 100, 16)
            return
        await world.until(lambda: not world.get("control__recovering"))
        for _ in range(2):
            await world.tick(500)
            await world.complete()
        assert await world.end() == Error.NONE
        assert world.get("control__sectors_done") == 40
        assert found == [(Mark.UNFLUSHED, Error.LINK_LOST, 100, 16)]
    run(script, pacing="programmable", **RETRY)


def test_link_falls_while_a_pause_runs():
    """The drive was idle, and is not any more: what it had completed may have been in its cache."""
    async def script(world):
        await world.bring_up(page(**SERIAL))
        found = await marks(world)
        await world.begin(RECORD, 100, 40)
        await world.complete()
        for number in range(2):
            await world.until(lambda: len(world.commands) == 2 + number)
            await world.complete(Result.DRIVE_ERROR)
        await world.tick(50)
        world.link(0)
        await world.tick(20)
        await replug(world, **SERIAL)
        await world.until(lambda: not world.get("control__recovering"))
        for _ in range(2):
            await world.complete()
        assert await world.end() == Error.NONE
        assert found == [(Mark.UNFLUSHED, Error.DRIVE_ERROR, 100, 16)]
    run(script, **RETRY)


@pytest.mark.parametrize("late", range(4))
def test_link_falls_with_the_success_of_a_command(late):
    async def script(world):
        await world.bring_up(page(**SERIAL))
        found = await marks(world)
        await world.begin(RECORD, 100, 40)
        await world.tick(8)
        world.bench.set(command__done=1, command__result=Result.SUCCESS)
        if late == 0:
            world.link(0)
        await world.tick()
        world.bench.set(command__done=0)
        for clock in range(1, 5):
            if late == clock:
                world.link(0)
            await world.tick()
        await world.tick(20)
        await replug(world, **SERIAL)
        await world.until(lambda: not world.get("control__recovering"))
        for _ in range(2):
            await world.complete()
        assert await world.end() == Error.NONE
        assert found == [(Mark.UNFLUSHED, Error.LINK_LOST, 100, 16)]
        assert world.get("control__sectors_done") == 40
    run(script, **RETRY)


@pytest.mark.parametrize("behind", [0, 5, 16])
def test_words_that_are_gone_are_passed_over(behind):
    """A recording goes on behind the sectors whose words have left the buffer."""
    async def script(world):
        await world.bring_up()
        found = await marks(world)
        await world.begin(RECORD, 100, 40)
        world.bench.set(stream__behind=behind)
        await world.complete(Result.DATA_CRC)
        await world.until(lambda: len(world.commands) == 2)
        for length in (16, 40 - 16 - behind)[:2]:
            await world.complete()
        await world.until(lambda: world.done or len(world.commands) == 4)
        if not world.done:
            await world.complete()
        assert await world.end() == Error.NONE
        assert extents(world)[1][0] == 100 + behind
        assert found == ([(Mark.SKIPPED, Error.DATA_CRC, 100, behind)] if behind else [])
        assert world.get("control__skipped_sectors") == behind
        assert world.get("control__sectors_done") == 40 - behind
    run(script, **RETRY | {"on_failure": "skip"})


def test_words_that_are_gone_end_the_operation():
    async def script(world):
        await world.bring_up()
        found = await marks(world)
        await world.begin(RECORD, 100, 40)
        world.bench.set(stream__behind=1)
        await world.complete(Result.DATA_CRC)
        assert await world.end() == Error.DATA_CRC
        assert found == [(Mark.IN_DOUBT, Error.DATA_CRC, 100, 16)]
        assert len(world.commands) == 1
    run(script, **RETRY)


def test_no_room_in_the_journal_ends_the_operation():
    async def script(world):
        await world.bring_up()
        world.bench.set(stream__mark_room=0, stream__behind=3)
        await world.begin(RECORD, 100, 40)
        await world.complete(Result.DATA_CRC)
        assert await world.end() == Error.DATA_CRC
        assert world.get("control__skipped_sectors") == 0
    run(script, **RETRY | {"on_failure": "skip"})


def test_whole_command_is_passed_over():
    async def script(world):
        await world.bring_up()
        found = await marks(world)
        await world.begin(RECORD, 100, 40)
        for number in range(4):
            await world.until(lambda: len(world.commands) == 1 + number)
            await world.complete(Result.DRIVE_ERROR)
        await world.until(lambda: len(world.commands) == 5)
        assert extents(world)[-1] == (116, 16)
        await world.complete()
        await world.complete()
        assert await world.end() == Error.NONE
        assert found == [(Mark.SKIPPED, Error.DRIVE_ERROR, 100, 16)]
    run(script, **RETRY | {"on_failure": "skip"})


@pytest.mark.parametrize("status, error, place, then", [
    (0x51, 0x40, 105, 105), (0x51, 0x40, 115, 105), (0x51, 0x40, 104, None),
    (0x51, 0x40, 0, None), (0x51, 0x40, 116, None), (0x10, 0x40, 105, None),
    (0x51, 0x84, 0, 100), (0x10, 0x84, 105, None)])
def test_what_a_read_delivered(status, error, place, then):
    """It is good if the status names a sector behind it, within the command. If that blames the
    interface it is read again, because no status has confirmed it."""
    async def script(world):
        await world.bring_up()
        found = await marks(world)
        await world.begin(PLAY, 100, 40)
        world.bench.set(stream__behind=5, command__error_lba=place, command__status=status,
                        command__error=error)
        await world.complete(Result.DRIVE_ERROR)
        await world.tick(60)
        if then:
            assert extents(world) == [(100, 16), (then, 16)]
            assert world.get("control__sectors_done") == then - 100
        else:
            assert await world.end() == Error.DRIVE_ERROR
            assert found == [(Mark.IN_DOUBT, Error.DRIVE_ERROR, 100, 16)]
            assert world.get("control__sectors_done") == 0
    run(script, **RETRY)


@pytest.mark.parametrize("cause", ["link", "silence", Result.DATA_CRC, Result.REFUSED])
def test_slower_link(cause):
    """The third failure of a command in a row, because of the line: one generation less, and a
    COMRESET with that limit."""
    async def script(world):
        await world.bring_up(page(**SERIAL))
        await world.begin(RECORD, 100, 16)
        for number in range(3):
            assert world.get("limit") == 0
            world.bench.set(generation=3)
            await world.tick(8)
            if cause == "link":
                world.link(0)
                world.bench.set(generation=2)       # what the PHY tries next
            elif cause == "silence":
                await world.until(lambda: world.get("comreset"))
            else:
                await world.complete(cause, unsettled=cause == Result.REFUSED)
            limited = 0
            for _ in range(40):
                await world.tick()
                if world.get("comreset"):
                    limited = world.get("limit")
                    if number < 2:
                        world.link(0)
            assert limited == (2 if number == 2 else 0)
            if cause != Result.DATA_CRC or number == 2:
                world.link(0)
                await world.tick(5)
                await replug(world, **SERIAL)
            await world.until(lambda: not world.get("control__recovering"))
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.get("limit") == 2
        world.link(0)
        await world.tick(5)
        await replug(world, **SERIAL | {"w10": 1})
        assert world.get("limit") == 0
    run(script, **RETRY)


def test_play_back_that_is_stopped_waits_for_no_drive():
    async def script(world):
        await world.bring_up()
        await world.begin(PLAY, 100, 40)
        world.link(0)
        await world.tick(50)
        world.bench.set(stream__stopped=1, stream__pending_sectors=0)
        before = world.clock
        assert await world.end() == Error.NONE
        assert world.clock - before < 200 and world.get("control__retries") == 0
    run(script, **RETRY)


@pytest.mark.parametrize("pending", [0, 3, 16])
def test_stop_makes_no_replay_shorter(pending):
    """The drive may have written zeros to the end of the command already."""
    async def script(world):
        await world.bring_up()
        await world.begin(RECORD, 100, 40)
        world.bench.set(stream__stopped=1, stream__pending_sectors=pending)
        await world.complete(Result.DATA_CRC)
        await world.until(lambda: len(world.commands) == 2)
        world.bench.set(stream__pending_sectors=0)
        await world.complete()
        assert await world.end() == Error.NONE
        assert extents(world) == [(100, 16), (100, 16)]
        assert world.get("control__sectors_done") == 16
    run(script, **RETRY)


def test_shortened_command_is_replayed_as_it_was():
    async def script(world):
        await world.bring_up()
        await world.begin(RECORD, 100, 40)
        world.bench.set(stream__stopped=1, stream__pending_sectors=3)
        await world.complete()
        await world.until(lambda: len(world.commands) == 2)
        await world.complete(Result.DATA_CRC)
        await world.until(lambda: len(world.commands) == 3)
        world.bench.set(stream__pending_sectors=0)
        await world.complete()
        assert await world.end() == Error.NONE
        assert extents(world) == [(100, 16), (116, 3), (116, 3)]
    run(script, **RETRY)


@pytest.mark.parametrize("cause", ["link", "silence", Result.DATA_CRC])
def test_read_without_a_good_status_is_repeated(cause):
    """However much of it was delivered; and as long as it comes further each time."""
    async def script(world):
        await world.bring_up()
        await world.begin(PLAY, 100, 16)
        for number, behind in enumerate([3, 4, 5, 16, 16, 16, 16]):
            world.bench.set(stream__behind=behind)
            await world.tick(5)
            assert world.get("command__spec__registers__lba") == 100
            assert world.get("command__spec__registers__count") == 16
            if cause == "link":
                world.link(0)
            elif cause == "silence":
                await world.until(lambda: world.get("comreset"))
                world.link(0)
            else:
                await world.complete(cause)
            for _ in range(30):
                repeats = world.get("stream__repeat")
                await world.tick()
                if repeats:
                    break
            assert repeats == (number < 6)
            if cause != Result.DATA_CRC and number < 6:
                await replug(world)
            await world.until(lambda: world.done or not world.get("control__recovering"))
        assert await world.end() == {
            "link": Error.LINK_LOST, "silence": Error.TIMEOUT}.get(cause, Error.DATA_CRC)
        assert world.get("control__sectors_done") == 0
    run(script, **RETRY)


def test_end_waits_for_the_words_of_what_was_passed_over():
    async def script(world):
        await world.bring_up()
        await world.begin(RECORD, 100, 16)
        world.bench.set(stream__drained=0)
        for number in range(4):
            await world.until(lambda: len(world.commands) == 1 + number)
            await world.complete(Result.DRIVE_ERROR)
        await world.tick(2 * PATIENCE)
        assert world.get("control__busy") and world.get("stream__recording")
        world.bench.set(stream__drained=1)
        assert await world.end() == Error.NONE
        assert world.get("control__skipped_sectors") == 16
    run(script, **RETRY | {"on_failure": "skip"})


def test_play_back_of_words_that_may_be_wrong_ends_at_once():
    async def script(world):
        await world.bring_up()
        await world.begin(PLAY, 100, 40)
        world.bench.set(stream__drained=0, stream__tainted=1)
        await world.complete(Result.DATA_CRC)
        assert await world.end() == Error.DATA_CRC
    run(script, **RETRY)


def test_play_back_that_fails_delivers_what_is_good():
    async def script(world):
        await world.bring_up()
        await world.begin(PLAY, 100, 40)
        await world.complete()
        await world.tick(10)
        world.bench.set(stream__drained=0)
        for number in range(4):
            await world.until(lambda: len(world.commands) == 2 + number)
            await world.complete(Result.DRIVE_ERROR)
        await world.tick(500)
        assert world.get("control__busy") and world.get("stream__playing")
        assert not world.get("control__recovering")
        world.bench.set(stream__drained=1)
        assert await world.end() == Error.DRIVE_ERROR
        assert world.get("control__sectors_done") == 16
    run(script, **RETRY)
