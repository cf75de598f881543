"""The timing of a drive's medium: its RAM, its rate, and where the host notices them.

`Drive` calls it once per command and once per Data FIS. ``now`` is the drive's own time in dwords of the
line; delays and HOLD lengths that come back are dwords too, with the ALIGN among them. While the
link is down no time passes.
"""

import random
from collections import deque
from collections.abc import Iterable

from .pace import FINE, Curve, WritePace


class Instant:
    """No medium to wait for: the interface of :class:`Medium` with every answer zero."""

    profile = None

    def power_on(self):
        """The drive is connected: ``now`` begins at 0."""

    def reset(self):
        """COMRESET."""

    def power_off(self):
        """The power fails."""

    def begin_write(self, now: int, lba: int, dwords: int, splits: bool = False) -> int:
        """A write command: dwords until its first DMA Activate; ``dwords`` of its first FIS.
        ``splits``: it begins or ends within a physical sector."""
        return 0

    def plan_frame(self, now: int, dwords: int) -> list:
        """SOF of a Data FIS of a write: HOLD places [(dwords received, length)]."""
        return []

    def wrote(self, now: int, dwords: int, following: int) -> int:
        """A Data FIS was taken: dwords until the DMA Activate of the ``following`` dwords."""
        return 0

    def end_write(self, now: int) -> int:
        """The last data are there: dwords until the status."""
        return 0

    def begin_read(self, now, lba, sectors=0):
        """A read command; ``sectors`` of 512 bytes, 0: not known."""

    def next_read(self, now: int, dwords: int) -> tuple:
        """(dwords until the next Data FIS, HOLD places [(index in the frame, length)])."""
        return 0, []

    def sent(self, now, dwords):
        """A Data FIS has gone to the host."""

    def end_read(self, now: int) -> int:
        """The last data are with the host: dwords until the status."""
        return 0

    def flush(self, now: int) -> int:
        """FLUSH CACHE: dwords until its status."""
        return 0

    def write_through(self, now: int) -> int:
        """The last data of WRITE DMA FUA EXT are there: dwords until its status."""
        return 0

    def trim(self, lba, sectors):
        """TRIM of these sectors."""

    def settled(self, now: int, lba: int, sectors: int) -> Iterable:
        """(LBA, sectors) of what has reached the medium since this was called last, or does while the host writes
        these sectors; none where the medium does not know."""
        return ()


class Medium(Instant):
    """Timing of a profile.

    Parameters: ``profile`` a `Profile`, ``dword_hz`` dword clock of the line in Hz; ``pace`` what is asked how long
    writes take, None: the table of the profile. Members: ``profile``, ``pace``, the state of the cache under
    writes. Raises `ProfileError` for a profile with a rate that is unknown.
    """

    def __init__(self, profile, dword_hz, pace=None):
        dword_hz = round(dword_hz)
        if dword_hz < 1:
            raise ValueError(f"medium: dword_hz = {dword_hz}: must be at least 1")
        profile.check_rates()
        self.profile = profile
        self.dword_hz = dword_hz
        self.rng = random.Random(profile.seed)
        self.pace = pace or WritePace(profile, dword_hz)
        self.curve = Curve(profile.read.knots, profile.capacity_sectors, profile.scale, dword_hz)
        self.power_on()

    def power_on(self):
        """The RAM is empty; cache, fill and distance to the next stall are as they were."""
        self.taken = 0              # bytes written by the host
        self.segments = deque()     # (bytes before, time, bytes after, time) not yet on the medium
        self.finished = 0           # when all that was taken is on the medium
        self.frame_start = 0
        self.busy_until = 0         # when the medium was last used
        self.write_next = None      # dword where the write before ended
        self.access = 0
        self.reset()

    def reset(self):
        """COMRESET: what is in RAM stays, what was read ahead is dropped."""
        self._drop_read_ahead()

    def _dwords(self, microseconds):
        return round(microseconds * self.dword_hz / 1e6)

    def _latency(self, side):
        jitter = self._dwords(side.jitter_us)
        return self._dwords(side.command_us) + (self.rng.randint(0, jitter) if jitter else 0)

    # Writes ---------------------------------------------------------------------------------------

    def begin_write(self, now, lba, dwords, splits=False):
        """As :class:`Instant` describes."""
        write = self.profile.write
        self._drop_read_ahead()
        self.access = self._dwords(write.access_us) << FINE if lba << 7 != self.write_next else 0
        if splits:
            self.access += self._dwords(write.misaligned_us) << FINE
        self.write_next = lba << 7
        return max(self._latency(write), self._until_fits(now, dwords))

    def drained(self, place):
        """When the byte ``place`` of all that was taken is on the medium, in fine units.

        The places requested never go down: what lies below is forgotten.
        """
        segments = self.segments
        while segments and segments[0][2] < place:
            segments.popleft()
        if not segments or place <= segments[0][0]:
            return 0
        before, start, after, end = segments[0]
        return start + (end - start) * (place - before) // (after - before)

    @staticmethod
    def _wait(now, time):
        """Dwords from ``now`` to ``time``, which is in fine units."""
        return max(0, -(-time >> FINE) - now)

    def _until_fits(self, now, dwords):
        """Dwords until the RAM has room for a Data FIS, where a late DMA Activate shows that."""
        write = self.profile.write
        if write.stall_shows != "activate":
            return 0
        return self._wait(now, self.drained(self.taken + 4 * dwords - write.buffer_bytes))

    def plan_frame(self, now, dwords):
        """As :class:`Instant` describes."""
        write = self.profile.write
        self.frame_start = now << FINE
        if write.stall_shows != "hold" or self.finished <= now << FINE:
            return []
        first = self.taken - write.buffer_bytes
        return self._slices(now, dwords, write.hold_slices, 1,
                            lambda placed: self.drained(first + 4 * placed))

    def _slices(self, clock, dwords, slices, offset, due):
        """HOLDs before the slices of a frame, so that none ends before it is ``due``."""
        holds = []
        size = -(-dwords // slices)
        for placed in range(0, dwords, size):
            end = min(placed + size, dwords)
            clock += end - placed
            lag = self._wait(clock, due(end))
            if lag:
                holds.append((offset + placed, lag))
                clock += lag
        return holds

    def wrote(self, now, dwords, following):
        """As :class:`Instant` describes."""
        start = max(self.finished, self.frame_start)
        if start > self.busy_until:
            self.pace.idle(start - self.busy_until)
        size = 4 * dwords
        end = self._book(start + self.access, size, now << FINE)
        self.access = 0
        segments = self.segments
        while segments and segments[0][3] <= now << FINE:
            segments.popleft()
        self.taken += size
        self.finished = self.busy_until = end
        self.write_next += dwords
        return self._until_fits(now, following)

    def _book(self, begin, size, least):
        """The segments of ``size`` bytes from the time ``begin`` on; between them stalls.

        Returns when the medium can continue after them. The bytes end at ``least`` at the earliest.
        """
        time, stalls = self.pace.take(self.write_next >> 7, size)
        segments, done, stood, tail = self.segments, 0, 0, 0
        for place, length in (*stalls, (size, 0)):
            if place > done:
                segments.append((self.taken + done, begin + stood + time * done // size,
                                 self.taken + place, begin + stood + time * place // size))
                done, tail = place, 0
            stood += length
            tail += length
        end = max(segments[-1][3], least)
        segments[-1] = (*segments[-1][:3], end)
        return end + tail

    def end_write(self, now):
        """As :class:`Instant` describes."""
        write = self.profile.write
        lag = 0
        if write.stall_shows == "status":
            lag = self._wait(now, self.drained(self.taken - write.buffer_bytes))
        return lag + self._dwords(write.completion_us)

    def flush(self, now):
        """As :class:`Instant` describes."""
        self.pace.flushed()
        cost = self._dwords(self.profile.write.flush_us) << FINE
        self.finished = max(self.finished, now << FINE) + cost
        self.busy_until = max(self.busy_until, self.finished)
        return self._wait(now, self.finished)

    def write_through(self, now):
        """As :class:`Instant` describes."""
        cost = self._dwords(self.profile.write.fua_us) << FINE
        self.finished = max(self.finished, now << FINE) + cost
        self.busy_until = max(self.busy_until, self.finished)
        return self._wait(now, self.finished)

    def trim(self, lba, sectors):
        """As :class:`Instant` describes."""
        self.pace.trim(lba, sectors)

    # Reads ----------------------------------------------------------------------------------------

    def _drop_read_ahead(self):
        self.read_next = None       # dword where the read before ended
        self.position = 0           # bytes given to the host since the read-ahead began
        self.freed = deque()        # (bytes, when the host had them)
        self.available = 0          # when all data up to the position are in RAM
        self.not_before = 0         # end of the command's latency

    def begin_read(self, now, lba, sectors=0):
        """As :class:`Instant` describes."""
        read = self.profile.read
        ready = now + self._latency(read)
        if lba << 7 != self.read_next:
            self._drop_read_ahead()
            start = max(ready << FINE, self.finished)
            self.available = start + (self._dwords(read.access_us) << FINE)
        elif not read.ahead:
            self.available = max(self.available, ready << FINE)
        self.read_next = lba << 7
        self.write_next = None
        self.not_before = ready

    def next_read(self, now, dwords):
        """As :class:`Instant` describes."""
        read = self.profile.read
        if not dwords:
            return max(0, self.not_before - now), []
        size = 4 * dwords
        room = self.position + size - read.buffer_bytes
        while self.freed and self.freed[0][0] < room:
            self.freed.popleft()
        start = max(self.available, self.freed[0][1] if self.freed and room > 0 else 0)
        self.available = self._fetched(start, size)
        span = self.available - start
        earliest = max(now, self.not_before)
        if read.stall_shows == "data":
            return max(earliest - now, self._wait(now, self.available)), []
        first = -(-dwords // read.hold_slices)
        earliest += self._wait(earliest + first, start + span * first // dwords)
        holds = self._slices(earliest, dwords, read.hold_slices, 2,
                             lambda placed: start + span * placed // dwords)
        return earliest - now, holds

    def _fetched(self, start, size):
        """When the next ``size`` bytes have been read, from ``start`` on."""
        end = start + size * self.curve.cost(self.read_next >> 7)
        self.busy_until = max(self.busy_until, end)
        return end

    def sent(self, now, dwords):
        """As :class:`Instant` describes."""
        self.position += 4 * dwords
        self.read_next += dwords
        self.freed.append((self.position, now << FINE))

    def end_read(self, now):
        """As :class:`Instant` describes."""
        return self._dwords(self.profile.read.completion_us)
