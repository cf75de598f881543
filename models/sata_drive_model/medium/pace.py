"""How long the medium takes for a number of bytes: rate by place, cache, stalls, dips.

Times are integers in units of 2**-32 dword clocks of the line ("fine"), so that rates are exact to
one part in 10**8 over any length.
"""

from bisect import bisect_right

FINE = 32
_GRANULES = 1024    # parts of the drive in which the fill is counted


def fine(seconds: float, dword_hz: int) -> int:
    """Fine units of a time."""
    return round(seconds * dword_hz) << FINE


def cost(mb_per_s: float | None, scale: float, dword_hz: int) -> int:
    """Fine units a byte at a rate in MB/s; 0 for None, which is never the limit."""
    return 0 if mb_per_s is None else round((dword_hz << FINE) / (mb_per_s * scale * 1e6))


class Curve:
    """Cost of a byte by place. Parameters: ``knots`` ((fraction, MB/s), ...), ``sectors`` of the
    drive."""

    def __init__(self, knots, sectors, scale, dword_hz):
        self.lbas = [round(place * sectors) for place, _ in knots]
        self.rates = [round(rate * scale * 1e6) for _, rate in knots]
        self.numerator = dword_hz << FINE
        flat = len(set(self.rates)) <= 1
        self.flat = (cost(knots[0][1], scale, dword_hz) if knots else 0) if flat else None

    def cost(self, lba: int) -> int:
        """Fine units a byte at this LBA."""
        if self.flat is not None:
            return self.flat
        lbas, rates = self.lbas, self.rates
        right = min(max(1, bisect_right(lbas, lba)), len(lbas) - 1)
        span = lbas[right] - lbas[right - 1]
        into = min(lba, lbas[right]) - lbas[right - 1]
        slope = rates[right] - rates[right - 1]
        return self.numerator // max(1, rates[right - 1] + slope * into // max(1, span))


class WritePace:
    """The medium under writes; it remembers its cache, its fill and the bytes to the next stall.

    Members: ``used`` bytes in the cache, ``filled`` bytes of the drive that have been written.
    """

    def __init__(self, profile, dword_hz):
        write, scale = profile.write, profile.scale
        self.curve = Curve(write.knots, profile.capacity_sectors, scale, dword_hz)
        self.used = 0
        self.cache = cache = write.cache
        if cache:
            self.cache_cost = cost(cache.mb_per_s, scale, dword_hz)
            least = cache.bytes if cache.minimum_bytes is None else cache.minimum_bytes
            self.shrinks = cache.bytes - least
            self.drain = cost(cache.drain_mb_per_s, scale, dword_hz)
            self.idle_start = fine(cache.idle_ms / 1e3, dword_hz)
        self.capacity = 512 * profile.capacity_sectors
        self.granule = -(-self.capacity // _GRANULES)
        self.granules = [min(int(profile.initial_fill * self.granule), self._whole(number))
                         for number in range(_GRANULES)]
        self.filled = sum(self.granules)
        crowded = write.crowded
        self.crowded_from = round(crowded.from_fill * self.capacity) if crowded else None
        self.crowded_cost = cost(crowded.mb_per_s, scale, dword_hz) if crowded else 0
        self.was_crowded = False
        self.credit = 0
        self.dips = [(dip.every_bytes, dip.every_bytes - dip.bytes,
                      cost(dip.mb_per_s, scale, dword_hz)) for dip in write.dips]
        self.stalls = [(stall.every_bytes, fine(stall.ms / 1e3, dword_hz),
                        stall.when == "always") for stall in write.stalls]
        self.first = [stall.every_bytes - (stall.first_bytes or stall.every_bytes)
                      for stall in write.stalls]
        self.since_stall = list(self.first)
        self.since_dip = [0] * len(self.dips)
        self.keeps_stalls = not write.flush_resets_stalls

    def take(self, lba: int, size: int) -> tuple:
        """(time, stalls) for ``size`` bytes (at most a Data FIS) written at ``lba``.

        ``time`` is in fine units, without the stalls, which are a list of (byte, length): after so
        many of these bytes the medium stops for this many fine units.
        """
        self._fill(lba, size)
        fast = time = 0
        if self.cache:
            room = self.cache.bytes - self.shrinks * self.filled // self.capacity - self.used
            fast = max(0, min(size, room))
            self.used += fast
            time = fast * self.cache_cost
        slow = size - fast
        if slow:
            each = self.crowded_cost if self._is_crowded(slow) else self.curve.cost(lba)
            time += slow * (self._dip(each, slow) if self.dips else each)
        return time, self._stalled(fast, slow) if self.stalls else []

    def _stalled(self, fast, slow):
        """The stalls among bytes of which ``fast`` went to the cache, and ``slow`` after them."""
        found = []
        for number, (every, length, always) in enumerate(self.stalls):
            first, size = (0, fast + slow) if always else (fast, slow)
            found += [(first + place, length)
                      for place in range(every - self.since_stall[number], size + 1, every)]
            self.since_stall[number] = (self.since_stall[number] + size) % every
        return sorted(found)

    def _is_crowded(self, size):
        """Whether ``size`` bytes find no room that is free. A drive that was full has as many bytes of it
        as TRIM gives back, wherever it is written, until all of it is trimmed."""
        if self.crowded_from is None:
            return False
        if self.filled >= self.crowded_from:
            self.was_crowded = True
            self.credit = 0
            return True
        if not self.was_crowded:
            return False
        found = self.credit > 0
        self.credit = max(0, self.credit - size)
        return not found

    def _whole(self, number):
        """Bytes of a granule."""
        return max(0, min(self.granule, self.capacity - number * self.granule))

    def _fill(self, lba, size):
        place = 512 * lba
        while size and place < self.capacity:
            number = place // self.granule
            here = min(size, (number + 1) * self.granule - place)
            before = self.granules[number]
            after = self.granules[number] = min(self._whole(number), before + here)
            self.filled += after - before
            place += here
            size -= here

    def trim(self, lba, sectors):
        """The drive may forget these sectors: what it has to erase before it can be written is less."""
        if self.crowded_from is not None and self.filled >= self.crowded_from:
            self.was_crowded, self.credit = True, 0
        first, end = 512 * lba, 512 * (lba + sectors)
        for number in range(first // self.granule, -(-end // self.granule)):
            begin = number * self.granule
            size = min(end, begin + self._whole(number)) - max(first, begin)
            before = self.granules[number]
            # It is unknown which part of a partly written granule is written.
            after = self.granules[number] = max(0, before - size)
            self.filled -= before - after
            self.credit += before - after
        if not self.filled:
            self.was_crowded = False

    def _dip(self, each, size):
        """The cost of a byte with the dips."""
        for number, (every, start, dip_cost) in enumerate(self.dips):
            place = self.since_dip[number]
            self.since_dip[number] = (place + size) % every
            if place >= start:
                each = max(each, dip_cost)
        return each

    def idle(self, time):
        """The medium had nothing to do for ``time`` fine units: the cache drains."""
        if self.used and self.drain and time > self.idle_start:
            self.used = max(0, self.used - (time - self.idle_start) // self.drain)

    def flushed(self):
        """FLUSH CACHE has been done."""
        if not self.keeps_stalls:
            self.since_stall = list(self.first)
