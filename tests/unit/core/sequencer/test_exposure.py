"""What a write cache may have lost: kept from the latest moment at which it may have been."""

import functools

import pytest

from sata_recorder.core.drive_port import Error
from sata_recorder.core.sequencer.recovery.exposure import Exposure
from unit.bench import Bench


@functools.cache
def bench(queued):
    return Bench(Exposure(queued=queued))


def shown(bench):
    return bench.get("first"), bench.get("sectors"), Error(bench.get("reason"))


async def expose(bench, cause, **inputs):
    bench.set(cause=cause, **inputs)
    await bench.pulse(expose=1)
    # What is completed, and what fails, after it is not exposed.
    bench.set(cause=Error.PROTOCOL, sectors_done=0xBAD, skipped=0xBAD, lba=0xBAD, range=0xBAD)
    await bench.tick(3)


def test_of_one_extent():
    """All from its beginning, also what was passed over."""
    async def script(bench):
        bench.set(origin=1 << 47)
        for done, skipped in (0, 0), (5, 0), (0, 7), (1 << 40, 9):
            await expose(bench, Error.LINK_LOST, sectors_done=done, skipped=skipped)
            assert shown(bench) == (1 << 47, done + skipped, Error.LINK_LOST)
        await expose(bench, Error.TIMEOUT, sectors_done=3, skipped=1)
        assert shown(bench) == (1 << 47, 4, Error.TIMEOUT)
        await bench.pulse(begin=1)
        assert bench.get("sectors") == 0
    bench(False).run(script)


def test_of_several_extents():
    """The range of what was completed in all of them, wherever the last one begins; nothing if nothing was."""
    async def script(bench):
        bench.set(origin=77)
        for done in 1, 0, 1 << 47:
            await expose(bench, Error.LINK_LOST, sectors_done=done, skipped=2, lba=1 << 46, range=300)
            assert shown(bench)[1:] == (300 if done else 0, Error.LINK_LOST)
            if done:
                assert bench.get("first") == 1 << 46
        await bench.pulse(begin=1)
        assert bench.get("sectors") == 0
    bench(True).run(script)


@pytest.mark.parametrize("queued", [False, True])
def test_nothing_of_the_operation_before(queued):
    """Also where the cache is lost in the clock in which another one begins."""
    async def script(bench):
        await expose(bench, Error.LINK_LOST, sectors_done=5, lba=4, range=5)
        assert bench.get("sectors") == 5
        bench.set(sectors_done=5, skipped=0, range=5)
        await bench.pulse(begin=1, expose=1)
        assert bench.get("sectors") == 0
    bench(queued).run(script)
