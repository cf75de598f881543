"""Fast paths of a compiled core: learned while it runs, compiled, and kept for the next time.

Most registers of one byte keep their values while data flow, or while all wait. A fast path has them
as constants, and is tried first in each clock; if they are something else, the core does the clock.
So it never decides what is simulated, only how fast.
"""

import ctypes
import functools
from contextlib import suppress
from typing import NamedTuple

import numpy

from .build import fast_path, netlist_file
from .cache import intact
from .engine import EngineError, MissingTool

#: Rows of samples.
_ROOM = 4096
#: Clocks between two samples at first.
_STEP = 50
#: What a path must save, as a share of the core's work, to be made: in runs that differ much, as in a
#: campaign, the best one saves less than it costs.
_WORTH = 0.5
#: An existing path is taken if it saves this share of what a new one would.
_ENOUGH = 0.9
#: How many paths are kept for the next time.
_KNOWN = 16
#: At most this many bytes may be counters: two kinds of clocks differ in more.
_FEW = 4
#: A path that does less than one clock for this many missed ones costs more than it saves.
_USELESS = 50

_u64 = ctypes.c_uint64
_pointer = ctypes.c_void_p


class RowTable(ctypes.Structure):
    """The structure FastPaths of fast_path.h."""

    MOST = 6
    _fields_ = [("count", _u64), ("path", _pointer * MOST), ("hits", _u64 * MOST), ("missed", _u64),
                ("next", _u64), ("step", _u64), ("filled", _u64), ("room", _u64), ("rows", _pointer),
                ("random", _u64)]


class Guess(NamedTuple):
    """What a path assumes: the ``values`` of those bytes of a row where ``mask`` is not 0."""

    values: numpy.ndarray
    mask: numpy.ndarray

    @classmethod
    def of(cls, rows, never=()):
        """What is best assumed in clocks like those of ``rows``, an array of bytes: nothing about the bytes
        at the places ``never``."""
        values = numpy.array([numpy.bincount(column).argmax() for column in rows.T], numpy.uint8)
        same = rows == values
        same[:, list(never)] = False
        order = numpy.argsort(-same.sum(axis=0), kind="stable")
        # Each step assumes one more byte, those that change least first; the best step counts.
        share = numpy.logical_and.accumulate(same[:, order], axis=1).mean(axis=0)
        most = (share * numpy.arange(1, len(values) + 1)).argmax() + 1
        mask = numpy.zeros_like(values)
        mask[order[:most]] = 255
        return cls(values & mask, mask)

    def saved(self, rows):
        """About the share of the core's work that it saves in clocks like those of ``rows``: the share
        of the clocks that it does, times that of the bytes that it assumes."""
        fits = ((rows ^ self.values) & self.mask == 0).all(axis=1)
        return fits.mean() * self.mask.astype(bool).mean()

    def counters(self, rows):
        """The places of the few bytes that are hardly ever as assumed in ``rows`` where all others are:
        they count commands, or the like. A set, empty if they are too many, or others differ."""
        other = (rows ^ self.values) & self.mask != 0
        moved = other.mean(axis=0) > 0.9
        others_fit = ~other[:, ~moved].any(axis=1)
        return set(numpy.flatnonzero(moved)) if moved.sum() <= _FEW and others_fit.mean() > 0.5 else set()

    @property
    def assumed(self):
        """The value of each byte, None if none is assumed."""
        return [int(value) if known else None for value, known in zip(self.values, self.mask)]


class FastPaths:
    """The fast paths of the core in the library ``path`` in this process.

    Parameters: ``row``, the bytes of a row of samples. Members: ``table``, for the library; ``taken``, the
    paths in it, the fastest first. Call :meth:`look` between two runs.
    """

    #: Clocks that no path did, after which those of earlier runs are checked.
    known_after = 100_000
    #: The same until a path is compiled, which takes about as long; twice as many after one that did less.
    new_after = 3_000_000

    def __init__(self, path, row):
        self._path = path
        self.rows = numpy.empty((_ROOM, row), numpy.uint8)
        self.table = RowTable(room=_ROOM, rows=self.rows.ctypes.data)
        self.taken = []
        self._loaded = {}       # file to path, of those that were checked
        self._newest = None
        self._counters = set()  # places of bytes that no path may assume
        self._restart(self.known_after)

    def look(self):
        """Takes or makes a path for the clocks that none of the paths does, if there were enough."""
        missed = self.table.missed
        if missed < self._due:
            return
        found = self._known()
        if not found and missed < self.new_after:
            self._wait()
            return
        rows = self.rows[:self.table.filled]
        for path in (*self.taken, *found):
            self._counters |= path.guess.counters(rows)
        guess = Guess.of(rows, self._counters)
        wanted = guess.saved(rows)
        best = max(found, key=lambda path: path.guess.saved(rows), default=None)
        if wanted < _WORTH:
            self._restart(2 * self._due)
        elif best and best.guess.saved(rows) >= _ENOUGH * wanted:
            self._take(best)
        elif missed < self.new_after:
            self._wait()
        else:
            self._learn(guess)

    def _learn(self, guess):
        if self._newest and self.table.hits[self.taken.index(self._newest)] < self.table.missed:
            self.new_after *= 2
        try:
            path = self._load(fast_path(self._path, guess.assumed))
        except (EngineError, MissingTool, OSError):
            path = None
        if path:
            self._take(path)
            self._prune()
        else:
            # The core is right without it, too; what cannot be written or compiled is reported elsewhere.
            self._due = self.new_after = float("inf")

    def _load(self, file):
        """The path in ``file``; None if it is not of this core, or gone."""
        if file not in self._loaded:
            try:
                path = _Path(file)
            except (OSError, AttributeError, ValueError):
                return None
            if len(path.guess.mask) != self.rows.shape[1]:
                return None
            self._loaded[file] = path
        return self._loaded[file]

    def _restart(self, due):
        """Checks again after ``due`` missed clocks."""
        self.table.missed = 0
        self._due = due
        self._sample()

    def _wait(self):
        """Checks again when twice as many clocks are missed, with samples only of those that come from now
        on: the others may be of something that is over by now."""
        self._due = min(2 * self.table.missed, self.new_after)
        self._sample()

    def _sample(self):
        """Samples the clocks that are missed from now on."""
        table = self.table
        table.filled, table.next, table.step = 0, table.missed, _STEP

    def _known(self):
        """The newest paths of this core in the cache that are not in the table."""
        found = [self._load(file) for file in self._files()[:_KNOWN] if file in self._loaded or intact(file)]
        return [path for path in found if path and path not in self.taken]

    def _files(self):
        """The files of this core's paths, the latest to be made or taken first."""
        ages = {}
        for file in self._path.parent.glob(f"{self._path.stem}-*.path"):
            with suppress(OSError):     # another process may clear the cache
                ages[file] = file.stat().st_mtime
        return sorted(ages, key=ages.get, reverse=True)

    def _prune(self):
        """Removes the files that are no longer used."""
        for file in self._files()[_KNOWN:]:
            with suppress(OSError):
                file.unlink()
                file.with_name(f"{file.name}.sha256").unlink()

    def _take(self, path):
        """Puts ``path`` in the table. Removes paths that do next to nothing and, from a full table, the one
        with the fewest hits."""
        table = self.table
        hits = {path: table.hits[place] for place, path in enumerate(self.taken)}
        self.taken = [path for path in self.taken if hits[path] >= table.missed // _USELESS]
        if len(self.taken) == table.MOST:
            self.taken.remove(min(self.taken, key=hits.get))
        self.taken.append(path)
        with suppress(OSError):
            path.file.touch()
        # The more a path assumes, the faster it is.
        self.taken.sort(key=lambda path: path.guess.mask.sum(), reverse=True)
        self._newest = path
        for place, one in enumerate(self.taken):
            table.path[place], table.hits[place] = one.clock, 0
        table.count = len(self.taken)
        self._restart(self.known_after)


class _Path:
    """The path in the library ``file``: ``clock``, its address; ``guess``, what it assumes; ``file``."""

    def __init__(self, file):
        self.file = file
        library = ctypes.CDLL(str(file))
        self.clock = ctypes.cast(library.path_clock, _pointer).value
        size = ctypes.c_uint32.in_dll(library, "path_bytes").value
        self.guess = Guess(*(numpy.array((ctypes.c_uint8 * size).in_dll(library, name))
                             for name in ("path_values", "path_mask")))


@functools.cache
def fast_paths_of(path, row):
    """The :class:`FastPaths` of the core in the library ``path``, the same in each call; None if
    there can be none."""
    return FastPaths(path, row) if row and netlist_file(path).exists() else None
