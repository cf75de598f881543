"""The words of accesses, in the order in which the accesses are made."""

from collections.abc import Callable

from ...facts.units import SECTOR_BYTES, WORD_BYTES
from ...simulation import ENDLESS
from .places import Places

__all__ = ["AccessStream"]


class AccessStream:
    """What is written by accesses of ``size`` sectors at ``places``, or read by them, as a producer of words without
    end; ``content(offset, bytes)`` is what belongs at a byte of the drive.

    Member: ``lbas``, as many of the places as were needed so far, in order.
    """

    words = ENDLESS

    def __init__(self, places: Places, size: int, content: Callable[[int, int], bytes]) -> None:
        self._places, self._bytes, self._content = places, SECTOR_BYTES * size, content
        self.lbas: list[int] = []

    def lba(self, number: int) -> int:
        """The first sector of the access of this number."""
        while number >= len(self.lbas):
            self.lbas.append(next(self._places))
        return self.lbas[number]

    def read(self, first_word: int, count: int) -> bytes:
        """The bytes of ``count`` words from word ``first_word`` of the stream on."""
        parts, at, left = [], WORD_BYTES * first_word, WORD_BYTES * count
        while left:
            number, inside = divmod(at, self._bytes)
            size = min(left, self._bytes - inside)
            parts.append(self._content(SECTOR_BYTES * self.lba(number) + inside, size))
            at, left = at + size, left - size
        return b"".join(parts)
