"""The bandwidth and latency logs of fio, as figures of a drive.

fio writes them with `write_bw_log` and `write_lat_log`: lines of "time in ms, value, direction,
block size, ..." (fio's documentation, Log File Formats). The value of a bandwidth log is in KiB/s,
that of a latency log in ns; direction 0 is reading, 1 is writing.
"""

from .fit import phases
from .sequence import DriveFigures

__all__ = ["BadLog", "figures_of_logs"]

_READ, _WRITE = 0, 1
_KIB = 1024


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
    """(bytes, seconds) that were through, from the rate of each interval."""
    found, before = [(0.0, 0.0)], 0
    for ms, value, side, _ in lines:
        if side == direction and ms > before:
            size = found[-1][0] + value * _KIB * (ms - before) / 1e3
            found.append((size, ms / 1e3))
            before = ms
    return found


def figures_of_logs(bandwidth, latency=None, *, model, capacity, generation=3):
    """The :class:`.sequence.DriveFigures` of the text of a bandwidth log, and of a latency log.

    The place on the drive is not in such a log: a reading is taken as one rate. Raises
    :class:`BadLog`.
    """
    lines = list(_lines(bandwidth, "bandwidth log"))
    found = DriveFigures(model=model, capacity=capacity, generation=generation)
    written, read = _points(lines, _WRITE), _points(lines, _READ)
    if len(written) < 5 and len(read) < 5:
        raise BadLog(f"bandwidth log: {len(lines)} lines: at least 4 of one direction are needed")
    if len(written) >= 5:
        pieces = phases(*zip(*written))
        found.written = written
        found.write_rate = pieces[-1].rate
        if len(pieces) > 1 and pieces[-1].rate < pieces[0].rate:
            found.cache_bytes, found.cache_rate = round(pieces[-2].end), pieces[0].rate
    if len(read) >= 5:
        rate = phases(*zip(*read), most=2)[-1].rate
        found.read_rates = [(0.5, rate)]
    found.sectors = round(max(written[-1][0], read[-1][0]) / 512)
    if latency is not None:
        _with_latency(found, list(_lines(latency, "latency log")))
    return found


def _with_latency(found, lines):
    """The shortest time of a request, less what its data take at the drive's best rate."""
    def shortest(direction, rate):
        times = [(value / 1e9, block) for _, value, side, block in lines if side == direction]
        if not times:
            return None
        seconds, block = min(times)
        return max(0.0, seconds - (block / rate if rate else 0))
    found.write_command = shortest(_WRITE, found.cache_rate or found.write_rate)
    found.read_command = shortest(_READ, found.read_rates[0][1] if found.read_rates else None)
