"""Standstills come back from points, wherever these lie; a drive without any has none."""

import random

import pytest

from sata_recorder.board.qualification.fit import phases
from sata_recorder.board.qualification.standstills import (Periodic, Standstill, periodic, standstills)


def points(total, rate, stalls, look, rng, noise=0.0):
    """What is seen each ``look`` seconds of a drive of ``rate`` that stops at ``stalls``
    (bytes, seconds)."""
    def through(seconds):
        done, before = 0.0, 0.0
        for at, length in [*stalls, (float("inf"), 0)]:
            span = min(seconds - before, (at - done) / rate)
            done, before = done + span * rate, before + span + length
            if before >= seconds:
                return done
        return done
    now, found = 0.0, [(0.0, 0.0)]
    while found[-1][0] < total:
        now += look * rng.uniform(0.7, 1.3)
        found.append((max(found[-1][0], min(total, through(now) + rng.uniform(-noise, noise))), now))
    return zip(*found[:-1])     # its end is not when its last byte was through


@pytest.mark.parametrize("look", [3e-4, 3e-3])
def test_regular_ones(seed, look):
    rng = random.Random(seed)
    rate, every = rng.uniform(5e7, 2e8), rng.uniform(0.08, 0.2)
    first, length = every * rng.uniform(0.3, 1), rng.uniform(0.004, 0.3)
    stalls = [(rate * (first + n * every), length) for n in range(5)]
    found, rest = standstills(*points(stalls[-1][0] + 0.05 * rate, rate, stalls, look, rng))
    assert [one.seconds for one in found] == [pytest.approx(length, rel=0.02, abs=look / 10)] * 5
    told = periodic(found)
    # Between two points the place is not known.
    assert told.every == pytest.approx(rate * every, rel=0.005, abs=rate * look)
    assert told.first == pytest.approx(rate * first, rel=0.005, abs=2 * rate * look)
    (phase,) = phases(*rest)
    assert phase.rate == pytest.approx(rate, rel=0.005)


def test_few_points():
    """A standstill among a dozen points is one, too."""
    x, t = [1e6 * n for n in range(12)], [0.01 * n + (0.03 if n > 6 else 0) for n in range(12)]
    (found,), (_, shorter) = standstills(x, t)
    assert found.seconds == pytest.approx(0.03) and shorter[-1] == pytest.approx(0.11)


def test_at_the_end():
    """Of one that ends between the last two points, the rest is in the last interval."""
    x = [1e6 * n for n in range(20)]
    t = [0.01 * n + (0.026 if n > 17 else 0) + (0.004 if n > 18 else 0) for n in range(20)]
    (found,), (_, shorter) = standstills(x, t)
    assert found.seconds == pytest.approx(0.03) and shorter[-1] == pytest.approx(0.19)


def test_one(seed):
    rng = random.Random(seed)
    found, _ = standstills(*points(5e7, 1e8, [(3e7, 0.02)], 3e-4, rng))
    assert periodic(found) == Periodic(pytest.approx(0.02, rel=0.02), pytest.approx(3e7, rel=0.01),
                                       None)


@pytest.mark.parametrize("noise", [0, 1024])
def test_none(seed, noise):
    """Neither noise nor a rate that changes is a standstill."""
    rng = random.Random(seed)
    x, t = map(list, points(3e7, 1.3e8, [], 3e-4, rng, noise))
    found, rest = standstills(x, t)
    assert found == [] and rest == (sorted(set(x)), rest[1])
    slower = [(x[-1] + n * 1.5e4, t[-1] + n * 3e-4) for n in range(1, 200)]
    found, _ = standstills([*x, *(size for size, _ in slower)], [*t, *(at for _, at in slower)])
    assert found == [] and periodic(found) is None


def test_too_few_points():
    assert standstills([0, 1, 1, 2], [0, 1, 2, 3]) == ([], ([0, 1, 1, 2], [0, 1, 2, 3]))


def test_a_first_one_that_was_hidden():
    found = [Standstill(0.9e7, 0.005), *(Standstill(n * 1e7, 0.02) for n in (2, 3, 4))]
    assert periodic(found) == Periodic(pytest.approx(0.02), 2e7, 1e7)


@pytest.mark.parametrize("found", [
    [(1e7, 0.02), (2e7, 0.2)],
    [(1e7, 0.02), (2e7, 0.02), (2.2e7, 0.02)],
])
def test_irregular_ones(found):
    assert periodic([Standstill(*one) for one in found]) is None
