"""The sizes of a memory and of the FIFOs around it."""

from dataclasses import dataclass
from functools import cached_property

from ....interface.memory import MEMORY_ADDRESS_BITS
from ..word_ring import WordRing

__all__ = ["MemoryShape"]

_WORD_BITS, _WORD_BYTES = 32, 4
#: Limits of AXI4: beats of a burst, and bytes that a burst does not cross.
_BEATS, _BOUNDARY = 256, 4096


@dataclass(frozen=True)
class MemoryShape:
    """All that follows from how large the memory is, how wide its bus, and how deep the FIFOs.

    ``depth``: the words it holds, a multiple of twice ``fifo``: a place in a FIFO is a position in the memory without
    its highest bits. ``width``: bits of a beat. ``fifo``: words of each FIFO, a power of two. ``base``: address of the
    first byte. ``ValueError`` for another depth.
    """

    depth: int
    width: int = 64
    fifo: int = 4096
    base: int = 0

    def __post_init__(self) -> None:
        if self.depth % (2 * self.fifo):
            raise ValueError(f"a memory of {self.depth} words is no multiple of two FIFOs of {self.fifo}")

    @cached_property
    def ring(self) -> WordRing:
        """The places of its words."""
        return WordRing(self.depth)

    @property
    def lanes(self) -> int:
        """Words of a beat."""
        return self.width // _WORD_BITS

    @property
    def lane_bits(self) -> int:
        """Bits of the place of a word in its beat."""
        return self.lanes.bit_length() - 1

    @cached_property
    def burst(self) -> int:
        """Words of the longest burst: a quarter of the FIFO, within the limits of AXI4."""
        return min(self.fifo // 4, self.lanes * _BEATS, _BOUNDARY // _WORD_BYTES)

    @property
    def burst_bits(self) -> int:
        """Bits of the place of a word in such a burst."""
        return self.burst.bit_length() - 1

    def address(self, position):
        """Address of the beat of a word at ``position``."""
        words = position[self.lane_bits:self.ring.bits] << self.lane_bits
        return (self.base + (words << 2))[:MEMORY_ADDRESS_BITS]

    def last_beat(self, offset, words):
        """Number of the last beat of ``words`` words that begin ``offset`` words after an address that bursts do not
        cross."""
        last = offset + words - 1
        return (last[self.lane_bits:] - offset[self.lane_bits:])[:8]
