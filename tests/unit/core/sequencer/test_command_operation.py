"""COMMAND puts its registers into the command, and into no other."""

import random

import pytest

from sata_recorder.core.command import Protocol
from sata_recorder.core.drive_port import Operation
from sata_recorder.core.sequencer.command_operation import CommandOperation
from unit.bench import Bench

BENCH = Bench(CommandOperation(max_sectors=16))
REGISTERS = {"user__command": 0xB0, "user__features": 0x12DA, "user__count": 0x3456,
             "user__device": 0xE5, "lba": 0xC24F00112233}
OWN = {"command": 0x25, "features": 0, "lba": 7, "device": 0x40, "count": 9}
SPEC = ("command", "features", "lba", "device", "count")


async def begin(bench, operation, command, sectors=4):
    bench.set(**REGISTERS, own__protocol=Protocol.DMA_IN, own__words=512,
              **{f"own__registers__{name}": value for name, value in OWN.items()})
    bench.set(user__operation=command, begin=1, extent__operation=operation,
              extent__sectors=sectors, writes=operation & 1)
    assert bench.get("begins") == command
    await bench.tick()
    # What the user asks for next is not for this one.
    bench.set(begin=0, user__operation=random.getrandbits(1))
    await bench.tick()
    assert bench.get("active") == command


@pytest.mark.parametrize("pio", [0, 1])
@pytest.mark.parametrize("phase", ["moves", "flushes", "recovers", "checks"])
@pytest.mark.parametrize("command", [0, 1])
@pytest.mark.parametrize("operation", [*Operation])
def test_spec(operation, command, phase, pio):
    async def script(bench):
        await begin(bench, operation, command)
        bench.set(user__pio=pio, **{f"phase__{phase}": 1})
        found = [bench.get(f"spec__registers__{name}") for name in SPEC]
        ours = command and (phase == "moves" or phase == "flushes" and operation == Operation.FLUSH)
        assert found == ([0xB0, 0x12DA, 0xC24F00112233, 0xE5, 0x3456] if ours else
                         [OWN[name] for name in SPEC])
        by_pio = ours and phase == "moves" and pio
        assert bench.get("pio_out") == (by_pio and operation & 1)
        assert bench.get("spec__protocol") == (
            Protocol.PIO_IN if by_pio and not operation & 1 else Protocol.DMA_IN)
        assert bench.get("spec__words") == 512
        assert bench.get("no_data") == (command and operation == Operation.FLUSH)
        bench.set(user__pio=0, **{f"phase__{phase}": 0})
    BENCH.run(script)


@pytest.mark.parametrize("sectors, too_long", [(0, 0), (16, 0), (17, 1), (1 << 47, 1)])
def test_length(sectors, too_long):
    async def script(bench):
        await begin(bench, Operation.PLAY, 1, sectors)
        assert bench.get("too_long") == too_long
    BENCH.run(script)


def test_the_next_operation_is_the_cores_own():
    async def script(bench):
        await begin(bench, Operation.FLUSH, 1)
        await begin(bench, Operation.FLUSH, 0)
        assert not bench.get("no_data")
    BENCH.run(script)


def test_registers_of_the_drive():
    async def script(bench):
        bench.set(final__lba=0x123456789ABC, final__count=0xBEEF, final__device=0x5A)
        assert [bench.get(f"user__result_{name}") for name in ("lba", "count", "device")] == [
            0x123456789ABC, 0xBEEF, 0x5A]
    BENCH.run(script)
