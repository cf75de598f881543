"""Data out by PIO, and the registers at the end of a command (ATA8-ACS, PIO data-out protocol)."""

import pytest

from sata_recorder.core.command import Command, CommandResult, Protocol
from unit.bench import Bench
from unit.core.command.drive import GOOD, CommandWorld

BENCH = Bench(Command(any_command=True))


def run(script):
    async def with_drive(bench):
        drive = CommandWorld(bench)
        found = await script(drive)
        return drive.ended[0] if found is None else found
    return BENCH.run(with_drive)


async def begin(drive, words):
    drive.bench.set(user__pio_out=1)
    await drive.start(Protocol.DMA_OUT, words)


async def setup(drive, words):
    """PIO Setup; the words of the Data FIS that is asked for, 0 for none."""
    await drive.fis("pio_setup", transfer_bytes=4 * words, status=0x58, end_status=0xD0)
    asked = drive.bench.get("transport__data__send") * drive.bench.get("transport__data__words")
    await drive.tick()
    assert not drive.bench.get("transport__data__send")
    return asked


@pytest.mark.parametrize("blocks", [[128], [128, 128, 128], [256, 128], [2048, 1]])
def test_blocks(blocks):
    async def script(drive):
        await begin(drive, sum(blocks))
        for words in blocks:
            assert await setup(drive, words) == words
            await drive.sent(words)
        await drive.status(GOOD)
        await drive.tick()
    assert run(script) == CommandResult.SUCCESS


def test_a_block_that_is_longer_than_what_is_left():
    async def script(drive):
        await begin(drive, 100)
        assert await setup(drive, 128) == 100
        await drive.sent(100)
        await drive.status(GOOD)
        await drive.tick()
    assert run(script) == CommandResult.SUCCESS


@pytest.mark.parametrize("words, asked", [(1, 0), (2, 2), (3, 3)])
def test_a_block_of_one_word(words, asked):
    """Two may be left of a Data FIS that the drive has ended; one alone is enough if it is the last one."""
    async def script(drive):
        await begin(drive, 100)
        assert await setup(drive, 50) == 50
        await drive.sent(40)
        assert await setup(drive, words) == asked
        await drive.tick()
        return [drive.ended and drive.ended[0]]
    assert run(script) == [None if asked else CommandResult.PROTOCOL]


@pytest.mark.parametrize("what", ["activate", "empty block", "one too many", "data"])
def test_what_does_not_belong(what):
    async def script(drive):
        await begin(drive, 128)
        if what == "activate":
            assert await drive.activate() == 0
        elif what == "empty block":
            assert await setup(drive, 0) == 0
        elif what == "data":
            assert not drive.bench.get("transport__received__expect_data")
            await drive.status(GOOD)
        else:
            assert await setup(drive, 128) == 128
            await drive.sent(128)
            assert await setup(drive, 128) == 0
        await drive.tick()
    assert run(script) == (CommandResult.SHORT_DATA if what == "data" else CommandResult.PROTOCOL)


def test_damaged_block():
    async def script(drive):
        await begin(drive, 256)
        assert await setup(drive, 128) == 128
        await drive.sent(128, failed=1)
        await drive.status(0x51, 0x84)
        await drive.tick()
    assert run(script) == CommandResult.DATA_CRC


def test_pio_setup_of_a_dma_command():
    async def script(drive):
        drive.bench.set(user__pio_out=0)
        await drive.start(Protocol.DMA_OUT, 128)
        assert await setup(drive, 128) == 0
    assert run(script) == CommandResult.PROTOCOL


def test_pio_in_ends_early():
    """With E_Status that announces no more data, there is nothing to wait for."""
    async def script(drive):
        drive.bench.set(user__pio_out=0)
        await drive.start(Protocol.PIO_IN, 256)
        await drive.pio(128, end_status=GOOD)
        await drive.data(range(128))
        await drive.tick()
    assert run(script) == CommandResult.SHORT_DATA


@pytest.mark.parametrize("kind", ["register_d2h", "pio_setup"])
def test_final_registers(kind):
    async def script(drive):
        drive.bench.set(user__pio_out=0)
        await drive.start(Protocol.NO_DATA if kind == "register_d2h" else Protocol.PIO_IN, 0)
        drive.bench.set(transport__received__results__count=0xBEEF,
                        transport__received__results__device=0xA5)
        await drive.fis(kind, lba=0x123456789ABC, status=GOOD)
        found = [drive.bench.get(f"user__final__{name}") for name in ("lba", "count", "device")]
        drive.bench.set(transport__received__results__count=0, transport__received__results__device=0)
        await drive.fis("other", lba=0)
        assert found == [drive.bench.get(f"user__final__{name}")
                         for name in ("lba", "count", "device")]
        return found
    assert run(script) == [0x123456789ABC, 0xBEEF, 0xA5]
