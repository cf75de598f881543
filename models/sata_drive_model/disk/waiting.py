"""What the RAM of a disk holds that is not on the platters yet: runs of bytes, the oldest first."""

from bisect import bisect_left
from itertools import islice


class Run:
    """Bytes from ``start`` to ``end``; ``since`` when the latest of them came."""

    __slots__ = ("start", "end", "since")

    def __init__(self, start, end, since):
        self.start, self.end, self.since = start, end, since


class Waiting:
    """Runs that neither touch nor overlap. Members: ``size`` bytes of all."""

    def __init__(self):
        self.size = 0
        self._places = []       # sorted by start
        self._ages = {}         # in order of age

    def __len__(self):
        return len(self._places)

    def __iter__(self):
        return iter(self._places)

    def put(self, start: int, size: int, now: int) -> int:
        """Bytes came; returns how many of those that wait they replace."""
        end, places = start + size, self._places
        first = bisect_left(places, start, key=lambda run: run.end)
        last = first
        while last < len(places) and places[last].start <= end:
            last += 1
        if first == last:
            run = Run(start, end, now)
            places.insert(first, run)
            self._ages[run] = None
            self.size += size
            return 0
        joined = places[first:last]
        before = sum(run.end - run.start for run in joined)
        oldest = joined[0] if len(joined) == 1 else next(run for run in self._ages if run in joined)
        low, high = min(start, joined[0].start), max(end, joined[-1].end)
        for run in joined:
            if run is not oldest:
                del self._ages[run]
        oldest.start, oldest.end, oldest.since = low, high, now
        places[first:last] = [oldest]
        self.size += high - low - before
        return size - (high - low - before)

    def oldest(self, count):
        """So many runs at most, the oldest first."""
        return islice(self._ages, count)

    def take(self, run, stop):
        """The bytes of a run up to ``stop`` wait no more."""
        self.size -= stop - run.start
        if stop == run.end:
            del self._ages[run]
            self._places.remove(run)
        else:
            run.start = stop

    def holds(self, start: int, size: int) -> bool:
        """Whether all these bytes wait."""
        number = bisect_left(self._places, start + size, key=lambda run: run.end)
        return number < len(self._places) and self._places[number].start <= start

    def touches(self, start: int, size: int) -> bool:
        """Whether any of these bytes wait."""
        number = bisect_left(self._places, start + 1, key=lambda run: run.end)
        return number < len(self._places) and self._places[number].start < start + size

    def clear(self):
        """The power is gone."""
        self.size = 0
        self._places.clear()
        self._ages.clear()
