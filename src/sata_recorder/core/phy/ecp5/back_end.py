# amaranth: UnusedElaboratable=no
"""The ECP5 (LFE5UM5G) as a back end: options, pads, constraints."""

from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar

from ....facts.units import DWORD_HZ
from ..back_end import BackEnd, Pin, option
from ..lanes import lane_name
from ..timing import Timing
from .constraints import preferences
from .pads import REFERENCES, lane
from .parameters import LOS_LEVEL
from .phy import Ecp5Phy
from .pll import plan
from .reference import REFERENCE_HZ, REFERENCE_NET
from .serdes import WORD_HZ, WORD_NETS

__all__ = ["Ecp5"]

_OSCILLATOR_HZ = 100e6


@dataclass(frozen=True)
class Ecp5(BackEnd):
    """One channel of each of the DCUs of an LFE5UM5G, Gen2."""

    name: ClassVar[str] = "ecp5"
    most_lanes = 2, "the largest device has two DCUs, and one drive takes one of them"

    dual: int = option("which DCU, 0 or 1; a second drive has the other one", 0)
    channel: int = option("which half of it, 0 or 1", 0)
    package: str = option("package of the device, for the places of the pads; empty: they are not "
                          "constrained", "")
    reference: str = option("`pll`: the reference is made of the clock at `reference_clk` by a PLL "
                            "of its own; `pads`: an oscillator of 150 MHz is at the pads that the "
                            "DCU has for it", "pll")
    reference_hz: float = option("frequency of `reference_clk`, with `pll`", _OSCILLATOR_HZ)
    tx_inverted: bool = option("the board swaps P and N of the pair to the drive", False)
    rx_inverted: bool = option("the board swaps P and N of the pair from the drive", False)
    select_dual: bool = option("the registers are selected with the dual's own select lines, too; "
                               "reported to be needed for DCU 1", False)
    los_level: int = option("threshold of the signal detector, 0 to 7; 0 and 1 may take noise for a signal", LOS_LEVEL)
    dwell_us: float = option("microseconds of ALIGN after which the PHY answers with SYNC; 0: never before the drive "
                             "does", round(1e6 * Timing.dwell, 3))
    observed: bool = option("the PHY reports about itself, and has a loop-back test; else its status "
                            "reads 0", True)

    def __post_init__(self):
        self._check_lanes()
        for name, value in ("dual", self.dual), ("channel", self.channel):
            if value not in (0, 1):
                raise ValueError(f"{name} is {value}, it must be 0 or 1")
        if not 0 <= self.los_level <= 7:
            raise ValueError(f"los_level is {self.los_level}, it must be 0 to 7")
        if not 0 <= self.dwell_us <= 800:
            raise ValueError(f"dwell_us is {self.dwell_us:g}, it must be 0 to 800: ALIGN is awaited for 873 us in all")
        if self.reference not in ("pll", "pads"):
            raise ValueError(f"reference is {self.reference}, it must be pll or pads")
        if self.reference == "pll":
            if not self.reference_hz > 0:
                raise ValueError(f"reference_hz is {self.reference_hz:g}, it must be positive")
            try:
                plan(self.reference_hz, [REFERENCE_HZ])
            except ValueError as error:
                raise ValueError(f"reference_hz is {self.reference_hz:g}: {error}") from None
        elif self.reference_hz not in (_OSCILLATOR_HZ, REFERENCE_HZ):
            raise ValueError(f"reference_hz is {self.reference_hz:g}, with reference = pads it is "
                             f"{REFERENCE_HZ:g}: the DCU multiplies it by 20")
        if self.package:
            for one in self.each_lane():
                lane(self.package, one.dual, one.channel)
            if self.reference == "pads" and self.package not in REFERENCES:
                raise ValueError(f"package is {self.package}: the pads of its references are not "
                                 f"known here, only those of {', '.join(REFERENCES)}")

    @property
    def reference_clk_hz(self):
        return self.reference_hz if self.reference == "pll" else None

    def check(self, clock_hz):
        if clock_hz < DWORD_HZ[2]:
            raise ValueError(f"clock_hz is {clock_hz:g}, at Gen2 it must be at least "
                             f"{DWORD_HZ[2] / 1e6:g}e6")

    def each_lane(self):
        """The back end of each drive alone."""
        return [replace(self, lanes=1, package="", dual=(self.dual + number) % 2) for number in range(self.lanes)]

    def pins(self):
        found = self.lane_pins()
        if self.reference == "pads":
            found += tuple(Pin(f"{lane_name('sata', number)}_refclk_{pole}", "input",
                               f"pad of the reference of 150 MHz, {pole.upper()}")
                           for number in range(self.lanes) for pole in "pn")
        return found

    def sites(self):
        """Name of each pin to its pad; none without a package."""
        if not self.package:
            return {}
        pads = [lane(self.package, one.dual, one.channel) for one in self.each_lane()]
        if self.reference == "pads":
            pads += [REFERENCES[self.package][one.dual] for one in self.each_lane()]
        return dict(zip((pin.name for pin in self.pins()), chain(*pads), strict=True))

    def phy(self, clock_hz, pads, **options):
        return Ecp5Phy(clock_hz, self, pads, **options)

    def clocks(self, path):
        return {f"{path}.{lane_name('serdes', number)}.{net}": WORD_HZ
                for number in range(self.lanes) for net in WORD_NETS.values()}

    def derived(self, path):
        if self.reference == "pads":
            return {}
        return {f"{path}.{lane_name('clocking', number)}.{REFERENCE_NET}": REFERENCE_HZ for number in range(self.lanes)}

    def constraints(self, instance, clock_hz):
        return preferences(self, instance, clock_hz)
