"""A read between two commands: when it is due, its command, and what reaches the one who looks."""

import pytest

from sata_recorder.core.command import CommandResult, Protocol
from sata_recorder.core.sequencer.between.readback import Readback
from unit.bench import Bench
from unit.core.sequencer.queries import request

BENCH = Bench(Readback())


async def offer(bench, lba=7, sectors=8, room=1024):
    """A span, in a recording of which a write command has begun."""
    bench.set(gap__records=1, gap__lba48=1, gap__room=room, user__room=room,
              user__span__valid=1, user__span__payload__lba=lba, user__span__payload__sectors=sectors)
    await bench.pulse(gap__begin=1)
    await bench.pulse(gap__next=1)
    await bench.tick(2)


async def read(bench):
    """It begins."""
    bench.set(issue=1)
    assert bench.get("user__span__ready")
    await bench.pulse(issue=1)
    bench.set(runs=1, user__span__valid=0, user__span__payload__lba=0xBAD, user__span__payload__sectors=0xBAD)
    await bench.tick(2)


@pytest.mark.parametrize("missing", ["span", "records", "room", None])
def test_what_it_needs(missing):
    async def script(bench):
        await offer(bench)
        bench.set(**{"span": {"user__span__valid": 0}, "records": {"gap__records": 0},
                     "room": {"gap__room": 1023}, None: {}}[missing])
        await bench.tick(2)
        assert bench.get("due") == (missing is None)
    BENCH.run(script)


@pytest.mark.parametrize("event", ["gap__begin", "gap__recovers", "issue"])
def test_a_write_command_comes_first(event):
    """After a begin, after a recovery, and after another read."""
    async def script(bench):
        await offer(bench)
        assert bench.get("due")
        await bench.pulse(**{event: 1})
        await bench.tick(9)
        assert not bench.get("due")
        await bench.pulse(gap__next=1)
        assert bench.get("due")
        # The end of a recovery may be its begin.
        await bench.pulse(gap__recovers=1, gap__next=1)
        assert bench.get("due")
    BENCH.run(script)


@pytest.mark.parametrize("lba48, command", [(1, 0x25), (0, 0xC8)])
@pytest.mark.parametrize("lba, sectors", [(0xEDCBA9876543, 64), (7, 1)])
def test_its_command(lba48, command, lba, sectors):
    """Of the span that was there when it began."""
    async def script(bench):
        await offer(bench, lba, sectors)
        bench.set(gap__lba48=lba48)
        await read(bench)
        assert request(bench) == (command, 0, lba, sectors, Protocol.DMA_IN, 128 * sectors)
        assert bench.get("request__addressed")
    BENCH.run(script)


@pytest.mark.parametrize("result", [CommandResult.SUCCESS, CommandResult.DRIVE_ERROR, None])
def test_how_it_ends(result):
    """None: by a recovery, without an end of its command."""
    async def script(bench):
        await offer(bench)
        await read(bench)
        assert bench.get("user__reads")
        bench.set(read__valid=1, read__payload=0x1234)
        assert (bench.get("user__data__valid"), bench.get("user__data__payload")) == (1, 0x1234)
        bench.set(read__valid=0)
        assert not bench.get("user__data__valid")
        if result is not None:
            bench.set(done=1, result=result)
        assert bench.get("user__succeeded") == (result == CommandResult.SUCCESS)
        assert not bench.get("user__failed")
        await bench.tick()
        # The end and the words of another command are none of it.
        bench.set(runs=0, done=1, result=CommandResult.SUCCESS, read__valid=1)
        shown = [bench.get(f"user__{name}") for name in ("reads", "succeeded", "data__valid")]
        failed = [bench.get("user__failed")]
        await bench.tick()
        failed.append(bench.get("user__failed"))
        assert shown == [0, 0, 0] and failed == [result != CommandResult.SUCCESS, 0]
    BENCH.run(script)
