"""ATA Security: a drive that is locked takes no command for its data (ATA8-ACS, IDENTIFY DEVICE word 128)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

__all__ = ["LOCKED", "Security"]

#: What is printed about a drive that is locked.
LOCKED = "the drive is locked by ATA Security, and refuses each read and write until it gets its password"


@dataclass(frozen=True)
class Security:
    """Whether the drive has the feature set, ``there``; a password is set, ``enabled``; it is ``locked`` now;
    it takes no command of this feature set until its next loss of power, ``frozen``."""

    there: bool = False
    enabled: bool = False
    locked: bool = False
    frozen: bool = False

    @classmethod
    def of(cls, words: Sequence[int]) -> Self:
        """What IDENTIFY DEVICE ``words`` state; word 128 counts if its bit 0 states that the set is there."""
        word = words[128]
        return cls(*(bool(word >> bit & 1) for bit in range(4))) if word & 1 else cls()
