"""The space of a recording on a drive whose logical sectors are long, and get so, or are gone, meanwhile."""

import pytest

from sata_recorder.core.drive_port import Operation
from sata_recorder.interface.configuration import Configuration
from sata_recorder.bricks.modes import RecordingController
from sata_recorder.interface.recording import RecordingMode
from unit.compiled_bench import CompiledBench

BENCH = CompiledBench(RecordingController(Configuration(extents="modes", long_logical_sectors=True)))
MODE = RecordingMode


async def begun(bench, mode, before, after, clock, *, lba=80, sectors=64, position=0, words=0):
    """(clocks from ``start`` to the core's, its lba and sectors) where the length goes from ``before`` to
    ``after`` this many clocks after ``start``."""
    bench.set(core__sector__long_sectors=before, user__recording__mode=mode,
              user__recording__words=words, user__recording__position=position, user__control__lba=lba,
              user__control__sectors=sectors, user__control__operation=Operation.RECORD)
    await bench.tick(20)
    for now in range(60):
        bench.set(user__control__start=now == 0)
        if now == clock:
            bench.set(core__sector__long_sectors=after)
        if bench.get("core__control__start"):
            return now, bench.get("core__control__lba"), bench.get("core__control__sectors")
        await bench.tick()
    raise AssertionError("the core is not started")


@pytest.mark.parametrize("mode, space, short, long", [
    (MODE.FIXED, {"words": 1}, (80, 1), (80, 8)), (MODE.FIXED, {"words": 1500}, (80, 12), (80, 16)),
    (MODE.RING, {"lba": 84, "position": 4, "sectors": 12}, (88, 8), (89, 8)),
    (MODE.FIXED, {"lba": 84, "position": 4, "words": 1024}, (88, 8), (89, 8))])
@pytest.mark.parametrize("after", [0, 1])
def test_the_space_is_that_of_the_drive_that_the_core_finds(mode, space, short, long, after):
    """Whenever it changes. A first span that is whole is refused by its lba for those after it."""
    for clock in range(13):
        at, *span = BENCH.run(begun, mode, 1 - after, after, clock, **space)
        assert tuple(span) == ((short, long)[after] if at >= clock else (short, long)[1 - after]), clock
        assert at == (10 if clock in (0, 11, 12) else clock + 10), clock


async def oldest(bench, before, after, words):
    """``oldest`` of a full recording, before and after the drive is lost."""
    at, lba, sectors = await begun(bench, MODE.FIXED, before, before, 0, words=words)
    await bench.tick()
    bench.set(core__queue__begun=sectors, core__status__done=1)
    await bench.tick()
    bench.set(core__status__done=0)
    found = []
    for long in before, after, before:
        bench.set(core__sector__long_sectors=long)
        await bench.tick(10)
        found.append(bench.get("user__recording__oldest"))
    return found


@pytest.mark.parametrize("words", [1, 1500])
@pytest.mark.parametrize("before", [0, 1])
def test_the_part_stays_when_the_drive_is_lost(before, words):
    """Nothing was written over, whatever drive there is now."""
    assert BENCH.run(oldest, before, 1 - before, words) == [0, 0, 0]
