"""The erase blocks of a drive: which are free, how often each was erased, which have failed."""

import heapq
from array import array

FREE, OPEN, CLOSED, BAD, CACHE = range(5)


class Blocks:
    """``count`` blocks of ``slots`` slots each; a slot holds one unit of the map. ``cache`` more belong to an SLC
    cache, which keeps them itself.

    Members, by block: ``state``; ``valid`` slots with current data, of no meaning while it is open; ``erases``;
    ``endurance`` erases after which it fails, or None: none ever fails. ``bad`` counts those that have failed.
    """

    def __init__(self, count, slots, *, cache=0, level_free=True, endurance=None):
        self.slots = slots
        self.state = bytearray(count) + bytes([CACHE]) * cache
        self.valid = array("i", [0]) * (count + cache)
        self.erases = array("i", [0]) * (count + cache)
        self._count = count
        self.endurance = endurance
        self.bad = 0
        self._level = level_free
        # (erases, block), or (order, block): the next one to fill is on top.
        self._free = [(0, block) for block in range(count)]
        self._order = 0
        self._levels = {0: count}       # erases to the number of good blocks with them
        self.least = 0                  # erases of the good block with the fewest

    def __len__(self):
        return len(self.state)

    @property
    def free(self):
        """How many are free."""
        return len(self._free)

    @property
    def good(self):
        """How many have not failed."""
        return self._count - self.bad

    def take(self) -> int:
        """A free block, from now on open: the one that was erased least, or longest ago without levelling."""
        block = heapq.heappop(self._free)[1]
        self.state[block] = OPEN
        return block

    def take_most_worn(self) -> int:
        """The free block that was erased most, from now on open."""
        worst = max(self._free, key=lambda one: self.erases[one[1]])
        self._free.remove(worst)
        heapq.heapify(self._free)
        self.state[worst[1]] = OPEN
        return worst[1]

    def close(self, block, valid):
        """An open block takes no more; ``valid`` slots of it are current."""
        self.valid[block] = valid
        self.state[block] = CLOSED

    def erased(self, block):
        """``block`` was erased: it is free, or has failed for good."""
        before = self.erases[block]
        self.erases[block] = before + 1
        self.valid[block] = 0
        self._levels[before] -= 1
        if self.endurance is not None and before + 1 >= self.endurance[block]:
            self.state[block] = BAD
            self.bad += 1
        else:
            self._levels[before + 1] = self._levels.get(before + 1, 0) + 1
            self.state[block] = FREE
            self._order += 1
            heapq.heappush(self._free, (before + 1 if self._level else self._order, block))
        if self.good:
            while not self._levels.get(self.least):
                self._levels.pop(self.least, None)
                self.least += 1

    def coldest(self, below: int) -> int:
        """The closed block that was erased least, fewer than ``below`` times; -1: there is none."""
        for erases in range(self.least, below):
            place = -1
            while self._levels.get(erases):
                try:
                    place = self.erases.index(erases, place + 1)
                except ValueError:
                    break
                if self.state[place] == CLOSED:
                    return place
        return -1

    def erased_of_cache(self, block):
        """A block of the cache was erased."""
        self.erases[block] += 1
        self.valid[block] = 0

    def age(self, erases):
        """Every good block was erased ``erases`` times more, none beyond its end: the next erase decides."""
        for block, state in enumerate(self.state):
            if state < BAD:
                self.erases[block] += erases
        self._levels = {level + erases: count for level, count in self._levels.items() if count}
        self.least += erases
        if self._level:
            self._free = [(level + erases, block) for level, block in self._free]

    @property
    def spread(self):
        """(least, mean, most) erases of the good blocks."""
        counts = [erases for erases, state in zip(self.erases, self.state) if state < BAD]
        return min(counts), sum(counts) / len(counts), max(counts)
