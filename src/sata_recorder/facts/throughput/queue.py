"""How many bytes wait for a drive: the arithmetic of one stream, one link and one medium.

Byte x arrives at x / rate. It enters the drive's RAM when the byte that lies the RAM's size before
it is on the medium, and not before the link has carried all before it, so what waits in front is
what arrives until then. Between two commands nothing enters, and a medium whose RAM runs dry
meanwhile loses that time. What has waited before beats of the stream comes at their rate, and the bytes that they are
ahead of the drive are those of the core's buffer.
"""

import math
from dataclasses import dataclass

from ..units import SECTOR_BYTES
from .channel import Channel, Host, Profile
from .course import stretches

__all__ = ["Waiting", "waiting"]


@dataclass(frozen=True)
class Waiting:
    """``peak`` bytes wait at most; ``lasts`` bytes have arrived when the first of them finds no room
    (None: each finds some); ``stalls`` standstills, the longest of ``longest`` seconds;
    ``fastest`` and ``last`` bytes a second are those of the first and the last stretch with all
    gaps, ``mean`` those of all of it with its stalls, written as fast as it goes, and ``uncached``
    of what comes after the drive's cache (None: nothing does)."""

    peak: float
    lasts: float | None
    stalls: int
    longest: float
    fastest: float
    last: float
    mean: float
    uncached: float | None


def waiting(host: Host, profile: Profile, rate: float, size: int, room: int) -> Waiting:
    """The :class:`Waiting` of ``size`` bytes that arrive at ``rate`` bytes a second for one drive of
    ``profile``, with room for ``room`` bytes in front of it.

    Raises ``ValueError`` for a profile with a million stalls.
    """
    link = Channel.of(host, profile)
    ram, extra = link.ram, rate * (link.gap + link.fis)
    done = free = profile.write.access_us * 1e-6
    peak, of_link = _of_link(link, rate, size, room)
    lasts = None
    longest, stalls = 0.0, 0
    enters = done               # the byte ``ram`` after the latest one on the medium
    # Byte x is through the beats at this time and x times the supply at the earliest. The supply has all gaps but the
    # one before the first command, in which the buffer is filled; the drive has what came in its first access.
    offset = link.fills + max(0.0, enters - link.supply * ram) - link.supply * link.buffer
    cache, cached = profile.write_cache_bytes, 0.0
    first = last = 0.0

    def level(time: float, at: float) -> float:
        """Bytes that wait when the byte ``ram`` after ``at`` enters at ``time``, except for what comes
        in a gap; below 0 where it has not come yet."""
        return rate * time - (at + ram)

    for part in stretches(profile, size, (size - ram,)):
        cost, mean = link.cost(part.cost), link.cost(part.cost, link.mean_gap)
        first, last = first or mean, mean
        before = enters
        end = max(done + cost * (part.end - part.start), part.end / rate, offset + link.supply * part.end)
        enters = max(end, offset + link.supply * (part.end + ram))
        free += mean * (part.end - part.start) + part.stall
        if part.end <= cache:
            cached = free
        done = end + part.stall
        longest, stalls = max(longest, part.stall), stalls + bool(part.stall)
        if part.end + ram > size:
            continue    # what would enter then is not recorded
        low, high = level(before, part.start), level(enters, part.end)
        enters = max(enters, done)
        stood = level(enters, part.end)
        if link.beat:
            offset = max(offset, enters - link.supply * (part.end + ram + link.buffer))
        for start, below, above in (part.start, low, high), (part.end, high, stood):
            most = _most(start, max(0.0, below) + extra, part.end, max(0.0, above) + extra, size - ram)
            peak = max(peak, most)
            if lasts is None and above + extra > room and most > room:
                entered = part.end + ram
                if start < part.end:
                    steep = (above - below) / (part.end - start)
                    gap = rate * link.command * (cost - max(part.cost, 1 / link.rate))
                    entered = min(entered, _crossing(start + ram, below, steep, room, rate * link.gap,
                                                     gap, link.command))
                lasts = min(size, entered + room)
    written = min(size, SECTOR_BYTES * profile.capacity_sectors)
    lasts = min((found for found in (lasts, of_link) if found is not None), default=None)
    return Waiting(peak, lasts, stalls, longest, 1 / first, 1 / last, written / free,
                   (written - cache) / (free - cached) if written > cache else None)


def _of_link(link: Channel, rate: float, size: int, room: int) -> tuple[float, float | None]:
    """(bytes that wait at most, bytes that have arrived when one finds no room, or None) of what the
    ``link`` alone makes wait."""
    extra, ratio = rate * (link.gap + link.fis), rate * max(link.cost(), link.supply)
    peak = min(size, extra + max(0.0, size - extra) * max(0.0, 1 - 1 / ratio))
    if peak <= room:
        return peak, None
    if ratio <= 1:
        return peak, room
    gap = rate * link.gap
    entered = _crossing(0.0, 0.0, ratio - 1, room, gap, gap, link.command)
    return peak, min(size, entered + room)


def _crossing(start: float, level: float, steep: float, room: int, extra: float, gap: float, command: int) -> float:
    """The bytes that have entered when one finds no room.

    From ``start`` on, where ``level`` bytes wait, ``steep`` bytes more wait for each that enters, in
    the mean. ``extra`` more wait at the end of a gap, before the first byte of a ``command``; ``gap``
    more wait within it, fewer and fewer to its end.
    """
    if level + extra >= room or steep <= 0:
        return start
    bound = start + (room - extra - level) / steep
    top = command * math.ceil(bound / command)
    begin, rising = top - command, steep - gap / command
    if rising > 0:
        inside = start + (room - level - gap * (1 - (start - begin) / command)) / rising
        if inside >= begin:
            return min(top, inside)
    return top


def _most(start: float, low: float, stop: float, high: float, end: int) -> float:
    """The most bytes that wait between two places, of which what is still to come up to ``end`` is
    the most that can."""
    if high <= low:
        return min(low, end - start)
    if high <= end - stop:
        return high
    if low >= end - start:
        return end - start
    share = (end - start - low) / (high - low + stop - start)
    return low + share * (high - low)
