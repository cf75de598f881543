"""The timing of a drive that follows from the disk inside it."""

import random
from collections import deque

from ..medium.medium import Medium
from ..medium.pace import FINE, cost
from .store import DiskStore

_SECTOR = 512


class DiskMedium(Medium):
    """A :class:`Medium` whose data go to the arm and the platters of a :class:`.parameters.DiskDrive`.

    ``profile`` is what :func:`.profile.disk_profile` makes of it; ``filled``: the cache of a shingled disk is full of
    bands that have to be written again. Members of its own: ``store``.
    """

    def __init__(self, disk, profile, dword_hz, filled=False):
        self.dword_hz = round(dword_hz)
        self.profile = profile
        self.rng = random.Random(profile.seed)
        self.store = DiskStore(disk, self.dword_hz)
        self._policy = disk.policy
        self._flash_start = self._dwords(disk.cap.read_cache_us) << FINE
        self._flash_cost = cost(disk.cap.read_cache_mb_per_s, 1, self.dword_hz)
        if filled:
            self.store.fill()
        self.power_on()

    def power_on(self):
        """Nothing is in RAM."""
        self.store.power_on()
        self.taken = 0
        self.write_next = None
        self.reset()

    def power_off(self):
        """What RAM holds is lost."""
        self.store.power_off()
        self.taken = self.store.done

    @property
    def segments(self):
        """(bytes before, time, bytes after, time) of what the arm has written."""
        return self.store.segments

    # Writes ---------------------------------------------------------------------------------------

    def begin_write(self, now, lba, dwords, splits=False):
        """As :class:`Instant` describes."""
        self._drop_read_ahead()
        self.write_next = lba << 7
        return max(self._latency(self.profile.write), self._until_fits(now, dwords))

    def drained(self, place):
        """As :class:`Medium` has it, of bytes in whichever order the arm writes them."""
        if place > self.store.done:
            self.store.drain(place)
        return super().drained(place)

    def plan_frame(self, now, dwords):
        """As :class:`Instant` describes."""
        write = self.profile.write
        first = self.taken - write.buffer_bytes
        if write.stall_shows != "hold" or first + 4 * dwords <= self.store.done:
            return []
        return self._slices(now, dwords, write.hold_slices, 1, lambda placed: self.drained(first + 4 * placed))

    def wrote(self, now, dwords, following):
        """As :class:`Instant` describes."""
        size = 4 * dwords
        self.store.put(4 * self.write_next, size, now << FINE)
        self.taken += size
        self.write_next += dwords
        segments = self.segments
        while segments and segments[0][3] <= now << FINE:
            segments.popleft()
        return self._until_fits(now, following)

    def end_write(self, now):
        """As :class:`Instant` describes."""
        lag = 0 if self._policy.write_cache else self._wait(now, self.store.drain())
        return max(lag, super().end_write(now))

    def flush(self, now):
        """As :class:`Instant` describes."""
        return self._wait(now, self.store.drain())

    def write_through(self, now):
        """As :class:`Instant` describes."""
        return self._wait(now, self.store.drain())

    def trim(self, lba, sectors):
        """A disk has nothing to forget."""

    def settled(self, now, lba, sectors):
        """As :class:`Instant` describes."""
        return [(place // _SECTOR, size // _SECTOR)
                for place, size in self.store.settled(now << FINE, _SECTOR * lba, _SECTOR * sectors)]

    # Reads ----------------------------------------------------------------------------------------

    def _drop_read_ahead(self):
        self.read_next = None
        self.position = 0
        self.freed = deque()
        self.available = 0
        self.not_before = 0
        self._from_flash = False

    def begin_read(self, now, lba, sectors=0):
        """As :class:`Instant` describes."""
        if lba << 7 != self.read_next:      # what goes on keeps the arm from what waits to be written
            self.store.until(now << FINE)
        ready = now + self._latency(self.profile.read)
        learned = self.store.learned
        from_flash = learned is not None and sectors > 0 and learned.read(_SECTOR * lba, _SECTOR * sectors)
        if lba << 7 != self.read_next or from_flash or self._from_flash:
            self._drop_read_ahead()
            self.available = (ready << FINE) + (self._flash_start if from_flash else 0)
            self._from_flash = from_flash
        elif not self._policy.look_ahead:
            self.available = max(self.available, ready << FINE)
        self.read_next = lba << 7
        self.write_next = None
        self.not_before = ready

    def _fetched(self, start, size):
        """When the next ``size`` bytes have been read, from ``start`` on: from RAM, from flash, or by the arm."""
        place = 4 * self.read_next
        if self.store.waiting.holds(place, size):
            return start
        if self._from_flash:
            return start + size * self._flash_cost
        return self.store.get(start, place, size)
