"""The back end for the GTX of Xilinx' 7-series (Kintex-7, some of Virtex-7, large Zynq-7000)."""

from .back_end import Gtx
from .phy import GtxPhy
from .serdes import GtxSerdes, raw_word_domains

__all__ = ["Gtx", "GtxPhy", "GtxSerdes", "raw_word_domains"]
