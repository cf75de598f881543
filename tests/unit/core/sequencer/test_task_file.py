"""The command in flight, as the command layer gets it."""

import pytest

from sata_recorder.core.command import Protocol
from sata_recorder.core.sequencer.task_file import TaskFileEncoder
from unit.bench import Bench

BENCH = Bench(TaskFileEncoder(), clocked=False)
#: What comes between two commands, in sectors of 512 bytes where it has some.
LBA, COUNT = 0xFEDCBA987650, 0x1238
INTERJECTED = {f"request__command__registers__{name}": value for name, value in {
    "lba": LBA, "count": COUNT, "command": 0xB0, "features": 0xBEEF, "device": 0xA5}.items()} | {
    "request__command__protocol": Protocol.DMA_OUT, "request__command__words": 0x654321}


def spec(**inputs):
    """(command, features, lba, count, device), protocol and words."""
    async def script(bench):
        bench.set(**inputs)
        return (tuple(bench.get(f"spec__registers__{name}")
                      for name in ("command", "features", "lba", "count", "device")),
                Protocol(bench.get("spec__protocol")), bench.get("spec__words"))
    return BENCH.run(script)


@pytest.mark.parametrize("writes, lba48, fua, command", [
    (0, 1, 0, 0x25), (0, 1, 1, 0x25), (0, 0, 0, 0xC8), (1, 1, 0, 0x35), (1, 1, 1, 0x3D), (1, 0, 0, 0xCA)])
def test_data(writes, lba48, fua, command):
    protocol = Protocol.DMA_OUT if writes else Protocol.DMA_IN
    found = spec(phase__moves=1, writes=writes, lba48=lba48, fua=fua, flush_ext=1, lba=0x7654321, sectors=77)
    place = (0x7654321, 77, 0x40) if lba48 else (0x654321, 77, 0x47)
    assert found == ((command, 0, *place), protocol, 77 * 128)


@pytest.mark.parametrize("lba48, flush_ext, command", [(1, 1, 0xEA), (1, 0, 0xE7), (0, 1, 0xE7), (0, 0, 0xE7)])
def test_flush(lba48, flush_ext, command):
    assert spec(phase__flushes=1, lba48=lba48, flush_ext=flush_ext) == (
        (command, 0, 0, 0, 0x40), Protocol.NO_DATA, 0)


@pytest.mark.parametrize("lba48", [0, 1])
@pytest.mark.parametrize("spins_up", [0, 1])
def test_bring_up(lba48, spins_up):
    assert spec(lba48=lba48, spins_up=spins_up) == (
        ((0xEF, 7, 0, 0, 0x40), Protocol.NO_DATA, 0) if spins_up else
        ((0xEC, 0, 0, 0, 0x40), Protocol.PIO_IN, 128))


@pytest.mark.parametrize("long, addressed, lba, count", [
    (0, 0, LBA, COUNT), (0, 1, LBA, COUNT), (1, 0, LBA, COUNT), (1, 1, LBA >> 3, COUNT >> 3)])
@pytest.mark.parametrize("lba48", [0, 1])
def test_between(long, addressed, lba, count, lba48):
    """Its own registers, but for the device; whatever the data commands are. Only what has an address is counted in
    the sectors of the drive."""
    found = spec(between=1, long=long, lba48=lba48, lba=0xBAD, sectors=0xBAD, spins_up=1, writes=1, fua=1, flush_ext=1,
                 request__addressed=addressed, **INTERJECTED)
    place = (lba, count, 0x40) if lba48 else (lba & ~(0xF << 24), count & ~0x100, 0x40 | lba >> 24 & 0xF)
    assert found == ((0xB0, 0xBEEF, *place), Protocol.DMA_OUT, 0x654321)


@pytest.mark.parametrize("lba48", [0, 1])
def test_what_would_come_between_is_in_no_other_command(lba48):
    own = {"phase__moves": 1, "writes": 1, "lba48": lba48, "lba": 0x123, "sectors": 5}
    for inputs in own, {"phase__flushes": 1, "lba48": lba48}, {"spins_up": 1}, {}:
        assert spec(**inputs, **INTERJECTED, request__addressed=1) == spec(**inputs)
