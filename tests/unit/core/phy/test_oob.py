"""OOB: what is sent to the dword, what is recognised within the windows and not beyond them."""

from math import floor

import pytest

from sata_recorder.core.phy.oob import (INIT_MUST, INIT_WINDOW, WAKE_MUST, WAKE_WINDOW, Line,
                                   OobDetector, OobGenerator, window)
from unit.bench import Bench

NS = 1e-9
CLOCKS = [37.5e6, 75e6, 100e6, 150e6]
BURST = 106.7 * NS
GENERATOR = Bench(OobGenerator())
DETECTORS = {}


def detector(clock_hz):
    if clock_hz not in DETECTORS:
        DETECTORS[clock_hz] = Bench(OobDetector(clock_hz))
    return DETECTORS[clock_hz]


@pytest.mark.parametrize("generation", [1, 2, 3])
@pytest.mark.parametrize("wake", [0, 1])
def test_generator(generation, wake):
    """Six bursts of 4 dwords of Gen1 (160 UI), with gaps of as many, or of 12 (480 UI); 853 ns of
    silence before them."""
    unit = 4 << generation - 1
    stall = [1, 1, 0, 1, 0, 0]

    async def script(bench):
        bench.set(start=1, wake=wake, generation=generation)
        await bench.tick()
        bench.set(start=0)
        taken, clock = [], 0
        while bench.get("busy"):
            step = stall[clock % 6]
            bench.set(step=step)
            if step:
                taken.append(bench.get("line"))
            await bench.tick()
            clock += 1
        assert bench.get("line") == Line.IDLE
        return taken

    taken = GENERATOR.run(script)
    gap = unit if wake else 3 * unit
    lead = [Line.GAP] * 8 * unit
    assert taken == lead + ([Line.BURST] * unit + [Line.GAP] * gap) * 6


def test_generator_goes_on():
    """While it is asked to: whole sixes, with no longer gap between them."""
    async def script(bench):
        bench.set(start=1, generation=1, step=1)
        await bench.tick()
        taken = []
        while bench.get("busy"):
            bench.set(start=len(taken) < 132)
            taken.append(bench.get("line"))
            await bench.tick()
        return taken

    assert GENERATOR.run(script) == ([Line.GAP] * 32
                                     + ([Line.BURST] * 4 + [Line.GAP] * 12) * 12)


def edges(gap, bursts=6, burst=BURST, before=1e-6, after=2e-6):
    """Times at which the line becomes active and idle by turns, and the end."""
    now, times = before, []
    for _ in range(bursts):
        times += [now, now + burst]
        now += burst + gap
    return times, now - gap + after


def levels(times, end, clock_hz, phase):
    """The line as sampled; ``phase``: of the clock."""
    samples, n, active = [], 0, 0
    for clock in range(floor(end * clock_hz)):
        now = (clock + phase) / clock_hz
        while n < len(times) and times[n] <= now:
            n, active = n + 1, 1 - active
        samples.append(active)
    return samples


def seen(clock_hz, samples):
    """The clocks in which each signal was seen."""
    rows = [{"active": level} for level in samples]
    trace = detector(clock_hz).trace(rows, ("oob__cominit", "oob__comwake"))
    return {name: [n for n, row in enumerate(trace) if row[f"oob__{name}"]]
            for name in ("cominit", "comwake")}


#: Gap in ns: what it must be taken for, with the sampling at its worst.
MUST = {101.3: "comwake", 106.7: "comwake", 112.0: "comwake",
        304.0: "cominit", 320.0: "cominit", 336.0: "cominit",
        20.0: None, 30.0: None, 34.9: None, 525.1: None, 560.0: None, 900.0: None}


@pytest.mark.sample(5)
@pytest.mark.parametrize("clock_hz", CLOCKS)
@pytest.mark.parametrize("gap", MUST)
def test_windows(clock_hz, gap):
    for phase in (0.01, 0.5, 0.99):
        found = seen(clock_hz, levels(*edges(gap * NS), clock_hz, phase))
        assert [name for name, clocks in found.items() if clocks] == (
            [MUST[gap]] if MUST[gap] else []), phase


@pytest.mark.parametrize("clock_hz", CLOCKS)
@pytest.mark.parametrize("gap", [174.9, 175.1])
def test_border(clock_hz, gap):
    """At 175 ns one ends and the other begins: never the wrong one."""
    found = seen(clock_hz, levels(*edges(gap * NS), clock_hz, 0.5))
    assert not found["cominit" if gap < 175 else "comwake"]


@pytest.mark.parametrize("clock_hz", CLOCKS)
@pytest.mark.parametrize("gap", [106.7, 320.0])
def test_count(clock_hz, gap):
    """Three bursts are no signal, four are."""
    for bursts in (2, 3, 4, 6):
        found = seen(clock_hz, levels(*edges(gap * NS, bursts), clock_hz, 0.3))
        assert any(found.values()) == (bursts >= 4)


@pytest.mark.parametrize("clock_hz", CLOCKS)
def test_end_of_comwake(clock_hz):
    """It is over soon after the last burst, in silence and when data follows at once."""
    times, end = edges(106.7 * NS, after=3e-6)
    over = times[-1] + 175 * NS
    quiet = seen(clock_hz, levels(times, end, clock_hz, 0.5))["comwake"][-1]
    assert over - 40 * NS < quiet / clock_hz < over + 60 * NS
    data = times + [times[-1] + 106.7 * NS]
    busy = seen(clock_hz, levels(data, end, clock_hz, 0.5))["comwake"][-1]
    assert busy / clock_hz < times[-1] + (106.7 + 175 + 60) * NS


def test_distorted_gaps():
    """A squelch that makes gaps shorter or longer by 40 ns leaves them what they are."""
    for gap, name in ((106.7, "comwake"), (320, "cominit")):
        for change in (-40, 40):
            times = edges(gap * NS)
            times = [t - (n % 2) * change * NS for n, t in enumerate(times[0])], times[1]
            found = seen(75e6, levels(*times, 75e6, 0.5))
            assert [name for name, clocks in found.items() if clocks] == [name]


def test_clock_too_slow():
    with pytest.raises(ValueError, match="too slow"):
        window(WAKE_WINDOW, WAKE_MUST, 20e6)
    for tenths in range(375, 4000):
        window(WAKE_WINDOW, WAKE_MUST, tenths * 1e5)
        window(INIT_WINDOW, INIT_MUST, tenths * 1e5)
