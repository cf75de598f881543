"""Operations as chains of commands: registers, limits, refusals, ends."""

import pytest

from sata_recorder.core.command import Protocol, CommandResult
from sata_recorder.core.drive_port import Error, Operation
from unit.core.sequencer.world import ERRORS, page, run

READ_EXT, WRITE_EXT, READ, WRITE = 0x25, 0x35, 0xC8, 0xCA
FLUSH_CACHE, FLUSH_CACHE_EXT, IDENTIFY = 0xE7, 0xEA, 0xEC


def test_identify():
    async def script(world):
        world.link(0)
        await world.tick(3)
        world.link(1)
        await world.tick(3)
        await world.tick(command__signature_received=1, command__is_ata=1)
        command, = world.commands
        assert command == (Protocol.PIO_IN, 128, IDENTIFY, 0, 0, 0x40, 0)
        await world.identify(page(sectors=0x123456789A, w10=0xBEEF, w11=0xCAFE))
        assert world.get("status__ready") and not world.get("status__busy")
        assert (world.get("status__capacity"), world.get("status__lba48")) == (0x123456789A, 1)
        await world.tick(identify__address=5)
        assert world.get("identify__data") == 0xCAFEBEEF
        assert not world.get("port__read_data__valid")
        return True
    assert run(script)


@pytest.mark.parametrize("operation, command, protocol", [
    (Operation.PLAY, READ_EXT, Protocol.DMA_IN), (Operation.RECORD, WRITE_EXT, Protocol.DMA_OUT),
    (Operation.RECORD_FLUSH, WRITE_EXT, Protocol.DMA_OUT)])
@pytest.mark.parametrize("lba, sectors, commands", [
    (0, 1, [(0, 1)]),
    (0x123456789AB0, 65536, [(0x123456789AB0, 0)]),
    (5, 65537, [(5, 0), (65541, 1)]),
    (2**48 - 1 - 70000, 70000, [(2**48 - 70001, 0), (2**48 - 4465, 4464)]),
])
def test_48_bits(operation, command, protocol, lba, sectors, commands):
    """65,536 sectors are a count of 0; the last sector of the largest drive is reached."""
    async def script(world):
        await world.bring_up()
        await world.begin(operation, lba, sectors)
        for n, (at, count) in enumerate(commands):
            length = count or 65536
            assert world.commands[n:] == [(protocol, 128 * length, command, at, count, 0x40, 0)]
            await world.complete()
            await world.tick()
        if operation == Operation.RECORD_FLUSH:
            await world.complete()
        assert await world.end() == Error.NONE
        return world.get("status__sectors_done"), len(world.commands)
    world_bench = run(script)
    assert world_bench == (sectors, len(commands) + (operation == Operation.RECORD_FLUSH))


@pytest.mark.parametrize("operation, command, protocol", [
    (Operation.PLAY, READ, Protocol.DMA_IN), (Operation.RECORD, WRITE, Protocol.DMA_OUT)])
def test_28_bits(operation, command, protocol):
    """At most 256 sectors, a count of 0; LBA 27:24 in the device register."""
    async def script(world):
        await world.bring_up(page(sectors=0x0FFFFFFF, lba48=False))
        await world.begin(operation, 0x0FFFFFFF - 300, 300)
        await world.complete()
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.commands == [
            (protocol, 128 * 256, command, 0xFFFED3, 0, 0x4F, 0),
            (protocol, 128 * 44, command, 0xFFFFD3, 44, 0x4F, 0)]
        return True
    assert run(script)


@pytest.mark.parametrize("words, command", [
    ({}, FLUSH_CACHE_EXT), ({"flush_ext": False}, FLUSH_CACHE),
    ({"sectors": 2**28 - 1, "lba48": False}, FLUSH_CACHE)])
@pytest.mark.parametrize("operation", [Operation.FLUSH, Operation.RECORD_FLUSH])
def test_flush(words, command, operation):
    """Without address and count; a flush alone needs no extent."""
    async def script(world):
        await world.bring_up(page(**words))
        if operation == Operation.FLUSH:
            await world.begin(Operation.FLUSH, 2**48 - 1, 0)
        else:
            await world.begin(Operation.RECORD_FLUSH, 77, 9)
            await world.complete()
            await world.tick()
        assert world.commands[-1] == (Protocol.NO_DATA, 0, command, 0, 0, 0x40, 0)
        assert world.get("status__busy")
        await world.complete()
        return await world.end()
    assert run(script) == Error.NONE


@pytest.mark.parametrize("before", [Operation.RECORD, Operation.PLAY, Operation.FLUSH])
@pytest.mark.parametrize("sectors", [0, 16])
def test_flush_alone(before, sectors):
    """Moves no data, whatever extent is at the pins or was moved before."""
    async def script(world):
        await world.bring_up()
        await world.begin(before, 100, 40)
        await world.complete()
        assert await world.end() == Error.NONE
        await world.begin(Operation.FLUSH, 5, sectors)
        assert world.commands[-1] == (Protocol.NO_DATA, 0, FLUSH_CACHE_EXT, 0, 0, 0x40, 0)
        await world.complete()
        assert await world.end() == Error.NONE
        return len(world.commands)
    assert run(script) == 2


@pytest.mark.parametrize("lba48, place", [(True, 0x876543219ABC), (False, 0x5219ABC)])
@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.RECORD_FLUSH])
def test_error_lba(lba48, place, operation):
    """Of the command that failed, data or flush: LBA 27:24 is in the device register after a
    28-bit one. Another drive does not change it."""
    async def script(world):
        await world.bring_up(page(lba48=lba48, sectors=2**28 - 1))
        await world.begin(operation, 100, 16)
        if operation == Operation.RECORD_FLUSH:
            await world.complete()
        world.bench.set(command__error_lba=0x876543219ABC, command__error_device=5)
        await world.complete(CommandResult.DRIVE_ERROR)
        assert await world.end() == Error.DRIVE_ERROR
        assert world.get("status__error_lba") == place
        await world.bring_up(page(lba48=not lba48, sectors=2**28 - 1))
        return world.get("status__error_lba")
    assert run(script) == place


@pytest.mark.parametrize("operation, lba, sectors, opens", [
    (Operation.RECORD, 0, 9, True), (Operation.RECORD_FLUSH, 0, 9, True),
    (Operation.PLAY, 0, 9, False), (Operation.FLUSH, 0, 9, False),
    (Operation.RECORD, 0, 0, False), (Operation.RECORD, 2**48 - 2, 2, False)])
def test_opening(operation, lba, sectors, opens):
    """The recorder may take words while the counters are cleared, 8 clocks after the start, but
    for an operation that is refused or moves none."""
    async def script(world):
        await world.bring_up()
        await world.start(operation, lba, sectors)
        seen = []
        while not world.commands and not world.done:
            seen.append(world.get("port__opening"))
            await world.tick()
        first = seen.index(1) if 1 in seen else None
        assert first is None or all(seen[first:-1]), "it closes again"
        return first
    assert run(script) == (8 if opens else None)


def test_error_of_the_operation_before():
    """It is gone as soon as the next one runs."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 0, 9)
        await world.complete(CommandResult.DRIVE_ERROR)
        assert await world.end() == Error.DRIVE_ERROR
        assert world.error == Error.DRIVE_ERROR
        await world.start(Operation.RECORD, 0, 9)
        assert world.error == Error.NONE
        return True
    assert run(script)


def test_next_command_at_once():
    """Requested within a clock of the end of the one before."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 0, 9)
        for n in range(2, 4):
            await world.complete(after=6)
            await world.tick()
            assert len(world.commands) == n
        return [command[3:5] for command in world.commands]
    assert run(script, max_command_sectors=3) == [(0, 3), (3, 3), (6, 3)]


@pytest.mark.parametrize("capacity, lba, sectors, error", [
    (1000, 0, 1000, None), (1000, 999, 1, None), (1000, 1, 1000, Error.OUT_OF_RANGE),
    (1000, 1000, 1, Error.OUT_OF_RANGE), (1000, 0, 0, Error.ZERO_SECTORS),
    (1000, 5000, 0, Error.ZERO_SECTORS),
    (2**48 - 1, 2**48 - 1, 1, Error.OUT_OF_RANGE), (2**48 - 1, 2**48 - 2, 1, None),
    (2**48 - 1, 2**48 - 1, 2**48 - 1, Error.OUT_OF_RANGE),
    (2**48 - 1, 1, 2**48 - 1, Error.OUT_OF_RANGE)])
@pytest.mark.parametrize("operation", [Operation.PLAY, Operation.RECORD])
def test_range(capacity, lba, sectors, error, operation):
    """An extent is refused before any command, even where its end needs 49 bits."""
    async def script(world):
        await world.bring_up(page(sectors=capacity))
        await world.begin(operation, lba, sectors)
        if error is None:
            return len(world.commands), None
        return len(world.commands), await world.end()
    assert run(script) == (1 if error is None else 0, error)


def test_not_ready():
    """Refused at once, at any time before a drive is identified."""
    async def script(world):
        for link in 0, 1:
            world.link(link)
            await world.tick(3)
            assert not world.get("status__ready")
            await world.start(Operation.PLAY)
            assert world.get("status__done") and not world.get("status__busy")
            assert await world.end() == Error.NOT_READY and not world.commands
        return True
    assert run(script)


@pytest.mark.parametrize("words, error", [
    ({"w49": 0x0200}, Error.NO_DMA_LBA), ({"w49": 0x0100}, Error.NO_DMA_LBA),
    ({"w106": 0x5000}, Error.SECTOR_SIZE), ({"w0": 0x8580}, Error.NOT_ATA)])
def test_unusable_drive(words, error):
    """Shown when bring-up ends, and again by every operation, even after another error."""
    async def script(world):
        await world.bring_up(page(**words))
        assert world.error == error and not world.get("status__ready")
        for _ in range(2):
            await world.start(Operation.PLAY)
            assert await world.end() == error
        return world.commands
    assert run(script) == []


@pytest.mark.parametrize("result", ERRORS)
@pytest.mark.parametrize("needs_comreset", [0, 1])
@pytest.mark.parametrize("operation", list(Operation))
def test_failed_command(result, needs_comreset, operation):
    """It ends the operation; where the drive may still be in it, with COMRESET."""
    async def script(world):
        await world.bring_up()
        await world.begin(operation, 0, 10)
        if operation == Operation.RECORD_FLUSH:
            await world.complete()
            await world.tick()
        elif operation != Operation.FLUSH:
            await world.complete()
        await world.complete(result, needs_comreset)
        await world.tick()
        resets = world.get("phy__reset")
        assert await world.end() == ERRORS[result]
        assert resets == needs_comreset and world.get("status__ready") == (not needs_comreset)
        number = len(world.commands)
        if not needs_comreset:
            await world.begin(Operation.PLAY, 3, 1)
            assert len(world.commands) == number + 1
        return world.get("status__sectors_done") if needs_comreset else None
    longest = 3 if operation in (Operation.PLAY, Operation.RECORD) else 10
    moved = {Operation.PLAY: 3, Operation.RECORD: 3, Operation.FLUSH: 0,
             Operation.RECORD_FLUSH: 10}[operation]
    done = run(script, max_command_sectors=longest)
    assert done == (moved if needs_comreset else None)


def test_start_is_ignored_while_busy():
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.RECORD, 10, 2)
        await world.tick(port__extent__valid=1, port__extent__payload__operation=Operation.PLAY,
                         port__extent__payload__lba=500,
                         port__extent__payload__sectors=500)
        assert world.get("status__busy") and len(world.commands) == 1
        await world.complete()
        assert await world.end() == Error.NONE
        return world.get("status__sectors_done")
    assert run(script) == 2


def test_busy_and_error():
    """``error`` is cleared by the next operation and holds from ``done`` on."""
    async def script(world):
        await world.bring_up()
        await world.begin(Operation.PLAY, 0, 0)
        assert await world.end() == Error.ZERO_SECTORS
        assert world.error == Error.ZERO_SECTORS
        await world.start(Operation.RECORD, 0, 1)
        assert world.get("status__busy") and not world.get("status__ready")
        await world.until(lambda: world.commands)
        await world.complete()
        assert world.get("status__busy")
        return await world.end(), world.get("status__ready")
    assert run(script) == (Error.NONE, 1)


def test_status_is_shown():
    async def script(world):
        world.bench.set(command__status=0x51, command__error=0x84)
        return world.get("status__drive_status"), world.get("status__drive_error")
    assert run(script) == (0x51, 0x84)


assert CommandResult.SUCCESS not in ERRORS


def test_a_recording_waits_for_no_reader():
    """It ends with its last command; whether the buffer is drained counts in a playback only."""
    async def script(world):
        await world.bring_up()
        world.bench.set(port__drained=0)
        await world.begin(Operation.RECORD, 100, 8)
        await world.complete()
        assert await world.end() == Error.NONE
        assert world.get("status__sectors_done") == 8
    run(script)
