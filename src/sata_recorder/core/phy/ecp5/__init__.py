"""The back end for the SERDES of Lattice's ECP5 (LFE5UM5G)."""

from .back_end import Ecp5
from .phy import Ecp5Phy
from .pll import Pll
from .reference import REFERENCE_HZ, REFERENCE_NET, PadReference, PllReference
from .resets import ResetTimes
from .serdes import WORD_HZ, WORD_NETS, Ecp5Serdes, word_domains

__all__ = ["Ecp5", "Ecp5Phy", "Ecp5Serdes", "PadReference", "Pll", "PllReference", "REFERENCE_HZ",
           "REFERENCE_NET", "ResetTimes", "WORD_HZ", "WORD_NETS", "word_domains"]
