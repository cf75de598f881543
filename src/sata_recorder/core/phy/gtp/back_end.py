# amaranth: UnusedElaboratable=no
"""The GTP (GTPE2_CHANNEL and GTPE2_COMMON of Artix-7 and small Zynq-7000) as a back end: options, pads, constraints."""

import re
from dataclasses import dataclass
from typing import ClassVar

from ..series7.back_end import Series7BackEnd
from .phy import GtpPhy
from .rates import CHARACTER_HZ, pll

__all__ = ["Gtp"]


@dataclass(frozen=True)
class Gtp(Series7BackEnd):
    """Channels of a Quad of GTPs of the 7-series, at one generation, and the PLL of that Quad."""

    name: ClassVar[str] = "gtp"
    example: ClassVar[str] = "xc7a200tfbg484-3"
    devices: ClassVar[str] = "an Artix-7 or Zynq-7000"
    part_pattern: ClassVar[re.Pattern] = re.compile(r"xc7[az]\d+\w*-[123]\w*")
    reference_check: ClassVar[str] = "REQP-49"
    clock_comment: ClassVar[str] = (
        "# Clocks of words of 20 bits: to the drive and from it. Vivado derives those of the MMCM; every\n"
        "# second pulse of the other one is a clock that it cannot derive.")

    def __post_init__(self):
        super().__post_init__()
        if self.generation == 3 and re.search(r"-1\w*$", self.part):
            raise ValueError(f"part is {self.part}: speed grade -1 has no 6 Gb/s, generation = 3 needs -2 or -3")

    def _check_reference(self):
        pll(self.reference_hz)

    def lane_clocks(self, name, serdes):
        period = 1e9 / CHARACTER_HZ[self.generation]
        lines = [f"create_clock -name {name}_{way}outclk -period {period:.3f} [get_pins {serdes}/channel/{pin}]"
                 for way, pin in (("tx", "TXOUTCLK"), ("rx", "RXOUTCLK"))]
        lines.append(f"create_generated_clock -name {name}_rx -edges {{1 2 5}} -source "
                     f"[get_pins {serdes}/rx_clocking/second/I] [get_pins {serdes}/rx_clocking/second/O]")
        return lines, {"tx": f"{serdes}/tx_clocking/buffer_1/O", "rx": f"{serdes}/rx_clocking/second/O",
                       "rxusr": f"{serdes}/rx_clocking/all/O"}

    def phy(self, clock_hz, pads, **options):
        return GtpPhy(clock_hz, self, pads, **options)
