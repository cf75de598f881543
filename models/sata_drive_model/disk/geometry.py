"""Where each sector of a disk is: track, place in it, and angle.

Sectors are those of the medium. Tracks are numbered head by head, cylinder by cylinder, from the outermost on; a track
begins later than the one before it by the skew, the time that the step from one to the next takes.
"""

from bisect import bisect_right
from typing import NamedTuple


class Place(NamedTuple):
    """``index`` of the sector on its ``track``, which has ``sectors``."""

    track: int
    index: int      # type: ignore[assignment]
    sectors: int


class Geometry:
    """Of a :class:`.parameters.DiskMechanism`, with ``extra`` bytes of the firmware's own before the first LBA.

    Members: ``sectors`` of the medium that there are at least; ``heads``; ``cylinders``.
    """

    def __init__(self, physical, extra=0):
        self.heads = heads = physical.heads
        self.sectors = (physical.user_bytes + extra) // physical.sector_bytes
        # A sustained rate has the steps between tracks in it.
        seconds = 60 / physical.rpm + physical.switch_ms / 1e3
        ends = [max(1, round(rate * 1e6 * seconds / physical.sector_bytes))
                for rate in (physical.outer_mb_per_s, physical.inner_mb_per_s)]
        zones = physical.zones
        # Constant density along the track: its length falls evenly from the outermost cylinder to the innermost.
        self._lengths = [round(ends[0] + (ends[1] - ends[0]) * number / max(1, zones - 1)) for number in range(zones)]
        each = -(-self.sectors // (heads * sum(self._lengths)))
        self.cylinders = each * zones
        self._tracks = each * heads
        self._first = [0]
        for length in self._lengths:
            self._first.append(self._first[-1] + self._tracks * length)

    def place(self, sector: int) -> Place:
        """Where a sector is."""
        zone = bisect_right(self._first, sector) - 1
        length = self._lengths[zone]
        track, index = divmod(sector - self._first[zone], length)
        return Place(zone * self._tracks + track, index, length)

    def sector(self, track: int, index: int) -> int:
        """Which sector is there, the reverse of :meth:`place`."""
        zone, track = divmod(track, self._tracks)
        return self._first[zone] + track * self._lengths[zone] + index
