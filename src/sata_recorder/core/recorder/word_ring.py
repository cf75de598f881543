"""Places in a memory that is filled round and round."""

from dataclasses import dataclass

from amaranth.hdl import Cat, Mux

__all__ = ["WordRing"]


@dataclass(frozen=True)
class WordRing:
    """Positions of words in a memory of ``depth`` words.

    A position is an address and, in its highest bit, the parity of the rounds before it: a full memory is not an
    empty one.
    """

    depth: int

    @property
    def bits(self):
        """Bits of an address."""
        return (self.depth - 1).bit_length()

    @property
    def positions(self):
        """The shape of a position."""
        return range(2 << self.bits)

    def after(self, position, words):
        """The position ``words`` after another one; they may reach the end of the memory, but not go beyond it."""
        if self.depth == 1 << self.bits:
            return (position + words)[:self.bits + 1]
        address = position[:self.bits] + words
        ends = address == self.depth
        return Cat(Mux(ends, 0, address)[:self.bits], position[-1] ^ ends)

    def words(self, first, last):
        """Words from the position ``first`` to ``last``."""
        if self.depth == 1 << self.bits:
            return (last - first)[:self.bits + 1]
        round_ = Mux(first[-1] ^ last[-1], self.depth, 0)
        return (last[:self.bits] - first[:self.bits] + round_)[:self.bits + 1]
