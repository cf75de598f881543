"""How many drives a rate needs: the recorder's white paper.

These are NVMe drives. Their profiles are scaled by their factor ``scale``, so that the fastest phase
fits a 6 Gb/s SATA link, and the results are scaled back. What a drive does only after gigabytes
comes sooner: cache and period are cut, and the rates are left as they are.
"""

import math

from ...facts.units import SECTOR_BYTES
from .figures import ComparedFigure, Reproduction
from .parameters import changed
from .runs import Run, RunFigures

_MIB = 1 << 20
#: A rate is that of this many consecutive bytes.
_WINDOW = 4 * _MIB
#: A cache and a period of dips are cut to these bytes; the medium alone is measured for ``_AFTER`` bytes more.
_CACHE = _PERIOD = 16 * _MIB
_AFTER = 2 * _PERIOD
_BUFFER = 1 * _MIB


def plan(table, portion, profile):
    """The runs, by profile."""
    runs = {}
    for row in table.rows:
        if row.profile not in runs:
            drive = shortened(profile(row.profile))
            first = drive.write.cache.bytes if drive.write.cache else 0
            sectors = (first + _AFTER) // SECTOR_BYTES
            runs[row.profile] = Run(drive, table.generation, row.operation, sectors, expected=300.0)
    return runs


def shortened(profile):
    """``profile`` with a cache, a buffer and a period of dips that are over within a short run."""
    write, values = profile.write, {}
    if write.buffer_bytes > _BUFFER:
        values["write.buffer_bytes"] = _BUFFER
    if write.cache and write.cache.bytes > _CACHE:
        values["write.cache.bytes"] = _CACHE
        if write.cache.minimum_bytes is not None:
            values["write.cache.minimum_bytes"] = min(write.cache.minimum_bytes, _CACHE)
    for number, dip in enumerate(write.dips):
        if dip.every_bytes > _PERIOD:
            part = dip.bytes / dip.every_bytes
            values[f"write.dips.{number}.bytes"] = max(2 * _WINDOW, round(part * _PERIOD))
            values[f"write.dips.{number}.every_bytes"] = _PERIOD
    return changed(profile, values)


def result(table, portion, runs, results):
    """The table reproduced; ``results`` are by run."""
    found, series, problems = {}, {}, []
    for name, run in runs.items():
        figures = RunFigures(results[run])
        problems += [f"{name}: {text}" for text in figures.problems]
        if not figures.problems:
            found[name] = _rates(figures, run)
            series[run.profile.model] = _curve(figures, run)
    column, cells, levels = table.columns[0], [], {}
    for row in table.rows:
        if row.profile in found:
            fast, sustained = found[row.profile]
            value = {"fast": fast, "sustained": sustained,
                     "drives": math.ceil(table.rate / sustained)}[row.figure]
            cells.append(ComparedFigure.of(table, row, column, value))
            if row.figure != "drives":
                model = runs[row.profile].profile.model
                levels[f"{model}: {row.figure}, published"] = row.values[0]
    scales = ", ".join(f"{name} {run.profile.scale:.4g}" for name, run in runs.items())
    texts = [f"Rates are scaled to fit a 6 Gb/s link and scaled back, by {scales}.",
             f"A cache is cut to {_CACHE // _MIB} MiB, a period of dips to {_PERIOD // _MIB} MiB; "
             f"{_AFTER // _MIB} MiB follow the cache. First is the fastest, sustained the slowest "
             f"stretch of {_WINDOW // _MIB} MiB: before and after the cache is full.",
             f"Drives: {table.rate:g} MB/s by the sustained rate, rounded up."]
    return Reproduction(table, cells, texts, series=series, levels=levels,
                        axes=("MB recorded, of the shortened run", "MB/s, scaled back"),
                        problems=problems)


def _rates(figures, run):
    """(fastest, sustained) in MB/s, scaled back."""
    cache = run.profile.write.cache
    full = cache.bytes if cache else 0
    end = SECTOR_BYTES * run.sectors
    # The drive's RAM takes the very first bytes at the speed of the link.
    first = _windows(figures, _BUFFER, full or end)
    later = _windows(figures, full + _BUFFER, end)
    return max(first) / run.profile.scale, min(later) / run.profile.scale


def _windows(figures, begin, end):
    """Rates of all stretches as long as a window from byte ``begin`` to ``end``, in MB/s."""
    for start in range(begin, end - _WINDOW + 1, _WINDOW // 8):
        took = _when(figures, start + _WINDOW) - _when(figures, start)
        yield _WINDOW / took / 1e6


def _when(figures, size):
    """Seconds after which ``size`` bytes had crossed, interpolated between samples of the timeline."""
    seconds, sizes = figures.timeline()
    before, moved = 0.0, 0
    for time, now in zip(seconds, sizes):
        if now >= size:
            return before + (time - before) * (size - moved) / (now - moved)
        before, moved = time, now
    return before


def _curve(figures, run):
    """MB recorded, and the rate of the window that ends there."""
    end = SECTOR_BYTES * run.sectors
    places = [(start + _WINDOW) / 1e6 for start in range(0, end - _WINDOW + 1, _WINDOW // 8)]
    return places, [rate / run.profile.scale for rate in _windows(figures, 0, end)]
