"""The command layer: each protocol from its registers to its status, FIS by FIS."""

import pytest

from sata_recorder.core.command import Protocol, CommandResult
from unit.core.command.drive import GOOD, run


@pytest.mark.parametrize("status, result, needs_comreset", [
    (0x50, CommandResult.SUCCESS, 0), (0x40, CommandResult.SUCCESS, 0),
    (0x51, CommandResult.DRIVE_ERROR, 0), (0x41, CommandResult.DRIVE_ERROR, 0),   # ERR
    (0x70, CommandResult.DRIVE_ERROR, 0), (0x71, CommandResult.DRIVE_ERROR, 0),   # DF
    (0x10, CommandResult.DRIVE_ERROR, 0), (0x00, CommandResult.DRIVE_ERROR, 0),   # not DRDY
    # and it still wants data
    (0x59, CommandResult.DRIVE_ERROR, 1), (0x78, CommandResult.DRIVE_ERROR, 1),
])
def test_status(status, result, needs_comreset):
    """The end comes one clock after the FIS."""
    async def script(drive):
        await drive.start(Protocol.NO_DATA)
        await drive.status(status, 0x84)
        assert drive.ended
    assert run(script) == (result, status, 0x84, needs_comreset)


@pytest.mark.parametrize("status", [0x80, 0xD0, 0xFF, 0x58, 0x48])
def test_busy_is_no_end(status):
    """BSY, or DRQ without an error: the drive is not done."""
    async def script(drive):
        await drive.start(Protocol.NO_DATA)
        await drive.status(status)
        await drive.tick()
        assert drive.ended is None
        await drive.status()
    assert run(script) == (CommandResult.SUCCESS, GOOD, 0, 0)


@pytest.mark.parametrize("protocol", list(Protocol))
def test_status_before_the_command_was_taken(protocol):
    """It still belongs to what was before; but it is shown."""
    async def script(drive):
        await drive.tick(user__spec__protocol=protocol, user__spec__words=1, user__start=1)
        await drive.status(0x51, 4)
        await drive.tick()
        assert drive.ended is None
        assert (drive.bench.get("user__status"), drive.bench.get("user__error")) == (0x51, 4)
        return True
    assert run(script)


@pytest.mark.parametrize("status", [0x51, 0x41, 0x70, 0x71])
@pytest.mark.parametrize("issued", [False, True])
def test_error_status_after_success(status, issued):
    """The good status was not the command's: the next command fails, the one after it does not."""
    async def script(drive):
        get = drive.bench.get
        await drive.start(Protocol.NO_DATA)
        await drive.status()
        assert drive.ended[0] == CommandResult.SUCCESS and not get("user__revoked")
        await drive.tick()
        if issued:
            await drive.tick(user__start=1)
        await drive.status(status, 0x10)
        assert get("user__revoked")
        drive.ended = None
        if not issued:
            await drive.tick(user__start=1)
        await drive.tick()
        assert drive.ended is None and get("user__revoked")
        await drive.tick(transport__registers__done=1)
        await drive.tick()
        assert drive.ended == (CommandResult.PROTOCOL, status, 0x10, 1)
        assert not get("user__revoked")
        drive.ended = None
        await drive.tick()
        await drive.start(Protocol.NO_DATA)
        await drive.status()
    assert run(script) == (CommandResult.SUCCESS, GOOD, 0, 0)


@pytest.mark.parametrize("before, status, cleared", [
    (0x51, 0x51, False), (0x51, 0x70, False),       # the error again
    (0x50, 0x50, False), (0x50, 0xD1, False),       # no error, busy
    (0x50, 0x51, True)])                            # after a reset it is a signature
def test_what_revokes_nothing(before, status, cleared):
    async def script(drive):
        await drive.start(Protocol.NO_DATA)
        await drive.status(before, 4)
        await drive.tick(user__clear=cleared)
        await drive.status(status, 4)
        assert not drive.bench.get("user__revoked")
        drive.ended = None
        await drive.start(Protocol.NO_DATA)
        await drive.status()
    assert run(script) == (CommandResult.SUCCESS, GOOD, 0, 0)


@pytest.mark.parametrize("blocks", [[1], [128], [2, 3], [1, 1, 1]])
def test_read(blocks):
    async def script(drive):
        await drive.start(Protocol.DMA_IN, sum(blocks))
        assert drive.bench.get("transport__received__expect_data")
        words = [*range(100, 100 + sum(blocks))]
        for length in blocks:
            await drive.data(words[-sum(blocks):][:length])
            words = words[length:] + words[:length]
        assert drive.payload == [*range(100, 100 + sum(blocks))]
        assert drive.ended is None
        await drive.status()
    assert run(script) == (CommandResult.SUCCESS, GOOD, 0, 0)


@pytest.mark.parametrize("protocol", [Protocol.DMA_IN, Protocol.DMA_OUT, Protocol.PIO_IN])
def test_nothing_moved(protocol):
    async def script(drive):
        await drive.start(protocol, 128)
        await drive.status()
    assert run(script)[0] == CommandResult.SHORT_DATA


def test_read_too_little():
    async def script(drive):
        await drive.start(Protocol.DMA_IN, 3)
        await drive.data([1, 2])
        await drive.status()
    assert run(script)[0] == CommandResult.SHORT_DATA


def test_read_too_much():
    """The surplus does not reach the user, and the drive cannot be trusted any more."""
    async def script(drive):
        await drive.start(Protocol.DMA_IN, 3)
        await drive.data([1, 2, 3, 4, 5])
        await drive.tick()
        assert drive.payload == [1, 2, 3]
    result, _, _, needs_comreset = run(script)
    assert (result, needs_comreset) == (CommandResult.PROTOCOL, 1)


@pytest.mark.parametrize("status", [GOOD, 0x51])
def test_read_with_a_bad_frame(status):
    """The status is awaited; whatever it reports, the data was bad."""
    async def script(drive):
        await drive.start(Protocol.DMA_IN, 3)
        await drive.data([1, 2, 3], end="data_bad")
        await drive.tick()
        assert drive.ended is None
        await drive.status(status)
    assert run(script)[0] == CommandResult.DATA_CRC


@pytest.mark.parametrize("protocol", [Protocol.DMA_OUT, Protocol.NO_DATA])
def test_bad_frame_where_no_data_is_expected(protocol):
    """It changes nothing."""
    async def script(drive):
        await drive.start(protocol, 0)
        assert not drive.bench.get("transport__received__expect_data")
        await drive.fis("data_bad")
        await drive.status()
    assert run(script)[0] == CommandResult.SUCCESS


@pytest.mark.parametrize("words, fises", [
    (1, [1]), (2048, [2048]), (2049, [2048, 1]), (2**15, [2048] * 3)])
def test_write(words, fises):
    """Each DMA Activate asks for one Data FIS, of 2048 dwords or the rest."""
    async def script(drive):
        await drive.start(Protocol.DMA_OUT, words)
        for length in fises:
            assert await drive.activate() == length
            await drive.sent(length)
        return drive.bench.get("transport__data__words")
    assert run(script) == min(2048, words - sum(fises))


def test_write_ends():
    async def script(drive):
        await drive.start(Protocol.DMA_OUT, 2)
        await drive.activate()
        await drive.sent(2)
        assert drive.ended is None
        await drive.status()
    assert run(script) == (CommandResult.SUCCESS, GOOD, 0, 0)


def test_write_goes_on_after_an_early_end():
    """What the drive left over is asked for by the next DMA Activate."""
    async def script(drive):
        await drive.start(Protocol.DMA_OUT, 10)
        assert await drive.activate() == 10
        await drive.sent(4)
        assert await drive.activate() == 6
        await drive.sent(6)
        await drive.status()
    assert run(script)[0] == CommandResult.SUCCESS


def test_status_in_the_place_of_data():
    """The Data FIS that was asked for is withdrawn before another command can begin."""
    async def script(drive):
        await drive.start(Protocol.DMA_OUT, 2)
        await drive.activate()
        assert not drive.bench.get("transport__data__cancel")
        await drive.status(0x51, 4)
        return drive.ended[0], drive.bench.get("transport__data__cancel")
    assert run(script) == (CommandResult.DRIVE_ERROR, 1)


def test_write_that_fails():
    async def script(drive):
        await drive.start(Protocol.DMA_OUT, 2)
        await drive.activate()
        await drive.sent(2, failed=1)
        await drive.tick()
        assert drive.ended is None
        await drive.status(0x51, 0x84)
    assert run(script) == (CommandResult.DATA_CRC, 0x51, 0x84, 0)


@pytest.mark.parametrize("moved, failed", [(2, 0), (1, 1)])
def test_activate_too_many(moved, failed):
    """After all data, or after data that was not acknowledged."""
    async def script(drive):
        await drive.start(Protocol.DMA_OUT, 2)
        await drive.activate()
        await drive.sent(moved, failed)
        assert await drive.activate() == 0
    result, _, _, needs_comreset = run(script)
    assert (result, needs_comreset) == (CommandResult.PROTOCOL, 1)


@pytest.mark.parametrize("kind, protocols", [
    ("dma_activate", [Protocol.NO_DATA, Protocol.PIO_IN, Protocol.DMA_IN]),
    ("pio_setup", [Protocol.NO_DATA, Protocol.DMA_IN, Protocol.DMA_OUT])])
def test_fis_of_another_protocol(kind, protocols):
    for protocol in protocols:
        async def script(drive, protocol=protocol):
            await drive.start(protocol, 128)
            await drive.fis(kind, transfer_bytes=512)
        result, _, _, needs_comreset = run(script)
        assert (result, needs_comreset) == (CommandResult.PROTOCOL, 1)


@pytest.mark.parametrize("protocol", list(Protocol))
def test_fis_without_meaning(protocol):
    """DMA Setup, BIST Activate, Set Device Bits."""
    async def script(drive):
        await drive.start(protocol, 0)
        await drive.fis("other")
        assert drive.ended is None
        await drive.status()
    assert run(script)[0] == CommandResult.SUCCESS


def test_pio():
    """The end is E_Status of the last PIO Setup; no Register FIS follows."""
    async def script(drive):
        await drive.start(Protocol.PIO_IN, 128)
        assert not drive.bench.get("transport__received__expect_data")
        await drive.pio(128, GOOD, error=0x95)
        assert drive.bench.get("transport__received__expect_data")
        await drive.data(range(128))
        assert drive.payload == [*range(128)]
    assert run(script) == (CommandResult.SUCCESS, GOOD, 0x95, 0)


def test_pio_in_blocks():
    async def script(drive):
        await drive.start(Protocol.PIO_IN, 6)
        await drive.pio(2, 0xD0)
        await drive.data([1, 2])
        assert drive.ended is None and not drive.bench.get("transport__received__expect_data")
        await drive.pio(4)
        await drive.data([3, 4, 5, 6])
        assert drive.payload == [1, 2, 3, 4, 5, 6]
    assert run(script)[:2] == (CommandResult.SUCCESS, GOOD)


@pytest.mark.parametrize("announced, sent", [(4, 3), (4, 5), (2, 4)])
def test_block_of_another_length(announced, sent):
    async def script(drive):
        await drive.start(Protocol.PIO_IN, 4)
        await drive.pio(announced)
        await drive.data(range(sent))
        await drive.tick()
    result, _, _, needs_comreset = run(script)
    assert (result, needs_comreset) == (CommandResult.PROTOCOL, 1)


@pytest.mark.parametrize("end_status, result, needs_comreset", [
    (0x51, CommandResult.DRIVE_ERROR, 0), (0x70, CommandResult.DRIVE_ERROR, 0),
    (0x10, CommandResult.DRIVE_ERROR, 0),
    (0x58, CommandResult.SUCCESS, 1), (0xD0, CommandResult.SUCCESS, 1)])
def test_pio_end_status(end_status, result, needs_comreset):
    """DRQ or BSY at the end: the drive thinks that there is more."""
    async def script(drive):
        await drive.start(Protocol.PIO_IN, 1)
        await drive.pio(1, end_status)
        await drive.data([1])
    assert run(script) == (result, end_status, 0, needs_comreset)


def test_pio_ends_with_a_status():
    """The drive refuses: a Register FIS in the place of PIO Setup."""
    async def script(drive):
        await drive.start(Protocol.PIO_IN, 128)
        await drive.status(0x51, 4)
    assert run(script) == (CommandResult.DRIVE_ERROR, 0x51, 4, 0)


def test_pio_with_a_bad_frame():
    async def script(drive):
        await drive.start(Protocol.PIO_IN, 2)
        await drive.pio(2)
        await drive.data([1, 2], end="data_bad")
        await drive.tick()
        assert drive.ended is None
        await drive.status(0x51, 0x84)
    assert run(script)[0] == CommandResult.DATA_CRC
