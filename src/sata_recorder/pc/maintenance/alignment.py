"""Physical sectors that are longer than logical ones (ATA8-ACS, IDENTIFY DEVICE words 106 and 209)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

__all__ = ["Alignment", "logical_blocks"]

#: Most sectors in a physical one: a word that states more than 64 KiB counts as one that states nothing.
_MOST = 128


def logical_blocks(words: Sequence[int]) -> int:
    """The sectors of 512 bytes in a logical one, by IDENTIFY DEVICE ``words`` 106, 117 and 118; 1 if
    they state nothing, or no valid value."""
    size, long = words[106], words[117] | words[118] << 16
    told = size >> 14 == 0b01 and size >> 12 & 1 and long >= 256 and long % 256 == 0
    return long // 256 if told else 1


@dataclass(frozen=True)
class Alignment:
    """``sectors`` of 512 bytes are a physical one; ``offset``: sector 0 is this many after the
    beginning of its physical sector. Raises ``ValueError`` for what no drive can have."""

    sectors: int = 1
    offset: int = 0

    def __post_init__(self):
        if not 1 <= self.sectors <= _MOST or self.sectors & (self.sectors - 1):
            raise ValueError(f"physical sector of {self.sectors} ones of 512 bytes: must be a power of two "
                             f"up to {_MOST}")
        if not 0 <= self.offset < self.sectors:
            raise ValueError(f"alignment offset {self.offset}: must be below {self.sectors}")

    @classmethod
    def of(cls, words: Sequence[int], *, sectors: int | None = None) -> Self:
        """What IDENTIFY DEVICE ``words`` state; ``sectors`` for a drive that lies about itself. Words
        that state nothing mean one sector."""
        size, place = words[106], words[209]
        blocks = logical_blocks(words)
        told = blocks << (size & 0xF) if size >> 14 == 0b01 and size >> 13 & 1 else blocks
        if sectors is None:
            sectors = told if told <= _MOST else blocks
        offset = blocks * (place & 0x3FFF) if place >> 14 == 0b01 else 0
        return cls(sectors, offset if offset < sectors else 0)

    def splits(self, lba: int, sectors: int) -> bool:
        """Whether the extent begins or ends within a physical sector, so that the drive has to read it
        before it can write it."""
        return any((at + self.offset) % self.sectors for at in (lba, lba + sectors))

    def within(self, lba: int, sectors: int) -> tuple[int, int]:
        """The longest extent (LBA, sectors) in this one that splits no physical sector."""
        first = lba + -(lba + self.offset) % self.sectors
        end = lba + sectors - (lba + sectors + self.offset) % self.sectors
        return (first, end - first) if end > first else (first, 0)
