"""What the options, pads and constraints of the back ends for GTP and GTX have in common."""

import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ....facts.units import DWORD_HZ, GENERATIONS
from ..back_end import BackEnd, Pin, option
from ..lanes import lane_name
from ..timing import Timing
from .clocking import REFERENCE_HZ
from .constraints import xdc
from .project import script
from .rates import mmcm
from .serdes import WORD_NETS

__all__ = ["Series7BackEnd"]

_PAD = re.compile(r"[A-Z]{1,2}\d{1,2}")


@dataclass(frozen=True)
class Series7BackEnd(BackEnd):
    """Channels of a Quad of transceivers of the 7-series, at one generation."""

    most_lanes = 4, "a Quad has four channels"
    #: A device that has the transceiver, and which ones have it.
    example: ClassVar[str]
    devices: ClassVar[str]
    part_pattern: ClassVar[re.Pattern]
    #: The check of Vivado that complains of a reference from the fabric.
    reference_check: ClassVar[str]
    #: What the XDC file states about the clocks of the words.
    clock_comment: ClassVar[str]

    generation: int = option("the generation of the link, 1, 2 or 3: 1.5, 3 or 6 Gb/s; a drive that has only slower "
                             "ones never links", 2)
    reference: str = option("`pads`: an oscillator is at the pads that the Quad has for its reference; `pll`: the "
                            "reference is made of the clock at `reference_clk` by an MMCM of its own, which the "
                            "vendor's guide reserves for tests", "pads")
    reference_hz: float = option("frequency of the oscillator at the pads, or of `reference_clk`", REFERENCE_HZ)
    pads: str = option("package pins of sata_tx_p, sata_tx_n, sata_rx_p and sata_rx_n, of sata1_tx_p and so on where "
                       "there are several drives, and with `reference` = `pads` of sata_refclk_p and sata_refclk_n, "
                       "with commas; empty: they are not constrained", "")
    part: str = option("device with package and speed as Vivado names it, such as xc7a200tfbg484-3 (gtp) or "
                       "xc7k325tffg900-2 (gtx), for the project script", "")
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
            self._check_reference()
        else:
            try:
                mmcm(self.reference_hz, [REFERENCE_HZ])
            except ValueError as error:
                raise ValueError(f"reference_hz is {self.reference_hz:g}: {error}") from None
        if self.pads:
            self._check_pads()
        if self.part and not self.part_pattern.fullmatch(self.part):
            raise ValueError(f"part is {self.part}, it must be {self.devices} with package and speed, such as "
                             f"{self.example}")

    @abstractmethod
    def _check_reference(self):
        """``ValueError`` for a frequency at the pads that the transceiver's PLL cannot use."""

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
        """Frequency of what the PLL of the transceiver gets."""
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

    def clocks(self, path):
        return {f"{path}.{lane_name('serdes', lane)}.{net}": DWORD_HZ[self.generation]
                for lane in range(self.lanes) for net in WORD_NETS.values()}

    def derived(self, path):
        return {}

    @abstractmethod
    def lane_clocks(self, name, serdes):
        """Lines of an XDC file that make the clocks of a lane's words, for a SERDES at the path ``serdes``; and a name
        of each clock to the pin that drives it. What is named in the lines begins with ``name``."""

    def constraints(self, instance, clock_hz):
        return xdc(self, instance)

    def project(self, verilog, constraints):
        if not self.part:
            raise ValueError(f"part is empty, it must name the device as Vivado does, such as {self.example}")
        return script(self.part, verilog, constraints)
