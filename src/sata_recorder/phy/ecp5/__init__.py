"""The back end for the SERDES of Lattice's ECP5 (LFE5UM5G)."""

from .pll import Pll
from .resets import ResetTimes
from .serdes import REFERENCE_HZ, WORD_HZ, Ecp5Serdes, word_domains

__all__ = ["Ecp5Serdes", "Pll", "REFERENCE_HZ", "ResetTimes", "WORD_HZ", "word_domains"]
