"""Rates, and the places where they change: a continuous line of straight pieces through points of
bytes and seconds.
"""

import math
from dataclasses import dataclass

import numpy as np

#: Part of the bytes of a reading that does not count.
_EARLY = 0.25
#: Points among which the places are first searched, rounds that refine them, and moves of a round.
_COARSE, _ROUNDS, _MOVES = 48, 10, 48
#: One more piece must remove this part of the error, and rates must differ by this part.
_BETTER, _DIFFER = 0.5, 0.04
#: How many times faster a piece may be than the fastest that two neighbouring points show.
_FASTER = 2.0


@dataclass(frozen=True)
class RatePhase:
    """From the end of the phase before, up to ``end`` bytes, at ``rate`` bytes a second."""

    end: float
    rate: float


def phases(size, seconds, most=3):
    """A list of at most ``most`` :class:`RatePhase` pieces through the points: ``size`` bytes that
    were through after ``seconds``. Raises ``ValueError`` for fewer than 4 points."""
    x, t = np.asarray(size, float), np.asarray(seconds, float)
    keep = np.concatenate([[True], np.diff(x) > 0])
    x, t = x[keep], t[keep]
    if len(x) < 4:
        raise ValueError(f"{len(x)} points: at least 4 are needed for a rate")
    scale_x, scale_t = x[-1] - x[0], t[-1] - t[0]
    u, v = (x - x[0]) / scale_x, (t - t[0]) / scale_t
    knots, error = (), _line(u, v, ())[1]
    for _ in range(most - 1):
        found = _with_one_more(u, v, knots)
        if found is None:
            break
        better = _misfit(u, v, found)
        # An error below that comes from the distance between two clocks of the board.
        if better > (1 - _BETTER) * error or error < 1e-10:
            break
        knots, error = found, better
    slopes = _slopes(_line(u, v, knots)[0])
    return _merged([RatePhase(float(x[0] + scale_x * end), float(scale_x / scale_t / slope))
                    for end, slope in zip((*knots, 1.0), slopes)])


def late_rate(size, seconds, skip=0):
    """Bytes a second of the points after the first quarter of the bytes, and after a little more than
    the first ``skip`` bytes: by then, what was there before and the way to the first byte do not count.
    Raises ``ValueError`` for fewer than 3 such points."""
    late = [(x, t) for x, t in zip(size, seconds)
            if x > max(_EARLY * size[-1], 1.1 * skip)]
    if len(late) < 3:
        raise ValueError(f"{len(late)} points: at least 3 are needed for a rate")
    x, t = np.array(late).T
    return float(1 / np.polyfit(x - x[0], t - t[0], 1)[0])


def _columns(u, knots):
    return np.column_stack([np.ones_like(u), u, *(np.maximum(0, u - knot) for knot in knots)])


def _line(u, v, knots):
    """Coefficients and mean squared error, with the pieces' ends at ``knots``."""
    columns = _columns(u, knots)
    found, *_ = np.linalg.lstsq(columns, v, rcond=None)
    return found, float(np.mean((columns @ found - v) ** 2))


def _slopes(found):
    """Seconds per byte of each piece."""
    return np.cumsum(found[1:])


def _misfit(u, v, knots):
    """The mean square of the error; infinite if a piece goes backwards, or is much faster than the points are."""
    found, error = _line(u, v, knots)
    return error if min(_slopes(found)) * _FASTER >= min(np.diff(v) / np.diff(u)) else math.inf


def _with_one_more(u, v, knots):
    """The best knots with one more than ``knots``; None if there is no room."""
    inner = u[1:-1]
    if len(inner) < 3 * (len(knots) + 1):
        return None
    # Places in time, too: a short fast phase has few bytes, or few seconds.
    picks = {*np.linspace(0, len(inner) - 1, _COARSE).astype(int),
             *np.searchsorted(v[1:-1], np.linspace(0, 1, _COARSE)).clip(0, len(inner) - 1)}
    tried = [tuple(sorted((*knots, inner[n]))) for n in sorted(picks)]
    best = min(tried, key=lambda one: _misfit(u, v, one))
    step = 1 / _COARSE
    for _ in range(_ROUNDS):
        for _ in range(_MOVES):     # a new one moves those that were there
            before = best
            for n in range(len(best)):
                around = [best[:n] + (best[n] + step * part,) + best[n + 1:]
                          for part in (-1, -0.5, 0.5, 1)]
                fit = [one for one in around if _apart(one)] + [best]
                best = min(fit, key=lambda one: _misfit(u, v, one))
            if best == before:
                break
        step /= 2
    return best


def _apart(knots):
    places = (0.0, *knots, 1.0)
    return all(b - a > 1e-6 for a, b in zip(places, places[1:]))


def _merged(found):
    """Joins pieces whose rates are nearly the same."""
    merged = [found[0]]
    for phase in found[1:]:
        last = merged[-1]
        if abs(phase.rate - last.rate) < _DIFFER * max(phase.rate, last.rate):
            begin = merged[-2].end if len(merged) > 1 else 0.0
            seconds = (last.end - begin) / last.rate + (phase.end - last.end) / phase.rate
            merged[-1] = RatePhase(phase.end, (phase.end - begin) / seconds)
        else:
            merged.append(phase)
    return merged
