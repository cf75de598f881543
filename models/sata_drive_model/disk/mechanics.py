"""Arm and platters: how long it takes until a sector is under its head, and until it has passed.

Times are integers in fine units (:mod:`..medium.pace`), so that a transfer that goes on loses nothing by rounding.
"""

from math import sqrt

from ..medium.pace import FINE, fine
from .geometry import Geometry


class Mechanics:
    """The moving parts of a :class:`.parameters.DiskMechanism`. They remember where they are.

    Members: ``geometry``; ``turn`` of the platters; ``clock`` until when the arm is busy; ``track`` where it is.
    """

    def __init__(self, physical, dword_hz, extra=0):
        self.geometry = geometry = Geometry(physical, extra)
        self.turn = fine(60 / physical.rpm, dword_hz)
        self.skew = fine(physical.switch_ms / 1e3, dword_hz)
        self.settle = fine(physical.write_settle_ms / 1e3, dword_hz)
        self.clock = 0
        self.track = 0
        self._unit = dword_hz / 1e3
        self._near, self._average, self._far = physical.track_seek_ms, physical.average_seek_ms, physical.full_seek_ms
        self._third = max(2, geometry.cylinders // 3)
        self._most = max(self._third + 1, geometry.cylinders - 1)

    def seek(self, track: int) -> int:
        """How long the arm takes to ``track``: with the square root of the way up to a third of all cylinders, evenly
        beyond."""
        if track == self.track:
            return 0
        heads = self.geometry.heads
        way = abs(track // heads - self.track // heads)
        if not way or track == self.track + 1:
            return self.skew
        if way <= self._third:
            time = self._near + (self._average - self._near) * sqrt((way - 1) / (self._third - 1))
        else:
            time = self._average + (self._far - self._average) * (way - self._third) / (self._most - self._third)
        return round(time * self._unit) << FINE

    def reached(self, time: int, sector: int, writing: bool = False) -> int:
        """When a sector is under its head, of an arm that may start at ``time``."""
        track, index, sectors = self.geometry.place(sector)
        there = time + self.seek(track)
        if writing and track not in (self.track, self.track + 1):
            there += self.settle
        angle = track * self.skew + index * self.turn // sectors
        return there + (angle - there) % self.turn

    def pass_over(self, time: int, sector: int, count: int) -> int:
        """When ``count`` sectors have passed, the first of which is under its head at ``time``. The arm is there, and
        busy until then."""
        track, index, sectors = self.geometry.place(sector)
        begin = time - index * self.turn // sectors
        while index + count > sectors:
            count -= sectors - index
            begin += self.turn + self.skew
            track, index, sectors = self.geometry.place(self.geometry.sector(track, sectors - 1) + 1)
        self.track = track
        self.clock = begin + (index + count) * self.turn // sectors
        return self.clock

    def read(self, time: int, sector: int, count: int) -> int:
        """When these sectors have been read, from ``time`` on, or later if the arm is busy."""
        return self.pass_over(self.reached(max(time, self.clock), sector), sector, count)

    def write(self, time: int, sector: int, count: int, partial: bool = False) -> int:
        """As :meth:`read` for writing; ``partial``: what is not written of the first or the last sector is read first,
        and written a turn later."""
        start = self.reached(max(time, self.clock), sector, True)
        if partial:
            start = self.reached(self.pass_over(start, sector, count), sector)
        return self.pass_over(start, sector, count)
