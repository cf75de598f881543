"""How many bytes wait for a drive: the arithmetic of one stream, one link and one medium.

Byte x arrives at x / rate. It enters the drive's RAM when the byte that lies the RAM's size before
it is on the medium, so what waits in front is what arrives until then. Between two commands
nothing enters, and a medium whose RAM runs dry meanwhile loses that time.
"""

from dataclasses import dataclass
from itertools import pairwise

from ..units import DWORD_HZ, SECTOR_BYTES, WORD_BYTES
from .course import stretches

__all__ = ["FIS_BYTES", "FIS_CLOCKS", "COMMAND_CLOCKS", "Channel", "Waiting", "waiting"]

FIS_BYTES = 8192
#: Clocks from one Data FIS to the next: 2,052 dwords, two ALIGN in every 256, and the handshakes of
#: this core with a drive that answers after one dword.
FIS_CLOCKS = 2052 * 256 / 254 + 19.3
#: Clocks between two commands, of host and protocol (docs/reproduce.md, table 6-2).
COMMAND_CLOCKS = 54


@dataclass(frozen=True)
class Channel:
    """``rate`` is what it carries within a command, ``gap`` the seconds between two commands in
    which it carries nothing, ``command`` the bytes of the longest one, ``fis`` the seconds of a
    Data FIS: what waits may wait so much longer until one has begun."""

    rate: float
    gap: float
    command: int
    fis: float

    @classmethod
    def of(cls, requirement, profile):
        """That of a drive of ``profile``."""
        write = profile.write
        hz = DWORD_HZ[min(requirement.generation, profile.generation)]
        sectors = requirement.command_sectors if profile.lba48 else \
            min(requirement.command_sectors, 256)
        gap = COMMAND_CLOCKS / hz + 1e-6 * (requirement.turnaround_us + write.command_us +
                                            write.jitter_us + write.completion_us)
        return cls(FIS_BYTES * hz / FIS_CLOCKS, gap, SECTOR_BYTES * sectors, FIS_CLOCKS / hz)

    def cost(self, medium, ram):
        """Seconds a byte, all commands and gaps in it: ``medium`` seconds a byte of the medium,
        ``ram`` bytes between both."""
        command = self.command
        limited = command / self.rate + self.gap
        return max(limited, command * medium + max(0.0, self.gap - ram * medium)) / command


@dataclass(frozen=True)
class Waiting:
    """``peak`` bytes wait at most, when byte ``place`` enters; ``left`` bytes wait at the end;
    ``lasts`` bytes until more than the limit wait (None: never); ``longest`` seconds is the longest
    standstill; ``fastest`` and ``last`` bytes a second are those of the first and the last stretch
    with all gaps, ``mean`` those of all of it, written as fast as it goes."""

    peak: float
    place: float
    left: float
    lasts: float | None
    stalls: int
    longest: float
    fastest: float
    last: float
    mean: float


def waiting(requirement, profile, limit, buffer_words):
    """The :class:`Waiting` of one drive for ``requirement``, with room for ``limit`` bytes in the
    FIFO and ``buffer_words`` in the core."""
    link, ram = Channel.of(requirement, profile), _ram(profile.write)
    rate, room = requirement.rate, limit + WORD_BYTES * buffer_words
    done = free = profile.write.access_us * 1e-6
    peak, place, lasts, longest, stalls = rate * (link.gap + link.fis), 0.0, None, 0.0, 0
    size = requirement.bytes
    first = last = None

    def backlog(time, at):
        """Bytes that wait when the byte ``ram`` behind ``at`` enters, at ``time``."""
        return rate * (max(0.0, time - (at + ram) / rate) + link.gap + link.fis)

    for part in stretches(profile, size, (size - ram,)):
        cost = link.cost(part.cost, ram)
        first, last = first or cost, cost
        before = done
        end = max(done + cost * (part.end - part.start), part.end / rate)
        free += cost * (part.end - part.start) + part.stall
        done = end + part.stall
        longest, stalls = max(longest, part.stall), stalls + bool(part.stall)
        if part.end + ram > size:
            continue    # what would enter then is not recorded
        places = (part.start, backlog(before, part.start)), (part.end, backlog(end, part.end)), \
            (part.end, backlog(done, part.end))
        for (start, low), (stop, high) in pairwise(places):
            most, at = _most(start, low, stop, high, size - ram)
            if most > peak:
                peak, place = most, at + ram
            if lasts is None and high > room and most > room:
                share = (room - low) / (high - low) if low < room else 0.0
                lasts = start + share * (stop - start) + ram
    written = min(size, SECTOR_BYTES * profile.capacity_sectors)
    return Waiting(peak, place, max(0.0, rate * (done - written / rate)), lasts, stalls, longest,
                   1 / first, 1 / last, written / free if free else float("inf"))


def _ram(write):
    """Bytes of the drive's RAM that surely take data: room is given for a FIS, or a slice, at once."""
    slices = {"activate": 1, "hold": write.hold_slices, "status": FIS_BYTES}[write.stall_shows]
    return write.buffer_bytes - FIS_BYTES // slices


def _most(start, low, stop, high, end):
    """(bytes, place) of the most that wait between two places, of which what is still to come up
    to ``end`` is the most that can."""
    if high <= low:
        return min(low, end - start), start
    if high <= end - stop:
        return high, stop
    if low >= end - start:
        return end - start, start
    share = (end - start - low) / (high - low + stop - start)
    return low + share * (high - low), start + share * (stop - start)
