# amaranth: UnusedElaboratable=no
"""The GTX (GTXE2_CHANNEL of Kintex-7, some of Virtex-7, large Zynq-7000) as a back end: options, pads, constraints."""

import re
from dataclasses import dataclass
from typing import ClassVar

from ..series7.back_end import Series7BackEnd
from ..series7.rates import word_hz
from .phy import GtxPhy
from .rates import cpll, oob_clock_hz

__all__ = ["Gtx"]


@dataclass(frozen=True)
class Gtx(Series7BackEnd):
    """Channels of a Quad of GTXs of the 7-series, at one generation, each with its own PLL."""

    name: ClassVar[str] = "gtx"
    example: ClassVar[str] = "xc7k325tffg900-2"
    devices: ClassVar[str] = "a Kintex-7, Virtex-7 or Zynq-7000 with GTX"
    part_pattern: ClassVar[re.Pattern] = re.compile(
        r"xc7(k\d+t|v585t|v2000t|vx485t|z030|z035|z045|z100)[a-z]\w*-[123]\w*")
    reference_check: ClassVar[str] = "REQP-52"
    clock_comment: ClassVar[str] = "# Clocks of words of 40 bits: to the drive and from it."

    def _check_reference(self):
        cpll(self.reference_hz)
        oob_clock_hz(self.generation, self.reference_hz)

    def lane_clocks(self, name, serdes):
        period = 1e9 / word_hz(self.generation)
        lines = [f"create_clock -name {name}_{way}outclk -period {period:.3f} [get_pins {serdes}/channel/{pin}]"
                 for way, pin in (("tx", "TXOUTCLK"), ("rx", "RXOUTCLK"))]
        return lines, {way: f"{serdes}/{way}_buffer/O" for way in ("tx", "rx")}

    def phy(self, clock_hz, pads, **options):
        return GtxPhy(clock_hz, self, pads, **options)
