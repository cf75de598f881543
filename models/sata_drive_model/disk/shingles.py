"""Shingled bands: what is written goes to a cache on the disk, from which whole bands are written again later."""

from bisect import bisect_left
from collections import deque


class Shingles:
    """The cache of a shingled disk: a ring, in which each run of bytes is where it was written last.

    Members: ``band`` and ``cache`` bytes of a band and of the cache.
    """

    def __init__(self, parameters):
        self.band, self.cache = parameters.band_bytes, parameters.cache_bytes
        self._head = 0              # bytes that have gone round, with what was left out at the end of the ring
        self._entries = deque()     # [begin, end, runs of its band] on that count, the oldest first
        self._bands = {}            # band, the oldest first: [(start, end, place in the ring), ...] sorted

    def place(self, size):
        """Where in the ring the next ``size`` bytes go; None: bands have to be cleaned first."""
        begin = self._begin(size)
        while self._entries and not self._lives(self._entries[0]):
            self._entries.popleft()
        tail = self._entries[0][0] if self._entries else begin
        return begin % self.cache if begin + size - tail <= self.cache else None

    def _begin(self, size):
        # A run is in one piece.
        left = self.cache - self._head % self.cache
        return self._head if size <= left else self._head + left

    def _lives(self, entry):
        return self._bands.get(entry[3]) is entry[2]

    def write(self, start, size):
        """Bytes of one band go to where :meth:`place` has found room."""
        begin, band = self._begin(size), start // self.band
        self._head = begin + size
        runs = self._bands.setdefault(band, [])
        entries = self._entries
        if entries and entries[-1][1] == begin and entries[-1][2] is runs:
            entries[-1][1] = self._head
        else:
            entries.append([begin, self._head, runs, band])
        self._cut(runs, start, start + size)
        at, place = bisect_left(runs, (start,)), begin % self.cache
        before = runs[at - 1] if at else None
        if before and before[1] == start and before[2] + before[1] - before[0] == place:
            runs[at - 1] = before[0], start + size, before[2]
        else:
            runs.insert(at, (start, start + size, place))

    @staticmethod
    def _cut(runs, start, end):
        """What is in the ring of these bytes is not current any more."""
        kept = []
        for first, last, place in runs:
            if last <= start or first >= end:
                kept.append((first, last, place))
                continue
            if first < start:
                kept.append((first, start, place))
            if last > end:
                kept.append((end, last, place + end - first))
        runs[:] = kept

    def pieces(self, start, size):
        """(start, end, place in the ring or None) of these bytes in order; None: they are in their band."""
        end = start + size
        while start < end:
            stop = min(end, start - start % self.band + self.band)
            for first, last, place in self._bands.get(start // self.band, ()):
                if last <= start or first >= stop:
                    continue
                if first > start:
                    yield start, first, None
                    start = first
                yield start, min(last, stop), place + start - first
                start = min(last, stop)
            if start < stop:
                yield start, stop, None
            start = stop

    @property
    def dirty(self) -> bool:
        """Whether a band has something in the ring."""
        return bool(self._bands)

    def clean(self):
        """(band, its runs in the ring) of the band whose data have been there longest: it is written again as a whole,
        and what the ring has of it is free."""
        band = next(entry[3] for entry in self._entries if self._lives(entry))
        return band, self._bands.pop(band)
