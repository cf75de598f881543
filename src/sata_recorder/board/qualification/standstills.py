"""Standstills of a drive among points of bytes and seconds: where, how long, how regular."""

from dataclasses import dataclass

import numpy as np

#: Intervals on each side that show the usual time of a byte, and fewest points.
_AROUND, _LEAST = 8, 7
#: Fewest intervals of a side that show it.
_SIDE = 7
#: An interval stands out if it is longer by so many of the usual deviations, and by this part of
#: the usual interval.
_DEVIATIONS, _PART = 10, 0.5
#: Lengths, and distances, that differ by less are the same.
_SAME_LENGTH, _SAME_DISTANCE = 0.2, 0.05


@dataclass(frozen=True)
class Standstill:
    """After ``at`` bytes nothing moved for ``seconds``."""

    at: float
    seconds: float


@dataclass(frozen=True)
class Periodic:
    """A standstill of ``seconds`` after every ``every`` bytes, the first one after ``first``;
    ``every`` is None if there was only one."""

    seconds: float
    first: float
    every: float | None


def standstills(size, seconds):
    """(list of :class:`Standstill`, the points without them as two lists).

    ``size`` are the bytes that were through after ``seconds``, neither of which goes down. A standstill
    shorter than half the usual distance between two points cannot be distinguished from the noise.
    """
    if len(size) < _LEAST:
        return [], (list(size), list(seconds))
    x, first, last = _distinct(size, seconds)
    if len(x) < _LEAST:
        return [], (list(map(float, x)), list(map(float, first)))
    around = min(_AROUND, len(x) // 3)
    dx, dt = np.diff(x), np.diff(first)
    each = dt / dx
    usual = np.array([_usual(each[max(0, n - around):n], each[n + 1:n + 1 + around])
                      for n in range(len(each))])
    more = dt - dx * usual
    least = max(_DEVIATIONS * float(np.median(np.abs(more))), _PART * float(np.median(dt)))
    found, cut = [], np.zeros_like(more)
    for begin, end in _runs(more > least):
        # It began and ended somewhere between two points: the intervals next to it belong to it, too.
        begin, end = max(0, begin - 1), min(len(more), end + 1)
        cut[begin:end] = np.maximum(0, more[begin:end])
        longest = begin + int(np.argmax(last[begin:end + 1] - first[begin:end + 1]))
        found.append(Standstill(float(x[longest]), float(np.sum(cut[begin:end]))))
    return found, (list(map(float, x)), list(map(float, first - np.append(0, np.cumsum(cut)))))


def _usual(before, after):
    """The usual time of a byte between the intervals ``before`` and ``after``: that of the slower side,
    since after a place where the rate changes all are slow. A side of only a few shows nothing: three of
    them may belong to the standstill."""
    sides = [side for side in (before, after) if len(side) >= _SIDE] or [[*before, *after]]
    return max(float(np.median(side)) for side in sides)


def _runs(flags):
    """(begin, end) of each run of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return list(zip(edges[::2], edges[1::2]))


def _distinct(size, seconds):
    """The bytes of the points, each once, and the first and the last second at which they were
    seen."""
    x, t = np.asarray(size, float), np.asarray(seconds, float)
    new = np.concatenate([[True], np.diff(x) > 0])
    ends = np.append(np.flatnonzero(new)[1:] - 1, len(x) - 1)
    return x[new], t[new], t[ends]


def periodic(found):
    """The :class:`Periodic` of :class:`Standstill` s that are alike and equally far apart; None
    if they are not, or there is none. The first of more than two does not count if it is shorter: the
    drive's RAM has hidden a part of it."""
    if len(found) > 2 and found[0].seconds < (1 - _SAME_LENGTH) * found[1].seconds:
        found = found[1:]
    if not found:
        return None
    lengths = np.array([one.seconds for one in found])
    middle = float(np.median(lengths))
    if np.any(np.abs(lengths - middle) > _SAME_LENGTH * middle):
        return None
    if len(found) == 1:
        return Periodic(middle, found[0].at, None)
    places = np.array([one.at for one in found])
    every = float((places[-1] - places[0]) / (len(places) - 1))
    if np.any(np.abs(np.diff(places) - every) > _SAME_DISTANCE * every):
        return None
    return Periodic(float(np.mean(lengths)), float(places[0]), every)
