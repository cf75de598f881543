# amaranth: UnusedElaboratable=no
"""The GTP (GTPE2_CHANNEL and GTPE2_COMMON of Artix-7 and small Zynq-7000) as a back end: options, pads, constraints."""

import re
from dataclasses import dataclass
from typing import ClassVar

from ....facts.units import DWORD_HZ, GENERATIONS
from ..back_end import BackEnd, Pin, option
from ..lanes import lane_name
from ..timing import Timing
from .clocking import REFERENCE_HZ
from .constraints import xdc
from .phy import GtpPhy
from .project import script
from .rates import mmcm, pll
from .serdes import WORD_NETS

__all__ = ["Gtp"]

_PART = re.compile(r"xc7[az]\d+\w*-[123]\w*")
_PAD = re.compile(r"[A-Z]{1,2}\d{1,2}")


@dataclass(frozen=True)
class Gtp(BackEnd):
    """Channels of a Quad of GTPs of the 7-series, at one generation, and the PLL of that Quad."""

    name: ClassVar[str] = "gtp"
    most_lanes = 4, "a Quad has four channels"

    generation: int = option("the generation of the link, 1, 2 or 3: 1.5, 3 or 6 Gb/s; a drive that has only slower "
                             "ones never links", 2)
    reference: str = option("`pads`: an oscillator is at the pads that the Quad has for its reference; `pll`: the "
                            "reference is made of the clock at `reference_clk` by an MMCM of its own, which UG482 "
                            "reserves for tests", "pads")
    reference_hz: float = option("frequency of the oscillator at the pads, or of `reference_clk`", REFERENCE_HZ)
    pads: str = option("package pins of sata_tx_p, sata_tx_n, sata_rx_p and sata_rx_n, of sata1_tx_p and so on where "
                       "there are several drives, and with `reference` = `pads` of sata_refclk_p and sata_refclk_n, "
                       "with commas; empty: they are not constrained", "")
    part: str = option("device with package and speed as Vivado names it, such as xc7a200tfbg484-3, for the project "
                       "script", "")
    tx_inverted: bool = option("the board swaps P and N of the pair to the drive, of all drives", False)
    rx_inverted: bool = option("the board swaps P and N of the pair from the drive, of all drives", False)
    dwell_us: float = option("microseconds of ALIGN after which the PHY answers with SYNC; 0: never before the drive "
                             "does", round(1e6 * Timing.dwell, 3))
    observed: bool = option("the PHY reports about itself, and has a loop-back test; else its status reads 0", True)

    def __post_init__(self):
        self._check_lanes()
        if self.generation not in GENERATIONS:
            raise ValueError(f"generation is {self.generation}, it must be 1, 2 or 3")
        if not 0 <= self.dwell_us <= 800:
            raise ValueError(f"dwell_us is {self.dwell_us:g}, it must be 0 to 800: ALIGN is awaited for 873 us in all")
        if self.reference not in ("pll", "pads"):
            raise ValueError(f"reference is {self.reference}, it must be pll or pads")
        if not self.reference_hz > 0:
            raise ValueError(f"reference_hz is {self.reference_hz:g}, it must be positive")
        if self.reference == "pads":
            pll(self.reference_hz)
        else:
            try:
                mmcm(self.reference_hz, [REFERENCE_HZ])
            except ValueError as error:
                raise ValueError(f"reference_hz is {self.reference_hz:g}: {error}") from None
        if self.pads:
            self._check_pads()
        if self.part and not _PART.fullmatch(self.part):
            raise ValueError(f"part is {self.part}, it must be an Artix-7 or Zynq-7000 with package and speed, such as "
                             "xc7a200tfbg484-3")
        if self.generation == 3 and re.search(r"-1\w*$", self.part):
            raise ValueError(f"part is {self.part}: speed grade -1 has no 6 Gb/s, generation = 3 needs -2 or -3")

    def _check_pads(self):
        names = [pin.name for pin in self.pins()]
        pads = self.pads.split(",")
        if len(pads) != len(names):
            raise ValueError(f"pads is {self.pads}, {len(pads)} pins; with reference = {self.reference} it must be "
                             f"{len(names)}: {', '.join(names)}")
        for pad in pads:
            if not _PAD.fullmatch(pad):
                raise ValueError(f"pads has {pad!r}, it must be a package pin such as B6")
            if pads.count(pad) > 1:
                raise ValueError(f"pads has {pad} more than once")

    @property
    def reference_clk_hz(self):
        return self.reference_hz if self.reference == "pll" else None

    @property
    def pll_reference_hz(self):
        """Frequency of what the PLL of the Quad gets."""
        return self.reference_hz if self.reference == "pads" else REFERENCE_HZ

    def check(self, clock_hz):
        least = DWORD_HZ[self.generation]
        if clock_hz < least:
            raise ValueError(f"clock_hz is {clock_hz:g}, at Gen{self.generation} it must be at least {least / 1e6:g}e6")

    def pins(self):
        found = self.lane_pins()
        if self.reference == "pads":
            frequency = f"{self.reference_hz / 1e6:g} MHz"
            found += (Pin("sata_refclk_p", "input", f"pad of the reference of {frequency}, P"),
                      Pin("sata_refclk_n", "input", f"pad of the reference of {frequency}, N"))
        return found

    def sites(self):
        """Name of each pin to its pad; none if ``pads`` is empty."""
        return dict(zip((pin.name for pin in self.pins()), self.pads.split(","), strict=True)) if self.pads else {}

    def phy(self, clock_hz, pads, **options):
        return GtpPhy(clock_hz, self, pads, **options)

    def clocks(self, path):
        return {f"{path}.{lane_name('serdes', lane)}.{net}": DWORD_HZ[self.generation]
                for lane in range(self.lanes) for net in WORD_NETS.values()}

    def derived(self, path):
        return {}

    def constraints(self, instance, clock_hz):
        return xdc(self, instance)

    def project(self, verilog, constraints):
        if not self.part:
            raise ValueError("part is empty, it must name the device as Vivado does, such as xc7a200tfbg484-3")
        return script(self.part, verilog, constraints)
