"""The back end for the GTP of Xilinx' 7-series (Artix-7, small Zynq-7000)."""

from .back_end import Gtp
from .common import GtpCommon
from .phy import GtpPhy
from .serdes import GtpSerdes, word_domains

__all__ = ["Gtp", "GtpCommon", "GtpPhy", "GtpSerdes", "word_domains"]
