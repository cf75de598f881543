"""The bandwidth and latency logs of fio, as figures of a drive.

fio writes them with `write_bw_log` and `write_lat_log`: lines of "time in ms, value, direction,
block size, ..." (fio's documentation, Log File Formats). The value of a bandwidth log is in KiB/s,
that of a latency log in ns; direction 0 is reading, 1 is writing. With `log_avg_msec` a line is the
mean of an interval that ends there. By default it is one I/O, and its value the rate of that I/O:
if several are under way, what they moved is the sum of their blocks. Times begin at 0, or are
those of the clock with `log_unix_epoch`; lines of several jobs may follow each other in one file.
"""

import math
from statistics import median

import numpy as np

from .fit import phases
from .sequence import DriveFigures

_READ, _WRITE = 0, 1
_KIB = 1024
#: Lines with a block are means of intervals if these are no shorter, so many of them are alike, and each moves as many
#: blocks or more.
_LEAST_INTERVAL_MS, _ALIKE, _MANY = 50, 0.8, 1.5
#: First lines whose mean distance stands for the time of the first I/O.
_EARLY = 33
#: A line counts for this many intervals at most, and the bytes may be this many times too many: they were found
#: to be within 6 % of those that fio 3.33 had written.
_LONGEST, _INTERVALS_EXACT = 2, 1.1
#: Most points of a log with a line for each I/O.
_MOST_POINTS = 2000


class BadLog(ValueError):
    """A log that cannot be used: one line with the line's number and what is wrong."""


def _lines(text, name):
    """(ms, value, direction, block size) of each line."""
    for n, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        parts = [part.strip() for part in line.split(",")]
        try:
            ms, value, direction, block = (int(part) for part in parts[:4])
        except ValueError:
            raise BadLog(f"{name}, line {n}: {line.strip()[:60]!r} is no line of a log of fio: "
                         "time, value, direction, block size") from None
        if ms < 0 or value < 0 or block < 0 or direction not in (0, 1, 2):
            raise BadLog(f"{name}, line {n}: {line.strip()[:60]!r}: no number may be negative, and "
                         "the direction is 0 to 2")
        yield ms, value, direction, block


def _points(lines, direction):
    """(bytes, seconds) that were through, from shortly before the first line of ``direction`` on, and by
    which factor the bytes may be too many."""
    jobs, latest = [], None
    for ms, value, side, block in lines:
        if side == direction:
            if latest is None or ms < latest:
                jobs.append([])     # the lines of another job begin
            latest = ms
            jobs[-1].append((ms, value * _KIB / 1e3, block))
    if not jobs:
        return [(0.0, 0.0)], 1
    if _each_is_one(jobs):
        return _of_blocks(sorted(line for job in jobs for line in job)), 1
    curves = [_of_intervals(job) for job in jobs]
    times = sorted({ms for _, when in curves for ms in when})
    sizes = sum(np.interp(times, when, size) for size, when in curves)
    return [(float(size), (ms - times[0]) / 1e3) for size, ms in zip(sizes, times)], _INTERVALS_EXACT


def _each_is_one(jobs):
    """Whether a line is an I/O, and not the mean of an interval.

    A mean has no block, except in old versions of fio: there the intervals are alike, and each moves
    several blocks.
    """
    if not all(block for job in jobs for *_, block in job):
        return False
    gaps = [after[0] - before[0] for job in jobs for before, after in zip(job, job[1:])]
    usual = median(gaps) if gaps else 0
    alike = sum(abs(gap - usual) <= usual / 4 for gap in gaps) >= _ALIKE * len(gaps)
    return usual < _LEAST_INTERVAL_MS or not alike or \
        median(rate * usual / block for job in jobs for _, rate, block in job) < _MANY


def _of_intervals(job):
    """(bytes, ms) of the lines of a job that are means of intervals; those of one ms add up.

    An interval without an I/O has no line, and the line after such intervals does not count for all of them.
    """
    gaps = [after[0] - before[0] for before, after in zip(job, job[1:]) if after[0] > before[0]]
    usual = median(gaps) if gaps else job[0][0]
    latest = max(0, job[0][0] - usual)
    sizes, times, span = [0.0], [latest], 0
    for ms, rate, _ in job:
        if ms > latest:
            sizes.append(sizes[-1])
            times.append(ms)
            latest, span = ms, min(ms - latest, _LONGEST * usual)
        sizes[-1] += rate * span
    return sizes, times


def _of_blocks(chosen):
    """The points of lines that are one I/O each."""
    early = [ms for ms, *_ in chosen[:_EARLY]]
    origin = max(0.0, early[0] - (early[-1] - early[0]) / max(1, len(early) - 1))
    step = max(1, math.ceil((chosen[-1][0] - origin) / _MOST_POINTS))
    latest, size = {}, 0.0
    for ms, _, block in chosen:
        size += block
        latest[int((ms - origin) / step)] = size, (ms - origin) / 1e3
    return [(0.0, 0.0), *latest.values()]


def figures_of_logs(bandwidth, latency=None, *, model, capacity, generation=3):
    """The :class:`.sequence.DriveFigures` of the text of a bandwidth log, and of a latency log.

    The place on the drive is not in such a log: a reading is taken as one rate. Raises
    :class:`BadLog`.
    """
    lines = list(_lines(bandwidth, "bandwidth log"))
    found = DriveFigures(model=model, capacity=capacity, generation=generation)
    (written, most_written), (read, most_read) = _points(lines, _WRITE), _points(lines, _READ)
    for verb, points, most in ("written", written, most_written), ("read", read, most_read):
        if points[-1][0] > most * 512 * capacity:
            raise BadLog(f"bandwidth log: {points[-1][0]:,.0f} bytes {verb} are more than the capacity of "
                         f"{512 * capacity:,}: it must be one pass over the drive")
    if len(written) < 5 and len(read) < 5:
        raise BadLog(f"bandwidth log: {len(lines)} lines: at least 4 of one direction are needed")
    if len(written) >= 5:
        first, *later = phases(*zip(*written))
        found.written = written
        found.write_rate = (later or [first])[-1].rate
        # No more is promised than was measured: of two rates after the first, a profile has the slower one.
        slowest = min((one.rate for one in later), default=first.rate)
        if slowest < first.rate:
            found.write_rate, found.cache_bytes, found.cache_rate = slowest, round(first.end), first.rate
    if len(read) >= 5:
        rate = phases(*zip(*read), most=2)[-1].rate
        found.read_rates = [(0.5, rate)]
    found.measured = tuple(side for side, points in (("write", written), ("read", read)) if len(points) >= 5)
    found.sectors = min(capacity, round((written if found.written else read)[-1][0] / 512))
    if latency is not None:
        _with_latency(found, list(_lines(latency, "latency log")))
    return found


def _with_latency(found, lines):
    """Adds the shortest time of a request, less what its data take at the drive's best rate."""
    def shortest(direction, rate):
        times = [(value / 1e9, block) for _, value, side, block in lines if side == direction]
        if not times:
            return None
        seconds, block = min(times)
        return max(0.0, seconds - (block / rate if rate else 0))
    found.write_command = shortest(_WRITE, found.cache_rate or found.write_rate)
    found.read_command = shortest(_READ, found.read_rates[0][1] if found.read_rates else None)
