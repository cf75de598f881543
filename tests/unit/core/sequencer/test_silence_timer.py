"""Operations under time limits, stops, and a link that falls."""

import pytest

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.facts.ata import CommandCode
from unit.core.sequencer.world import LIMITS, page, run


@pytest.mark.parametrize("operation, limit", [
    (Operation.PLAY, "command"), (Operation.RECORD, "command"), (Operation.FLUSH, "flush"),
    (Operation.RECORD_FLUSH, "flush")])
def test_silent_drive(operation, limit):
    """Each kind of command has its own limit; then COMRESET."""
    async def script(world):
        await world.bring_up()
        await world.begin(operation)
        if operation == Operation.RECORD_FLUSH:
            await world.complete()
        await world.expire(limit)
        assert world.get("phy__reset")
        return await world.end()
    assert run(script) == Error.TIMEOUT


@pytest.mark.parametrize("interjects", [False, True], ids=["data", "interjection"])
def test_each_command_has_the_limit_of_its_own(interjects):
    """From its begin on, whatever was in flight before."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 0, 9)
        await world.complete()
        await world.tick()
        assert world.commands[-1][2] == CommandCode.FLUSH_CACHE_EXT
        if not interjects:
            await world.complete()
            await world.tick()
            assert world.commands[-1][2] == CommandCode.WRITE_DMA_EXT
        await world.expire("flush" if interjects else "command")
        return await world.end()
    assert run(script, max_command_sectors=3, flush_commands=1) == Error.TIMEOUT


@pytest.mark.parametrize("operation, limit", [
    (Operation.PLAY, "command"), (Operation.FLUSH, "flush")])
def test_progress_keeps_the_limit_away(operation, limit):
    async def script(world):
        await world.bring_up()
        await world.begin(operation)
        for _ in range(3):
            await world.tick(LIMITS[limit] - 20)
            assert world.get("status__busy") and not world.get("phy__reset")
            await world.tick(command__progress=1)
        await world.expire(limit)
        return await world.end()
    assert run(script) == Error.TIMEOUT


def test_no_limit_between_operations():
    async def script(world):
        await world.bring_up()
        await world.tick(2 * max(LIMITS.values()))
        assert world.get("status__ready") and world.error == Error.NONE
        await world.begin(Operation.PLAY)
        await world.tick(LIMITS["command"] - 20)
        assert world.get("status__busy")
        await world.complete()
        return True
    assert run(script)


@pytest.mark.parametrize("limit", ["signature", "identify"])
def test_silent_drive_in_bring_up(limit):
    """COMRESET, and another attempt; the code is on ``error`` in the meantime."""
    async def script(world):
        world.link(0)
        await world.tick(3 * LIMITS["identify"])        # no limit without a link
        assert world.error == Error.NONE
        for _ in range(2):
            world.link(1)
            await world.tick()
            if limit == "identify":
                await world.tick(command__signature_received=1, command__is_ata=1)
            await world.expire(limit)
            assert world.error == Error.TIMEOUT and world.get("phy__reset")
            world.link(0)
            await world.tick(2)
            assert not world.get("phy__reset")
        await world.bring_up()
        return world.get("status__ready")
    assert run(script)


@pytest.mark.parametrize("before", range(5))
def test_signature_in_the_last_clocks_of_its_limit(before):
    """IDENTIFY DEVICE has all of its own limit."""
    async def new_link(world):
        world.link(0)
        await world.tick(2)
        world.link(1)
        return world.clock

    async def limit(world):
        begin = await new_link(world)
        await world.expire("signature")
        return world.clock - begin

    clocks = run(limit) - before

    async def script(world):
        begin = await new_link(world)
        await world.tick(clocks - 1)
        assert world.clock - begin == clocks - 1 and not world.get("phy__reset")
        await world.tick(command__signature_received=1, command__is_ata=1)
        await world.tick(2)
        assert not world.get("phy__reset")
        await world.expire("identify")
        return world.error
    assert run(script) == Error.TIMEOUT


def test_identify_data_is_progress():
    async def script(world):
        world.link(0)
        await world.tick(2)
        world.link(1)
        await world.tick(2)
        await world.tick(command__signature_received=1, command__is_ata=1)
        for _ in range(3):
            await world.tick(LIMITS["identify"] - 20)
            await world.tick(command__progress=1)
        await world.identify(page())
        return world.get("status__ready")
    assert run(script)


@pytest.mark.parametrize("operation", list(Operation))
@pytest.mark.parametrize("clocks", [1, 20, 60])
def test_link_falls(operation, clocks):
    """During the check of an operation and during its command: LINK_LOST, no COMRESET."""
    async def script(world):
        await world.bring_up()
        await world.start(operation)
        await world.tick(clocks)
        world.link(0)
        assert await world.end() == Error.LINK_LOST
        assert not world.get("phy__reset") and not world.get("status__ready")
        assert world.get("command__clear"), "a command may still be in flight"
        await world.bring_up()
        return world.get("status__ready")
    assert run(script)


def test_link_falls_for_a_moment_while_an_operation_is_checked():
    """No command is begun on a drive that has not been identified again."""
    async def script(world):
        await world.bring_up()
        await world.start(Operation.PLAY)
        await world.tick(3)
        world.link(0)
        await world.tick(2)
        world.link(1)
        return await world.end(), world.commands
    assert run(script) == (Error.LINK_LOST, [])


@pytest.mark.parametrize("operation", list(Operation))
def test_link_falls_for_a_clock(operation):
    """However short: the drive was reset, and the operation must not continue with it."""
    async def script(world):
        await world.bring_up()
        await world.begin(operation)
        await world.tick(5)
        world.link(0)
        await world.tick()
        world.link(1)
        assert world.get("command__clear")
        error = await world.end()
        number = len(world.commands)
        await world.tick(command__signature_received=1, command__is_ata=1)
        assert world.commands[number:] == [(1, 128, 0xEC, 0, 0, 0x40, 0)]
        await world.identify(page())
        return error, world.get("status__ready")
    assert run(script) == (Error.LINK_LOST, 1)


@pytest.mark.parametrize("operation", [Operation.PLAY, Operation.RECORD])
def test_words_that_could_not_be_kept(operation):
    """Data would be missing: the drive cannot be stopped but by COMRESET."""
    async def script(world):
        await world.bring_up()
        await world.begin(operation)
        await world.tick(port__lost=1)
        await world.tick()
        assert world.get("phy__reset")
        return await world.end()
    assert run(script) == Error.PROTOCOL


@pytest.mark.parametrize("pending, lengths", [
    (0, [3]), (1, [3, 1]), (3, [3, 3]), (8, [3, 3, 3, 2])])
@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.RECORD_FLUSH])
def test_stop(pending, lengths, operation):
    """After the command in flight only what was accepted already is written."""
    async def script(world):
        await world.bring_up()
        await world.begin(operation, 0, 100)
        world.bench.set(port__stopped=1, port__pending_sectors=pending)
        left = pending
        for n in range(len(lengths)):
            await world.tick(5)
            await world.complete()
            await world.tick()
            left -= min(left, 3)
            world.bench.set(port__pending_sectors=left)
            if n + 1 < len(lengths):
                assert len(world.commands) == n + 2
        if operation == Operation.RECORD_FLUSH:
            await world.complete()
        assert await world.end() == Error.NONE
        done = world.get("status__sectors_done")
        return [command[1] // 128 for command in world.commands if command[1]], done
    assert run(script, max_command_sectors=3) == (lengths, sum(lengths))


@pytest.mark.parametrize("operation, commands", [
    (Operation.RECORD, []), (Operation.RECORD_FLUSH, [0xEA])])
def test_stopped_before_the_first_command(operation, commands):
    """There is nothing to write; what was asked for besides is done."""
    async def script(world):
        await world.bring_up()
        await world.start(operation, 0, 100)
        world.bench.set(port__stopped=1, port__pending_sectors=0)
        if commands:
            await world.until(lambda: world.commands)
            await world.complete()
        assert await world.end() == Error.NONE
        assert world.get("status__sectors_done") == 0
        return [command[2] for command in world.commands]
    assert run(script) == commands


def test_play_waits_for_the_user():
    """The operation ends when the last word has been delivered."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.PLAY, 0, 1)
        world.bench.set(port__drained=0)
        await world.complete()
        await world.tick(3 * max(LIMITS.values()))
        assert world.get("status__busy") and world.get("port__playing")
        world.bench.set(port__drained=1)
        return await world.end(), world.get("port__playing")
    assert run(script) == (Error.NONE, 0)


@pytest.mark.parametrize("operation", [Operation.PLAY, Operation.RECORD, Operation.FLUSH])
def test_streams(operation):
    """``recording`` and ``playing`` tell which way data moves, and only while it may."""
    async def script(world):
        await world.bring_up()
        assert world.get("port__extent__ready")
        await world.begin(operation, 0, 5)
        assert not world.get("port__extent__ready")
        await world.tick(2)
        seen = [world.get("port__recording"), world.get("port__playing")]
        world.bench.set(command__read_data__valid=1, command__read_data__payload=99, port__hold=1)
        seen += [world.get("port__read_data__valid") * world.get("port__read_data__payload"),
                 world.get("command__hold")]
        world.bench.set(command__read_data__valid=0)
        await world.complete()
        await world.end()
        return [*seen, world.get("port__recording") + world.get("port__playing")]
    expected = {Operation.PLAY: [0, 1, 99, 1, 0], Operation.RECORD: [1, 0, 99, 1, 0],
                Operation.FLUSH: [0, 0, 0, 0, 0]}
    assert run(script) == expected[operation]


def test_data_passes_through():
    """To the drive, while a command is in flight."""
    async def script(world):
        world.bench.set(port__write_data__valid=1, port__write_data__payload=0x1234,
                        command__write_data__ready=1)
        names = ("command__write_data__valid", "command__write_data__payload",
                 "port__write_data__ready")
        await world.bring_up()
        before = [world.get(name) for name in names]
        await world.begin(Operation.RECORD)
        await world.tick()
        return before, [world.get(name) for name in names]
    assert run(script) == ([0, 0x1234, 0], [1, 0x1234, 1])


@pytest.mark.parametrize("operation, books", [
    (Operation.RECORD, True), (Operation.RECORD_FLUSH, True), (Operation.FLUSH, False)])
def test_what_is_booked(operation, books):
    """A flush on its own is no transfer; after a recording it has an account of its own."""
    async def script(world):
        await world.bring_up()
        booked = {"enable": [], "flush": [], "completed": []}
        tick = world.bench.tick

        async def look(*clocks):
            for name, values in booked.items():
                values.append(world.get(f"activity__{name}"))
            await tick(*clocks)

        world.bench.tick = look
        try:
            await world.begin(operation)
            await world.complete(after=30)
            if operation == Operation.RECORD_FLUSH:
                await world.complete(after=30)
            await world.end()
        finally:
            del world.bench.tick
        enabled = list(zip(booked["enable"], booked["flush"]))
        return enabled.count((1, 0)), enabled.count((1, 1)), sum(booked["completed"])
    moves, flushes, commands = run(script)
    assert (moves > 20, flushes > 20) == (books, operation == Operation.RECORD_FLUSH)
    assert commands == books
