"""Logical sectors of 4096 bytes in the parts of the sequencer: words 106, 117 and 118 of IDENTIFY DEVICE
data, and what is counted in which sectors (ATA8-ACS, Long Logical Sector feature set)."""

import pytest

from sata_recorder.core.drive_port import Error
from sata_recorder.core.sequencer.extent_queue import ExtentQueue
from sata_recorder.core.sequencer.identity import Identity
from sata_recorder.core.sequencer.logical_sector import LogicalSector
from sata_recorder.core.sequencer.task_file import TaskFileEncoder
from unit.compiled_bench import CompiledBench
from unit.core.sequencer.test_identity import judge, page

IDENTITY = CompiledBench(Identity(long_sectors=True))
LONG = {"w83": 0x4400, "w106": 0x5000, "w117": 2048}


async def judged(bench, *blocks):
    """(long, a length that is not used, capacity, another drive) of the last of the blocks."""
    for block in blocks:
        await bench.pulse(check__begin=1)
        await bench.tick()
        assert not bench.get("long") and not bench.get("capacity")
        for index in range(0, 256, 2):
            await bench.pulse(payload__valid=1, payload__payload=block[index + 1] << 16 | block[index])
        differs = await judge(bench)
    return bench.get("long"), bench.get("check__long_sectors"), bench.get("capacity"), differs


@pytest.mark.parametrize("words, expected", [
    (LONG | {"w100": 1000, "w101": 1}, (1, 0, 8 * 66536)),
    (LONG | {"w83": 0x4000, "w60": 1000, "w100": 5}, (1, 0, 8000)),
    (LONG | {"w83": 0x4000, "w61": 0x1000}, (1, 0, 8 * (2**28 - 1))),
    (LONG | {"w102": 0x2000}, (1, 0, 2**48 - 1)),                       # more than can be counted
    (LONG | {"w102": 0x1FFF, "w100": 0xFFFF, "w101": 0xFFFF}, (1, 0, 2**48 - 8)),
    (LONG | {"w106": 0x4000, "w100": 9}, (0, 0, 9)),
    (LONG | {"w106": 0x1000, "w100": 9}, (0, 0, 9)),                    # not valid
    (LONG | {"w106": 0x7003, "w100": 9}, (1, 0, 72)),                   # longer physical ones, too
    (LONG | {"w117": 256, "w100": 9}, (0, 1, 9)),
    (LONG | {"w117": 4096, "w100": 9}, (0, 1, 9)), (LONG | {"w118": 1, "w100": 9}, (0, 1, 9)),
    (LONG | {"w117": 0, "w118": 2048, "w100": 9}, (0, 1, 9)), ({"w117": 2048, "w100": 9}, (0, 0, 0)),
])
def test_identify(words, expected):
    assert IDENTITY.run(judged, page(**words))[:3] == expected


def test_nothing_stays_of_the_drive_before():
    first = LONG | {"w10": 0x4142, "w100": 80}
    assert IDENTITY.run(judged, page(**first), page(**first)) == (1, 0, 640, 0)
    short = first | {"w106": 0x4000}
    # Nothing else is another one.
    assert IDENTITY.run(judged, page(**first), page(**short)) == (0, 0, 80, 1)
    assert IDENTITY.run(judged, page(**short), page(**first)) == (1, 0, 640, 1)


@pytest.mark.parametrize("long, lba48, lba, sectors, told", [
    (1, 1, 0x123456789A8, 16, (0x2468ACF135, 2, 0x40)), (1, 1, 8, 65536, (1, 8192, 0x40)),
    (1, 0, 8 * 0x5123456, 256, (0x123456, 32, 0x45)), (0, 1, 0x123456789A8, 16, (0x123456789A8, 16, 0x40)),
    (0, 0, 0x5123456, 256, (0x123456, 0, 0x45))])
def test_registers(long, lba48, lba, sectors, told):
    async def script(bench):
        bench.set(long=long, lba48=lba48, lba=lba, sectors=sectors, phase__moves=1, writes=1)
        await bench.tick()
        # The data are as long as ever.
        assert bench.get("spec__words") == 128 * sectors
        return tuple(bench.get(f"spec__registers__{name}") for name in ("lba", "count", "device"))
    assert CompiledBench(TaskFileEncoder()).run(script) == told


@pytest.mark.parametrize("drive, raw, lba, sectors, expected", [
    (1, 0, 80, 16, (1, 0)), (1, 0, 81, 16, (1, 1)), (1, 0, 80, 12, (1, 1)), (1, 0, 2**47, 8, (1, 0)),
    (1, 1, 81, 3, (0, 0)), (0, 0, 81, 3, (0, 0))])
def test_an_operation(drive, raw, lba, sectors, expected):
    async def script(bench):
        bench.set(extent__lba=lba, extent__sectors=sectors, raw=raw, drive=drive)
        await bench.tick()
        await bench.pulse(begin=1)
        bench.set(drive=1 - drive, raw=1 - raw, named=5)
        await bench.pulse(locates=1)
        # It stays what it was, and names sectors accordingly.
        assert bench.get("other") == 1
        assert bench.get("error_lba") == (40 if expected[0] else 5)
        bench.set(named=1 << 45)
        await bench.tick()
        assert bench.get("error_lba") == (2**48 - 1 if expected[0] else 1 << 45)
        return bench.get("long"), bench.get("splits")
    assert CompiledBench(LogicalSector()).run(script) == expected


def test_what_an_error_named_stays():
    """In the sectors of its operation, until another error names one."""
    async def script(bench):
        found = []
        for drive, raw, locates, named in ((1, 0, 1, 12), (1, 1, 0, 12), (0, 0, 0, 12), (1, 1, 1, 12),
                                           (1, 0, 0, 12), (0, 0, 1, 90), (1, 0, 0, 90), (1, 0, 1, 90)):
            bench.set(drive=drive, raw=raw)
            await bench.pulse(begin=1)
            bench.set(named=named)
            await bench.pulse(locates=locates)
            found.append(bench.get("error_lba"))
        # Late, in the clock in which another operation begins: that of the one before.
        bench.set(raw=1)
        await bench.pulse(begin=1, locates=1)
        return [*found, bench.get("error_lba")]
    assert CompiledBench(LogicalSector()).run(script) == [96, 96, 96, 12, 12, 90, 90, 720, 720]


@pytest.mark.parametrize("long, lba, sectors, expected", [
    (1, 80, 16, None), (1, 84, 16, Error.SECTOR_SIZE), (1, 80, 17, Error.SECTOR_SIZE),
    (1, 84, 0, Error.ZERO_SECTORS), (1, 992, 16, Error.OUT_OF_RANGE), (0, 84, 17, None)])
def test_an_extent_of_the_queue(long, lba, sectors, expected):
    async def script(bench):
        bench.set(long=long, open=1, usable=1, capacity=1000)
        await bench.tick()
        await bench.tick()
        await bench.pulse(queue__valid=1, queue__payload__lba=lba, queue__payload__sectors=sectors)
        for _ in range(10):
            await bench.tick()
        assert bench.get("waits") == (expected is None) != bench.get("refused")
        return None if expected is None else Error(bench.get("error"))
    assert CompiledBench(ExtentQueue()).run(script) == expected
