"""Where the accesses go: one address after the other, by a rule that hardware can follow, too."""

from collections.abc import Iterator

__all__ = ["MOST_SEED", "Places"]

#: A seed has as many bits as a number of the console.
MOST_SEED = (1 << 48) - 1

_ALL = (1 << 64) - 1
#: The state of the generator with seed 0; no seed of 48 bits makes it 0.
_BEGIN = 0x9E37_79B9_7F4A_7C15


def _next(state: int) -> int:
    """The state after ``state``: xorshift with the shifts 13, 7 and 17, whose period is 2^64 - 1 (G. Marsaglia,
    "Xorshift RNGs", Journal of Statistical Software 8, 2003)."""
    state ^= state << 13 & _ALL
    state ^= state >> 7
    return state ^ state << 17 & _ALL


class Places(Iterator[int]):
    """First sectors of accesses of ``size`` sectors, without end, all within ``span`` sectors from ``lba`` on.

    Parameters: ``align``: each is a multiple of so many sectors after ``lba``. ``pattern`` "sequential": one access
    begins where the one before it ends, and at ``lba`` again when no whole one is left; "random": each place is as
    likely as any other. A number of the generator is cut to as many bits as the last place has, and passed over if it
    is more than that place; so the length of the span need not be a power of two.
    """

    def __init__(self, lba: int, span: int, size: int, align: int, pattern: str, seed: int = 0) -> None:
        self.lba, self.size, self.align = lba, size, align
        #: The number of the last place, 0 being the first.
        self.last = (span - size) // align
        self._random = pattern == "random"
        self._mask = (1 << self.last.bit_length()) - 1
        self._step = size // align
        self._state = _BEGIN ^ seed
        self._place = 0

    def __next__(self) -> int:
        place = self._drawn() if self._random else self._following()
        return self.lba + self.align * place

    def _following(self):
        place, self._place = self._place, self._place + self._step
        if self._place > self.last:
            self._place = 0
        return place

    def _drawn(self):
        while True:
            self._state = _next(self._state)
            if (place := self._state & self._mask) <= self.last:
                return place
