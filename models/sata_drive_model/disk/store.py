"""What a disk does with its arm: writes from RAM, bands that are cleaned, blocks that are learned, reads.

Places and sizes are bytes from LBA 0 on; times are fine units.
"""

from collections import deque

from ..medium.pace import fine
from .mechanics import Mechanics
from .read_cache import LearnedBlocks
from .shingles import Shingles
from .waiting import Waiting

#: Bytes that are written at a time: what may come in between.
_STEP = 1 << 16


class DiskStore:
    """The arm of a :class:`.parameters.DiskDrive`, and what is to be done with it.

    Members: ``waiting`` in RAM; ``done`` bytes of all that came are on the medium; ``segments`` of that, (bytes before,
    time, bytes after, time); ``learned`` blocks of a hybrid disk, None without its flash.
    """

    def __init__(self, disk, dword_hz):
        physical, policy = disk.physical, disk.policy
        self.policy = policy
        self._shingles = Shingles(policy.shingles) if policy.shingles else None
        self._extra = policy.shingles.cache_bytes if policy.shingles else 0
        self.mechanics = Mechanics(physical, dword_hz, self._extra)
        self.sector = physical.sector_bytes
        self._size = physical.user_bytes
        self.learned = LearnedBlocks(policy.read_cache) if policy.read_cache else None
        idle = [part.idle_ms for part in (policy.shingles, policy.read_cache) if part]
        self._idle = fine(min(idle) / 1e3, dword_hz) if idle else 0
        self._candidates = policy.sorted_writes if policy.order == "nearest" and not policy.shingles else 1
        self._lost = 0.0        # of a turn
        self.power_on()

    def power_on(self):
        """Nothing is in RAM, and time begins at 0; the platters have what they had."""
        self.mechanics.clock = 0
        self.waiting = Waiting()
        self.done = 0
        self.segments = deque()
        self.unsettled = deque()   # (time, place, size) of writes to the medium
        self._passed = 0        # the sector after those that were read last
        self._host = 0          # when the host was there last

    def power_off(self):
        """What RAM holds is lost; time goes on."""
        self.done += self.waiting.size
        self.waiting.clear()
        self.unsettled.clear()

    # Writes ---------------------------------------------------------------------------------------

    def put(self, place, size, now):
        """Bytes of the host are in RAM."""
        self.until(now)
        self._host = now
        if self.learned:
            self.learned.written(place, size)
        if not self.waiting:
            self.mechanics.clock = max(self.mechanics.clock, now)
        replaced = self.waiting.put(place, size, now)
        if replaced:
            self._finished(replaced, now, now)

    def until(self, now):
        """The arm has worked until ``now``: what waits, then what is done in idle time."""
        mechanics = self.mechanics
        while mechanics.clock < now:
            if self.waiting:
                self._step(now)
            elif not self._background(now):
                return

    def settled(self, now, place, size):
        """(place, size) of what has reached the medium since this was called last, or is being written where the host
        is about to write ``size`` bytes at ``place``."""
        self.until(now)
        found, left = [], deque()
        for end, start, length in self.unsettled:
            if end <= now or start < place + size and place < start + length:
                found.append((start, length))
            else:
                left.append((end, start, length))
        self.unsettled = left
        return found

    def drain(self, place=None):
        """When so many bytes of all that came are on the medium; None: all of them."""
        while self.waiting and (place is None or self.done < place):
            self._step(None)
        return self.mechanics.clock

    def _step(self, now):
        """A run is written, or a part of it; before ``now`` none may be due, because the rest of a sector may come.
        Without ``now`` none waits for that."""
        best, soonest = None, now
        for run in self.waiting.oldest(self._candidates):
            stop = self._stop(run, now)
            if not stop:
                soonest = min(soonest, run.since + self.mechanics.turn)
                continue
            # What has just come is not written before that.
            begin = max(self.mechanics.clock, run.since if run.end - run.start <= _STEP else 0)
            reached = self.mechanics.reached(begin, self._where(run.start), True) if self._candidates > 1 else 0
            if best is None or reached < best[0]:
                best = reached, run, stop, begin
        if best is None:
            self.mechanics.clock = soonest
            return
        _, run, stop, begin = best
        start = run.start
        self.waiting.take(run, stop)
        end = self._write(begin, start, stop - start)
        self._finished(stop - start, begin, end)
        self.unsettled.append((end, start, stop - start))

    def _stop(self, run, now):
        """Where a step that begins with this run ends; 0: it does not begin, because it ends within a sector, the rest
        of which may still come. It is waited for during a turn, in which the sector could not be written anyway."""
        stop = min(run.end, run.start - run.start % _STEP + _STEP)
        if not stop % self.sector or now is None or run.since + self.mechanics.turn <= self.mechanics.clock:
            return stop
        return stop - stop % self.sector if run.end - run.start >= _STEP else 0

    def _finished(self, size, begin, end):
        self.segments.append((self.done, begin, self.done + size, end))
        self.done += size

    def _where(self, place):
        """The sector of the medium, past the firmware's own."""
        return (self._extra + place) // self.sector

    def _write(self, begin, place, size):
        """When these bytes are on the medium, in the ring of a shingled disk or where they belong."""
        if self._shingles is None:
            return self._put(begin, self._extra + place, size)
        end = place + size
        while place < end:
            size = min(end, place - place % self._shingles.band + self._shingles.band) - place
            while (ring := self._shingles.place(size)) is None:
                begin = self._clean(begin)
            self._shingles.write(place, size)
            begin = self._put(begin, ring, size)
            place += size
        return begin

    def _put(self, begin, place, size):
        sector, mechanics = self.sector, self.mechanics
        first, last = place // sector, -(-(place + size) // sector)
        end = mechanics.write(begin, first, last - first, bool(place % sector or (place + size) % sector))
        if self.policy.write_lost_turns:
            self._lost += self.policy.write_lost_turns * (last - first) / mechanics.geometry.place(first).sectors
            if self._lost >= 1:
                self._lost -= 1
                mechanics.clock = end = end + mechanics.turn
        return end

    def fill(self):
        """The ring of a shingled disk is full, of the beginnings of its bands."""
        ring = self._shingles
        bands = -(-self._size // ring.band)
        # As many of each as there are bands for all of it.
        part = min(ring.band, max(_STEP, ring.cache // bands))
        for band in range(bands):
            size = min(part, self._size - band * ring.band)
            if ring.place(size) is None:
                return
            ring.write(band * ring.band, size)

    # Idle time ------------------------------------------------------------------------------------

    def _background(self, now):
        """One thing of what is done while the host is away; False: there is none before ``now``."""
        begin = max(self.mechanics.clock, self._host + self._idle)
        if begin >= now:
            return False
        if self._shingles and self._shingles.dirty:
            self._clean(begin)
            return True
        if self.learned and self.learned.due:
            block = next(iter(self.learned.due))
            self._get(begin, block * self.learned.block, min(self.learned.block, self._size))
            self.learned.copied(block)
            return True
        return False

    def _clean(self, begin):
        """When a band has been read, with what the ring has of it, and written again."""
        band, runs = self._shingles.clean()
        start = band * self._shingles.band
        size = min(self._shingles.band, self._size - start)
        end = self._read(begin, self._extra + start, size)
        for first, last, place in sorted(runs, key=lambda run: run[2]):
            end = self._read(end, place, last - first)
        count = -(-size // self.sector)
        return self.mechanics.write(end, self._where(start), count)

    # Reads ----------------------------------------------------------------------------------------

    def get(self, begin, place, size):
        """When the host's next bytes have been read, from ``begin`` on, or later if the arm is busy."""
        self._host = max(self._host, begin)
        return self._get(begin, place, size)

    def _get(self, begin, place, size):
        if self._shingles is None:
            return self._read(begin, self._extra + place, size)
        for start, end, ring in self._shingles.pieces(place, size):
            begin = self._read(begin, self._extra + start if ring is None else ring, end - start)
        return begin

    def _read(self, begin, place, size):
        first, last = place // self.sector, -(-(place + size) // self.sector)
        if place % self.sector and first == self._passed - 1:
            first += 1          # its beginning was read just now
        if first >= last:
            return max(begin, self.mechanics.clock)
        self._passed = last
        return self.mechanics.read(begin, first, last - first)
