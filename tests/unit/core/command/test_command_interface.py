"""The command layer: what it passes on, reports and forgets beside the protocols."""

import pytest

from sata_recorder.core.command import Protocol, CommandResult
from unit.core.command.drive import GOOD, run

REGISTERS = {"command": 0x25, "features": 3, "lba": 0x123456789ABC, "device": 0x40, "count": 7}


def test_registers_pass_through():
    async def script(drive):
        drive.bench.set(**{f"user__spec__registers__{name}": value
                           for name, value in REGISTERS.items()})
        await drive.start(Protocol.NO_DATA)
        return {name: drive.bench.get(f"transport__registers__task_file__{name}")
                for name in REGISTERS}
    assert run(script) == REGISTERS


def test_start_is_ignored_in_flight():
    async def script(drive):
        await drive.start(Protocol.DMA_IN, 2)
        await drive.tick(user__start=1, user__spec__words=100)
        await drive.data([1, 2])
        await drive.status()
    assert run(script)[0] == CommandResult.SUCCESS


@pytest.mark.parametrize("status, is_ata, signature_received", [
    (GOOD, 1, 1), (GOOD, 0, 1), (0x80, 1, 0)])
def test_signature_received(status, is_ata, signature_received):
    """A status while no command is in flight, in its own clock."""
    async def script(drive):
        bench = drive.bench
        bench.set(transport__received__fis__register_d2h=1, transport__received__fis__status=status,
                  transport__received__fis__is_ata=is_ata)
        found = bench.get("user__signature_received"), bench.get("user__is_ata")
        await drive.start(Protocol.NO_DATA)
        bench.set(transport__received__fis__register_d2h=1)
        assert not bench.get("user__signature_received")
        return found
    found = run(script)
    assert found[0] == signature_received and (not signature_received or found[1] == is_ata)


@pytest.mark.parametrize("when", ["issue", "execute"])
def test_clear(when):
    """The command in flight is forgotten; the next one knows nothing of it."""
    async def script(drive):
        bench = drive.bench
        if when == "issue":
            await drive.tick(user__spec__protocol=Protocol.DMA_IN, user__start=1,
                             user__spec__words=5)
        else:
            await drive.start(Protocol.DMA_IN, 5)
            await drive.data([1], end="data_bad")
        bench.set(user__clear=1)
        assert bench.get("transport__clear")
        await drive.tick(user__clear=1)
        await drive.status(0x51)
        assert drive.ended is None and drive.payload in ([], [1])
        drive.payload.clear()
        await drive.start(Protocol.DMA_IN, 2)
        await drive.data([8, 9])
        await drive.status()
        assert drive.payload == [8, 9]
    assert run(script) == (CommandResult.SUCCESS, GOOD, 0, 0)


def test_commands_one_after_the_other():
    """A failure has no effect on what follows."""
    async def script(drive):
        for fails in (1, 0, 1, 0):
            drive.ended = None
            await drive.start(Protocol.DMA_OUT, 2)
            await drive.activate()
            await drive.sent(2, failed=fails)
            await drive.status()
            assert drive.ended[0] == (CommandResult.DATA_CRC if fails else CommandResult.SUCCESS)
            await drive.tick()
        return True
    assert run(script)


def test_hold():
    """Passed on while payload is to come; then nothing needs to wait, least of all the status."""
    async def script(drive):
        bench = drive.bench
        await drive.start(Protocol.DMA_IN, 2)
        seen = []
        for word in (None, 1, None, 2, None):
            valid = word is not None
            await drive.tick(user__hold=1, transport__received__payload__valid=valid)
            bench.set(user__hold=1)
            seen.append(bench.get("transport__received__hold"))
        await drive.tick(user__hold=1)
        seen.append(bench.get("transport__received__hold"))
        return seen
    assert run(script) == [1, 1, 1, 1, 0, 0]


def test_data_passes_through():
    async def script(drive):
        bench = drive.bench
        bench.set(user__write_data__valid=1, user__write_data__payload=0x12345678,
                  transport__data__payload__ready=1)
        return [bench.get(name) for name in (
            "transport__data__payload__valid", "transport__data__payload__payload",
            "user__write_data__ready")]
    assert run(script) == [1, 0x12345678, 1]


def test_error_lba():
    """LBA and device register of the last status with ERR or DF; other statuses leave them."""
    async def script(drive):
        bench = drive.bench
        seen = []
        for status, lba, device in [
                (0x51, 0x8123456789AB, 0xA), (GOOD, 1, 2), (0x70, 0x5A5A5A5A5A5A, 5), (GOOD, 3, 4)]:
            drive.ended = None
            await drive.start(Protocol.NO_DATA)
            await drive.fis("register_d2h", status=status, lba=lba, device=device)
            seen.append((bench.get("user__error_lba"), bench.get("user__error_device")))
            await drive.tick()
            await drive.tick()
        return seen
    first, second = (0x8123456789AB, 0xA), (0x5A5A5A5A5A5A, 5)
    assert run(script) == [first, first, second, second]


@pytest.mark.parametrize("ends, verified", [
    (["data"], [1]), (["data", "data"], [1, 1]), (["data_bad"], [0]),
    (["data", "data_bad"], [1, 0]), (["data_bad", "data"], [0, 0])])
def test_verified(ends, verified):
    """For one clock after each Data FIS, up to the first one that was bad."""
    async def script(drive):
        await drive.start(Protocol.DMA_IN, 100)
        seen = []
        for end in ends:
            for word in (1, 2):
                await drive.tick(transport__received__payload__valid=1,
                                 transport__received__payload__payload=word)
                assert not drive.bench.get("user__verified")
            await drive.fis(end)
            seen.append(drive.bench.get("user__verified"))
            await drive.tick()
            assert not drive.bench.get("user__verified")
        return seen
    assert run(script) == verified


@pytest.mark.parametrize("inputs, progress", [
    ({"received__fis__dma_activate": 1}, [1, 0]), ({"received__fis__pio_setup": 1}, [1, 0]),
    ({"received__fis__data": 1}, [1, 1]), ({"received__payload__valid": 1}, [1, 1]),
    ({"data__moved": 1}, [1, 1]), ({"registers__done": 1}, [1, 1]), ({"data__done": 1}, [1, 1]),
    ({"data__starved": 1}, [1, 1]), ({"received__fis__other": 1}, [0, 0]),
    ({"received__fis__register_d2h": 1, "received__fis__status__bsy": 1}, [0, 0]),
    ({"received__fis__data_bad": 1}, [0, 0])])
def test_progress(inputs, progress):
    """What brings the command on, and waiting for the user, keeps the time limit away; what the
    drive only announces does not, nor does it announce data twice."""
    async def script(drive):
        bench = drive.bench
        await drive.start(Protocol.DMA_IN, 100)
        await drive.tick()
        await drive.tick()
        assert not bench.get("user__progress")
        found = []
        for _ in range(2):
            await drive.tick(**{f"transport__{name}": value for name, value in inputs.items()})
            found.append(bench.get("user__progress"))
            await drive.tick()
        return found
    assert run(script) == progress


def test_words_behind_a_bad_data_fis_are_no_progress():
    async def script(drive):
        bench = drive.bench
        await drive.start(Protocol.DMA_IN, 100)
        await drive.tick(transport__registers__done=1)
        await drive.tick(transport__received__fis__data_bad=1)
        await drive.tick()
        await drive.tick(transport__received__payload__valid=1)
        return bench.get("user__progress")
    assert run(script) == 0


@pytest.mark.parametrize("inputs", [
    {"received__fis__data_bad": 1}, {"received__fis__other": 1}])
def test_no_progress(inputs):
    """A drive that refuses the registers for ever must not hang the core."""
    async def script(drive):
        bench = drive.bench
        await drive.start(Protocol.DMA_IN, 100)
        await drive.tick()
        await drive.tick(**{f"transport__{name}": value for name, value in inputs.items()})
        return bench.get("user__progress")
    assert run(script) == 0


def test_user_holds():
    async def script(drive):
        await drive.start(Protocol.DMA_IN, 100)
        await drive.tick(user__hold=1)
        return drive.bench.get("user__progress")
    assert run(script) == 1
