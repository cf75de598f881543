"""Dwords that wait for their turn, in the order in which they came.

One file of plain ints: dword_queue.pxd beside it states how it is compiled. A port on a slow line
moves two or more dwords a clock through these, so they hold no Python object for a dword.
"""

from array import array


class DwordQueue:
    """A queue of 64-bit words, with ``dwords`` in it at first. Member: ``count`` of those in it."""

    __slots__ = ("count", "_words", "_first", "_mask")

    def __init__(self, dwords=()):
        self._mask = 15         # the room is a power of two, so an index wraps by a mask
        while self._mask < len(dwords):
            self._mask = 2 * self._mask + 1
        self._words = array("q", [*dwords, *[0] * (self._mask + 1 - len(dwords))])
        self._first = 0
        self.count = len(dwords)

    def append(self, word: int) -> None:
        """``word`` is the last one now."""
        if self.count > self._mask:
            self._grow()
        self._words[(self._first + self.count) & self._mask] = word
        self.count += 1

    def take(self) -> int:
        """Removes the first word. The caller knows that there is one."""
        word = self._words[self._first]
        self._first = (self._first + 1) & self._mask
        self.count -= 1
        return word

    def _grow(self):
        words = [self._words[(self._first + index) & self._mask] for index in range(self.count)]
        self._words = array("q", [*words, *[0] * self.count])
        self._first = 0
        self._mask = 2 * self._mask + 1
