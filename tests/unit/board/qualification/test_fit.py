"""Rates and places of change come back from points, also where these are few and uneven."""

import random

import pytest

from sata_recorder.board.qualification.fit import RatePhase, late_rate, phases


def points(pieces, count, noise=0.0, rng=None):
    """Points of a line whose pieces are (end in bytes, rate)."""
    total, rng = pieces[-1][0], rng or random.Random(1)
    places = sorted(rng.uniform(0, total) for _ in range(count))
    found = [(0.0, 0.0)]
    for place in [*places, total]:
        seconds, begin = 0.0, 0.0
        for end, rate in pieces:
            seconds += max(0.0, min(place, end) - begin) / rate
            begin = end
        found.append((place, seconds * (1 + rng.uniform(-noise, noise))))
    return zip(*found)


@pytest.mark.parametrize("pieces", [
    [(1e8, 5e7)],
    [(2e7, 1.5e8), (1e8, 4e7)],
    [(6e5, 2.9e8), (1e7, 1.4e8), (3e7, 6e7)],
    [(1e6, 2.9e8), (3e7, 6e7)],
    [(5e9, 5e8), (2e10, 8e7)],
    # The best place of one change alone is none of the two.
    [(2.4e9, 4e8), (3.3e9, 1.5e8), (3.6e9, 5e7)], [(2.4e9, 4e8), (2.7e9, 5e7), (3.6e9, 1.5e8)],
])
@pytest.mark.parametrize("count", [60, 400])
def test_pieces_come_back(pieces, count):
    found = phases(*points(pieces, count))
    assert len(found) == len(pieces)
    for phase, (end, rate) in zip(found, pieces):
        assert phase.rate == pytest.approx(rate, rel=0.01)
        assert phase.end == pytest.approx(end, rel=0.02)


def test_random_pieces(seed):
    rng = random.Random(seed)
    fast = rng.uniform(1.2e8, 2.5e8)
    slow = fast * rng.uniform(0.2, 0.7)
    change = rng.uniform(3e6, 2e7)
    found = phases(*points([(change, fast), (3 * change, slow)], 150, rng=rng))
    assert [phase.rate for phase in found] == [pytest.approx(fast, rel=0.01),
                                               pytest.approx(slow, rel=0.01)]
    assert found[0].end == pytest.approx(change, rel=0.02)


def test_noise_makes_no_pieces():
    rng = random.Random(5)
    found = phases(*points([(1e8, 5e7)], 200, noise=0.002, rng=rng))
    assert len(found) == 1 and found[0].rate == pytest.approx(5e7, rel=0.01)


@pytest.mark.parametrize("number", range(12))
def test_no_piece_is_faster_than_the_points(number):
    """A standstill near the beginning makes no piece that takes no time, or less."""
    rng = random.Random(number)
    sizes, seconds = [0.0, 3e6], [0.0, 0.017]
    stall = rng.randint(1, 3)
    for place in range(12):
        step = rng.uniform(1e6, 4e6)
        sizes.append(sizes[-1] + step)
        seconds.append(seconds[-1] + step / 2e8 + (place == stall) * rng.uniform(0.05, 0.1))
    assert all(phase.rate <= 2 * 2e8 * 1.001 for phase in phases(sizes, seconds))


def test_too_few_points():
    with pytest.raises(ValueError, match="3 points: at least 4"):
        phases([0, 1, 2], [0, 1, 2])
    # Points of the same place are one.
    with pytest.raises(ValueError, match="points: at least 4"):
        phases([0, 1, 1, 1, 1], [0, 1, 2, 3, 4])


def test_a_phase():
    assert RatePhase(3, 4) == RatePhase(end=3, rate=4)


def test_late_rate():
    """What was read ahead does not count."""
    size, seconds = points([(1e5, 2.9e8), (2e6, 1.5e8)], 12)
    assert late_rate(size, seconds) == pytest.approx(1.5e8, rel=0.001)
    with pytest.raises(ValueError, match="2 points: at least 3"):
        late_rate([1, 90, 100], [1, 2, 3])
