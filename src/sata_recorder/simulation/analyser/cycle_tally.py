"""The cycles of each account, with what they were at the last data dwords."""

from array import array

from .states import ACCOUNTS, PAYLOAD

_COUNT = len(ACCOUNTS)


def _copy(source, target):
    for number in range(_COUNT):
        target[number] = source[number]


class CycleTally:
    """``cycles`` of each account, in the order of `ACCOUNTS`."""

    __slots__ = ("cycles", "_last", "_before", "_marks")

    def __init__(self):
        self.cycles = array("q", bytes(8 * _COUNT))
        self._last = array("q", bytes(8 * _COUNT))      # with the last data dword
        self._before = array("q", bytes(8 * _COUNT))    # with the one before it
        self._marks = 0

    def mark(self, dwords):
        """Notes that ``dwords`` data dwords have come, one a cycle, the last one in the latest cycle."""
        self._last, self._before = self._before, self._last
        _copy(self.cycles, self._last)
        if dwords > 1:
            _copy(self.cycles, self._before)
            self._before[PAYLOAD] -= 1
        self._marks += dwords

    def now(self):
        """A list of the cycles."""
        return [self.cycles[number] for number in range(_COUNT)]

    def before_last(self):
        """What the list was at the last data dword but one; None if there were not two of them."""
        if self._marks < 2:
            return None
        return [self._before[number] for number in range(_COUNT)]
