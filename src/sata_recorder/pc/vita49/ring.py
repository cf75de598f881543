"""A ring of frames, read from its oldest one on."""

from typing import Any

from ...facts.units import SECTOR_BYTES
from .reader import MAX_SECTORS, newest, read_frame

__all__ = ["Ring"]


class Ring:
    """The bytes ``start`` to ``end`` of ``source`` as a source of their own: what is after the
    newest frame comes first, and a frame across the end of the ring is in one piece.

    Members
    -------
    size : int                      Its bytes: whole sectors.
    newest : VrlFrame or None       The newest frame; its ``place`` is one of ``source``.
    """

    def __init__(self, source: Any, start: int, end: int) -> None:
        self._source, self._start = source, start
        self.size = (end - start) // SECTOR_BYTES * SECTOR_BYTES
        self._first = 0
        self.newest = newest(source, start, start + self.size)
        if self.newest is None:
            return
        self._first = self.newest.end - start
        # One across the end is newer than what `newest` sees.
        across = read_frame(self, 0, min(self.size, MAX_SECTORS * SECTOR_BYTES))
        if (across is not None and across.stream_id == self.newest.stream_id
                and across.first >= self.newest.next_word):
            self.newest = across.at(self.place(0))
            self._first += across.end

    def place(self, offset: int) -> int:
        """Where the byte ``offset`` of the ring is in the source."""
        return self._start + (self._first + offset) % self.size

    def read(self, offset: int, size: int) -> bytes:
        """``size`` bytes from ``offset`` on, as the source gives them; may raise ``OSError``."""
        place = self.place(offset)
        before = min(size, self._start + self.size - place)
        data = self._source.read(place, before)
        return data if before == size else bytes(data) + self._source.read(self._start, size - before)
