"""The back end for the GTP of Xilinx' 7-series (Artix-7, small Zynq-7000)."""

from .back_end import Gtp
from .clocking import HalfClock, Mmcm, MmcmReference, QuadReference
from .common import GtpCommon
from .constraints import clock_constraints
from .phy import GtpPhy
from .project import script
from .resets import GtpResetTimes
from .serdes import WORD_NETS, GtpSerdes, word_domains

__all__ = ["Gtp", "GtpCommon", "GtpPhy", "GtpResetTimes", "GtpSerdes", "HalfClock", "Mmcm", "MmcmReference",
           "QuadReference", "WORD_NETS", "clock_constraints", "script", "word_domains"]
