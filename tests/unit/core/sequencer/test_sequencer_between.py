"""What comes between two commands, in the whole sequencer: its words, its clocks, what it says of the write cache."""

import pytest

from sata_recorder.core.command import CommandResult, Protocol
from sata_recorder.core.drive_port import Error, Operation
from unit.core.sequencer.world import page, run

WRITE, WRITE_FUA, FLUSH, SMART, TRIM, LOG, READ = 0x35, 0x3D, 0xEA, 0xB0, 0x06, 0x47, 0x25
#: Words of IDENTIFY DEVICE: it has TRIM, or READ LOG DMA EXT, or WRITE DMA FUA EXT.
TRIMS, LOGS, FUA = {"w169": 1}, {"w119": 0x4008}, {"w84": 0x4040}
QUERIES = {"max_command_sectors": 4, "smart_commands": 1, "smart_temperature": True}


def codes(world):
    return [command[2] for command in world.commands]


async def complete(world, code, **end):
    """The command in flight is ``code``, and ends."""
    await world.tick(3)
    assert world.commands[-1][2] == code
    await world.complete(**end)


def test_what_comes_in_a_wait_may_come_again():
    """One after the other, while no word is there that could be written."""
    async def script(world):
        await world.bring_up(page(**TRIMS))
        world.bench.set(port__gathers=1, port__pending_sectors=0, groups__trim__span__valid=1,
                        groups__trim__span__payload__lba=0x1234, groups__trim__span__payload__sectors=5)
        await world.start(Operation.RECORD, 100, 8)
        await world.until(lambda: world.commands)
        for _ in range(3):
            await complete(world, TRIM)
        await world.tick(3)
        assert codes(world) == [TRIM] * 4
        # A data command comes as soon as it can, and only one of the others before the next.
        world.bench.set(port__pending_sectors=4)
        await world.tick(6)
        await complete(world, TRIM)
        await complete(world, WRITE)
        await complete(world, TRIM)
        await complete(world, WRITE)
        return await world.end()
    assert run(script, extents="modes", trim_ahead=True, max_command_sectors=4) == Error.NONE


def test_its_words_reach_the_drive_and_no_others():
    async def script(world):
        await world.bring_up(page(**TRIMS))
        world.bench.set(groups__trim__span__valid=1, groups__trim__span__payload__lba=0xABCD12345678,
                        groups__trim__span__payload__sectors=5)
        await world.begin(Operation.RECORD, 100, 4)
        world.bench.set(groups__trim__span__valid=0, groups__trim__span__payload__lba=0,
                        port__write_data__valid=1, port__write_data__payload=0x77777777, command__write_data__ready=1)
        words = []
        for _ in range(4):
            assert world.get("command__write_data__valid") and not world.get("port__write_data__ready")
            words.append(world.get("command__write_data__payload"))
            await world.tick()
        assert words == [0x12345678, 5 << 16 | 0xABCD, 0, 0]
        assert world.commands == [(Protocol.DMA_OUT, 128, TRIM, 0, 1, 0x40, 1)]
        await world.complete()
        await world.tick(2)
        assert world.get("command__write_data__payload") == 0x77777777 and world.get("port__write_data__ready")
        await complete(world, WRITE)
        return await world.end()
    assert run(script, extents="modes", trim_ahead=True) == Error.NONE


@pytest.mark.parametrize("options, between, lost", [
    (QUERIES, [SMART, LOG], True), ({"max_command_sectors": 4, "flush_commands": 1}, [FLUSH], False)])
def test_only_a_flush_empties_the_write_cache(options, between, lost):
    async def script(world):
        await world.bring_up(page(**LOGS))
        await world.begin(Operation.RECORD, 100, 12)
        for code in [*(code for code in between if code != FLUSH), WRITE, *between]:
            await complete(world, code)
        await world.tick(3)
        assert codes(world)[-1] == WRITE
        world.link(0)
        assert await world.end() == Error.LINK_LOST
        await world.tick(5)
        return [world.get(f"status__{name}") for name in ("unflushed", "unflushed_lba", "unflushed_sectors")]
    found = run(script, **options)
    assert found == [1, 100, 4] if lost else found[0] == 0


def test_whose_clocks_they_are():
    """Those before the first data command are no part of the transfer; their words are not the recorder's."""
    async def script(world):
        async def shown():
            await world.tick(2)
            world.bench.set(command__read_data__valid=1)
            found = [world.get(f"activity__{name}") for name in ("clear", "enable", "flush", "query", "from_x_rdy")]
            found.append(world.get("port__read_data__valid"))
            world.bench.set(command__read_data__valid=0)
            return found

        await world.bring_up(page(**LOGS))
        world.bench.set(port__room=1024, groups__look__room=1024, groups__look__span__payload__lba=100,
                        groups__look__span__payload__sectors=1)
        await world.begin(Operation.RECORD, 100, 12)
        found = [await shown()]
        await complete(world, SMART)
        await complete(world, LOG)
        found.append(await shown())
        world.bench.set(groups__look__span__valid=1)
        await complete(world, WRITE)
        for code in SMART, LOG, READ:
            found.append(await shown())
            await complete(world, code)
        found.append(await shown())
        assert codes(world)[-1] == WRITE
        return found
    assert run(script, extents="modes", look_sectors=8, **QUERIES) == [
        [1, 0, 1, 1, 0, 0], [0, 1, 0, 0, 0, 1], *[[0, 1, 1, 1, 0, 0]] * 2, [0, 1, 1, 1, 1, 0], [0, 1, 0, 0, 0, 1]]


@pytest.mark.parametrize("words, commands", [
    (FUA, [WRITE_FUA, WRITE_FUA]), ({"w87": 0x4040}, [WRITE_FUA, WRITE_FUA]), ({}, [WRITE, FLUSH, WRITE, FLUSH])])
@pytest.mark.parametrize("extents", ["single", "queued"])
def test_what_a_drive_writes_through_its_cache(words, commands, extents):
    """Without the command for it FLUSH CACHE follows each command."""
    async def script(world):
        await world.bring_up(page(**words))
        await world.begin(Operation.RECORD, 100, 8)
        for code in commands:
            await complete(world, code)
        assert await world.end() == Error.NONE
        assert codes(world) == commands
        world.link(0)
        await world.tick(5)
        return world.get("status__unflushed")
    assert run(script, fua=True, extents=extents, max_command_sectors=4) == 0


@pytest.mark.parametrize("extents", ["single", "queued"])
def test_a_query_that_fails_is_no_failure_of_the_recording(extents):
    async def script(world):
        await world.bring_up(page(**LOGS))
        await world.begin(Operation.RECORD, 100, 8)
        for code in SMART, LOG:
            await complete(world, code, result=CommandResult.DRIVE_ERROR)
        await complete(world, WRITE)
        await complete(world, WRITE)
        return await world.end(), codes(world)
    assert run(script, extents=extents, **QUERIES) == (Error.NONE, [SMART, LOG, WRITE, WRITE])
