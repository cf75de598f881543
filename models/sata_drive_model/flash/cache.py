"""A flash drive with an SLC cache: data go to cells of one bit first, and are folded into the others later."""

from collections import deque

from .translation import ReadOnly, Stream, Translation
from .unit_map import NOWHERE


class CachedTranslation(Translation):
    """A :class:`Translation` with the SLC cache of its rules.

    The cache is filled and folded in order, whole blocks of it. When it is full, ``rules.after_cache`` decides:
    ``direct``, the host writes past it; ``folding``, the oldest data are folded before the host may write more to the
    cache; ``saw-tooth``, the host writes past it until all of the cache has been folded at the same time. It is folded
    in the idle time of which :meth:`fold` hears, too.
    """

    def __init__(self, rules, *, endurance=None, careful=False, content=False):
        super().__init__(rules, endurance=endurance, careful=careful, content=content)
        self._cache = Stream(rules.slots, self._begin_cache)
        self._filled = deque()      # blocks of the cache, the oldest first
        self._erased = deque(range(rules.blocks, len(self.blocks)))
        self._slow = False          # in a tooth of the saw: nothing is written to the cache

    @property
    def cache_used(self):
        """Slots of the cache that are not erased."""
        return self.rules.slots * len(self._filled) + (self._cache.place if self._cache.block >= 0 else 0)

    @property
    def cache_size(self):
        """Slots that the cache may use now: the dynamic part shrinks as the drive is filled."""
        rules = self.rules
        return rules.cache_slots + rules.dynamic_slots * (rules.units - self.map.mapped) // rules.units

    def write_all(self, units):
        """As of a drive without a cache."""
        units, done = list(units), 0
        while done < len(units):
            stream, most = self._next()
            part = units[done:done + most]
            self._put(part, stream)
            self._count(stream, len(part))
            done += len(part)

    def write_run(self, start, count):
        """As of a drive without a cache."""
        while count:
            stream, most = self._next()
            part = min(most, count)
            self._put_run(start, part, stream)
            self._count(stream, part)
            start, count = start + part, count - part

    def trim(self, start, count):
        """As of a drive without a cache; blocks of the cache with nothing in them are erased."""
        super().trim(start, count)
        for block in [one for one in self._filled if not self.blocks.valid[one]]:
            self._filled.remove(block)
            self._clear(block)

    def _count(self, stream, slots):
        if stream is self._cache:
            self.work.cached += slots

    def _next(self):
        """The stream for the next units, and for how many of them at most: not beyond a block, because the cache
        shrinks meanwhile. A block of it that is begun is filled."""
        slots, rule = self.rules.slots, self.rules.after_cache
        if self.read_only:
            raise ReadOnly
        if rule == "folding":
            while self.cache_used and not self._has_room():
                self._fold_block()
        if not self._slow and self._has_room():
            return self._cache, slots - self._cache.place % slots
        if rule == "saw-tooth":
            if self.cache_used:
                self._fold_block()
            self._slow = self.cache_used > 0
        return self._host, slots - self._host.place % slots

    def _has_room(self):
        """Whether a block of the cache is begun, or the nearest whole number of blocks to its size has one more."""
        return self._cache.place % self.rules.slots or self.cache_size - self.cache_used >= self.rules.slots / 2

    def fold(self, slots):
        """The host is idle for as long as folding ``slots`` takes: the oldest data leave the cache."""
        end = self.work.folded + slots
        while self.cache_used and self.work.folded < end and not self.read_only:
            try:
                self._fold_block()
            except ReadOnly:
                return
        self._slow = self._slow and self.cache_used > 0

    def _fold_block(self):
        if not self._filled:
            self._close(self._cache)
        block, slots = self._filled[0], self.rules.slots
        owner = self.map.owners[block]
        if isinstance(owner, int) and self._host.place in (0, slots):
            target, _ = self._ready(self._host)
            self.map.move_chunk(owner, target)
            self._host.place = folded = slots
        else:
            folded = self._empty(block, self._host)
        self.work.folded += folded
        self._filled.popleft()
        self._clear(block)

    def _clear(self, block):
        self._forget(block)
        self.blocks.erased_of_cache(block)
        self.work.cache_erases += 1
        self._erased.append(block)

    def _begin_cache(self):
        return self._erased.popleft()

    def _close(self, stream):
        if stream is not self._cache:
            super()._close(stream)
        elif stream.block >= 0:
            self._filled.append(stream.block)
            self.blocks.valid[stream.block] = self.map.held(stream.block)
            self._touched[stream.block] = self._writes
            stream.block, stream.place = NOWHERE, self.rules.slots

    def _streams(self):
        return self._host, self._cache
