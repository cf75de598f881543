"""The query of the drive's temperature: when it is due, its command, and what the page means."""

import random

import pytest

from sata_recorder.core.command import CommandResult, Protocol
from sata_recorder.core.sequencer.between.temperature import TemperatureQuery
from sata_recorder.interface.temperature import HeatVerdict
from unit.bench import Bench
from unit.core.sequencer.queries import begin, due_after, due_after_while, query, request

BENCH = Bench(TemperatureQuery(2))
UNKNOWN, GOOD, TOO_HOT, NO_LIMIT = HeatVerdict
#: Dwords of the page.
HEADER, CURRENT, MAXIMUM = 0, 2, 22


def page(celsius, limit, *, number=5, flags=3, limit_flags=3, seed=1):
    """All that means nothing is random."""
    rng = random.Random(seed)
    words = [rng.getrandbits(32) for _ in range(128)]
    words[HEADER] = words[HEADER] & 0xFF00FFFF | number << 16
    for at, value, flag in (CURRENT, celsius, flags), (MAXIMUM, limit, limit_flags):
        words[at] = words[at] & 0xFFFFFF00 | value & 0xFF
        words[at + 1] = words[at + 1] & 0x3FFFFFFF | flag << 30
    return words


def heat(bench):
    celsius = bench.get("user__drive_temperature")
    return HeatVerdict(bench.get("user__drive_heat")), celsius - 256 if celsius & 0x80 else celsius


def test_it_is_due_before_the_first_command_and_after_every_second():
    async def script(bench):
        assert not bench.get("due")
        await begin(bench)
        for after in (0, 2, 2):
            assert await due_after(bench) == after
            await query(bench, words=page(30, 40))
            await bench.tick(9)
            assert not bench.get("due")
        await begin(bench)
        assert await due_after(bench) == 0
        await begin(bench)
        await bench.pulse(gap__query_failed=1)
        assert await due_after(bench) == 2
    BENCH.run(script)


@pytest.mark.parametrize("gap", [{"records": 0}, {"logs": 0}])
def test_only_in_a_recording_on_a_drive_that_has_the_log(gap):
    """What is written meanwhile does not count."""
    async def script(bench):
        assert await due_after_while(bench, lambda: query(bench, words=page(30, 40)), **gap) == 2
    BENCH.run(script)


def test_its_command():
    async def script(bench):
        assert request(bench) == (0x47, 0, 0x504, 1, Protocol.DMA_IN, 128)
    BENCH.run(script)


@pytest.mark.parametrize("celsius, limit, wanted", [
    (70, 70, GOOD), (71, 70, TOO_HOT), (-10, 70, GOOD), (-10, -20, TOO_HOT), (-20, -10, GOOD), (100, -128, TOO_HOT),
    (-128, 127, GOOD)])
def test_degrees_have_a_sign(celsius, limit, wanted, seed):
    async def script(bench):
        await begin(bench)
        await query(bench, words=page(celsius, limit, seed=seed))
        assert heat(bench) == (wanted, celsius)
    BENCH.run(script)


@pytest.mark.parametrize("said, wanted", [
    ({"flags": 0}, (UNKNOWN, 0)), ({"flags": 1}, (UNKNOWN, 0)), ({"flags": 2}, (UNKNOWN, 0)),
    ({"limit_flags": 0}, (NO_LIMIT, 50)), ({"limit_flags": 1}, (NO_LIMIT, 50)), ({"limit_flags": 2}, (NO_LIMIT, 50)),
    ({"number": 4}, (UNKNOWN, 0)), ({"number": 0x85}, (UNKNOWN, 0))])
def test_what_the_page_does_not_say(said, wanted):
    """Also where the page before had said it."""
    async def script(bench):
        await begin(bench)
        for before in (False, True):
            if before:
                await query(bench, words=page(35, 60))
                assert heat(bench) == (GOOD, 35)
            await query(bench, words=page(50, 60, **said, seed=2))
            assert heat(bench) == wanted
    BENCH.run(script)


@pytest.mark.parametrize("result, stays", [
    (CommandResult.DATA_CRC, True), (CommandResult.DRIVE_ERROR, False), (CommandResult.SHORT_DATA, False),
    (CommandResult.PROTOCOL, False)])
def test_a_page_that_does_not_come(result, stays):
    """One that the line has damaged changes nothing, and is asked for again; else the drive is left alone."""
    async def script(bench):
        await begin(bench)
        await query(bench, words=page(50, 60))
        await query(bench, result, words=page(80, 60))
        assert heat(bench) == ((GOOD, 50) if stays else (UNKNOWN, 0))
        assert await due_after(bench) == (2 if stays else None)
    BENCH.run(script)


def test_how_long_what_it_reported_counts():
    """Until another drive is there, or this one has to be reset for the query."""
    async def script(bench):
        for event in ("other", "reset"):
            await bench.pulse(gap__renewed=1)
            await begin(bench)
            await query(bench, words=page(50, 60))
            # What ends meanwhile is no answer to it, and what comes meanwhile no page.
            await bench.pulse(done=1, result=CommandResult.DRIVE_ERROR)
            for word in page(80, 60):
                await bench.pulse(read__valid=1, read__payload=word)
            await bench.pulse(done=1, result=CommandResult.SUCCESS)
            await bench.tick(9)
            assert heat(bench) == (GOOD, 50)
            if event == "other":
                await bench.pulse(gap__other_drive=1)
            else:
                bench.set(runs=1)
                await bench.pulse(resets=1)
                bench.set(runs=0)
            await bench.tick(2)
            assert heat(bench) == (UNKNOWN, 0)
    BENCH.run(script)
