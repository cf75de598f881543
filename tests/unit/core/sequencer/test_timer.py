"""The timer: never early, a little late at most."""

import functools

import pytest
from amaranth.hdl import Fragment, Module
from amaranth.lib import wiring
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.core import SataRecorder
from sata_recorder.core.sequencer.timer import CLOCKS_BITS, Timer
from sata_recorder.interface.configuration import Configuration
from unit.bench import Bench

LIMITS = [(300, 640, 129, 2000), (1, 2, 3), (64, 100), (1000, 1001), (127,), (128,), (500, 1)]


class Timing(wiring.Component):
    """A timer with the count of clocks that it needs."""

    def __init__(self, limits):
        self._timer = Timer(limits)
        members = dict(self._timer.signature.members)
        del members["clocks"]
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        m.submodules.timer = timer = self._timer
        m.d.sync += timer.clocks.eq(timer.clocks + 1)
        m.d.comb += [timer.select.eq(self.select), timer.ticks.eq(self.ticks),
                     timer.restart.eq(self.restart), self.expired.eq(timer.expired)]
        return m


@functools.cache
def bench(limits):
    return Bench(Timing(list(limits)))


async def wait(bench, select, before, held, most):
    """``before`` clocks, ``held`` with ``restart``, then until it expires: the clocks of that."""
    await bench.tick(before)
    bench.set(select=select, restart=1)
    await bench.tick(held)
    assert not bench.get("expired")
    bench.set(restart=0, select=0)
    for clock in range(1, most + 1):
        await bench.tick()
        if bench.get("expired"):
            return clock
    return None


def latest(limits, select):
    """A tick is 1/64 of the limit or less, and two may be lost; and a few clocks."""
    return limits[select] + limits[select] / 32 + 4


@given(st.data(), st.sampled_from(LIMITS), st.integers(0, 70), st.integers(1, 3))
def test_each_limit(data, limits, before, held):
    """From any moment: not before the limit, and soon after it."""
    select = data.draw(st.integers(0, len(limits) - 1))
    clocks = bench(limits).run(wait, select, before, held, 3000)
    assert clocks is not None, "it never expires"
    assert limits[select] <= clocks <= latest(limits, select)


@pytest.mark.parametrize("before", range(0, 64, 7))
def test_never_early_at_any_phase(before):
    for limits in (1000, 1001), (127,), (128,):
        assert bench(limits).run(wait, 0, before, 1, 3000) >= limits[0]


@pytest.mark.parametrize("before", [0, 3, 13])
@pytest.mark.parametrize("ticks", [1, 2, 16, 64])
def test_a_limit_in_ticks(ticks, before):
    """In place of the one that is selected; early by less than one of them."""
    async def script(bench):
        bench.set(ticks=ticks)
        clocks = await wait(bench, 0, before, 1, 3000)
        bench.set(ticks=0)
        return clocks, await wait(bench, 0, before, 1, 3000)
    tick = 8            # 1/64 of 1000 clocks, or less
    clocks, after = bench((1000, 1001)).run(script)
    assert (ticks - 1) * tick < clocks <= ticks * tick + 4 and after >= 1000


def test_goes_on_until_restart():
    async def script(bench):
        await wait(bench, 0, 0, 1, 3000)
        for _ in range(200):
            await bench.tick()
            assert bench.get("expired")
        bench.set(restart=1)
        await bench.tick()
        return bench.get("expired")
    assert bench((127,)).run(script) == 0


def test_restart_in_time():
    """Again and again before the limit: it never expires."""
    async def script(bench):
        for clock in range(2000):
            bench.set(restart=clock % 127 == 0)
            await bench.tick()
            assert not bench.get("expired")
        return True
    assert bench((127,)).run(script)


def test_longest_limit_counts_after_reset():
    """Nothing has been selected yet: only the longest one cannot be too early."""
    async def script(bench):
        for clock in range(3000):
            if bench.get("expired"):
                return clock
            await bench.tick()
    assert bench((300, 640, 129, 2000)).run(script) >= 2000


@pytest.mark.parametrize("ticks", [64, 128, 300])
def test_a_limit_of_which_1_64_is_longer_than_the_count_of_clocks(ticks):
    """It has more ticks, each of them a round of the count."""
    async def script(bench):
        await bench.pulse(restart=1)
        for rounds in range(2 * ticks):
            await bench.tick(2)
            if bench.get("expired"):
                return rounds
            bench.set(clocks=1 << CLOCKS_BITS - 1)
            await bench.tick(2)
            bench.set(clocks=0)
    assert Bench(Timer([ticks << CLOCKS_BITS])).run(script) == ticks + 1


@pytest.mark.parametrize("clock_hz, name", [
    (75e6, "retry_delay"), (160e6, "command_timeout"), (1e9, "recovery_timeout")])
def test_a_core_waits_as_long_as_can_be_configured(clock_hz, name):
    assert Fragment.get(SataRecorder(Configuration(clock_hz=clock_hz, **{name: 3600.0})), None).subfragments
