"""What the measured curve of bytes against time shows by itself, without a profile."""

import csv
import io
from statistics import mean

import numpy as np

#: Most windows of the later half whose rates are compared, and fewest.
_MOST, _LEAST = 8, 2


def fifo_bytes(points, rate):
    """The most bytes that wait if data come at ``rate`` bytes a second, from the first of the
    ``points`` (bytes, seconds) on; those in the recorder's own buffer are among them."""
    deepest, least = 0.0, float("inf")
    for size, seconds in points:
        waiting = rate * seconds - size
        least = min(least, waiting)
        deepest = max(deepest, waiting - least)
    return deepest


def block_times(points, size):
    """What each block of ``size`` bytes took in s, the first one from the start of the operation on;
    between two of the ``points`` time runs evenly. The rest after the last block is left out."""
    sizes, seconds = zip(*points)
    edges = np.arange(0, sizes[-1] + 1, size)
    return [float(span) for span in np.diff(np.interp(edges, sizes, seconds))]


def lasting_rates(points):
    """(least, mean, most) bytes a second in windows of the later half of the bytes; None if
    there are too few points."""
    half = [point for point in points if point[0] >= points[-1][0] / 2] if points else []
    windows = min(_MOST, len(half) // 2)
    if windows < _LEAST:
        return None
    edges = [half[n * (len(half) - 1) // windows] for n in range(windows + 1)]
    rates = [(b[0] - a[0]) / (b[1] - a[1]) for a, b in zip(edges, edges[1:])]
    whole = (edges[-1][0] - edges[0][0]) / (edges[-1][1] - edges[0][1])
    return min(rates), whole, max(rates)


def curve_csv(figures):
    """Speed against LBA as CSV: a line for each interval of each part that was measured in one go."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["simulated", "operation", "lba", "seconds", "ms", "bytes", "mb_per_s"])
    for kind, lba, points in figures.windows:
        for (before, begun), (after, ended) in zip(points, points[1:]):
            span = ended - begun
            if span > 0:
                writer.writerow([figures.simulated, kind, round(lba + mean((before, after)) / 512),
                                 f"{ended:.9f}", f"{1e3 * span:.6f}", round(after - before),
                                 f"{(after - before) / span / 1e6:.3f}"])
    return text.getvalue()
