"""The PLL of a Quad (the cell GTPE2_COMMON)."""

from amaranth.hdl import Const, Instance, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .attributes import common_attributes

__all__ = ["GtpCommon"]

#: The input to which a reference leads, by what selects it (PLL0REFCLKSEL).
_INPUTS = {0b001: "GTREFCLK0", 0b111: "GTGREFCLK0"}


class GtpCommon(wiring.Component):
    """The first PLL of a Quad, at 3 GHz; the second one has no power. A Quad has one such cell, for four lanes.

    Parameters
    ----------
    reference_hz : float
        Frequency of ``reference``; ``ValueError`` if the PLL makes no 3 GHz of it.
    selected : int
        The input of the cell that ``reference`` leads to, as PLL0REFCLKSEL has it.
    cell : ``Instance``, or what replaces it in a test

    Members
    -------
    reference : In(1)       The clock that the PLL multiplies.
    reset : In(1)           Asynchronous. The PLL starts over.
    locked : Out(1)         Asynchronous. The PLL is locked.
    clock : Out(1)          It leads to PLL0CLK of the lanes.
    refclk : Out(1)         It leads to PLL0REFCLK of the lanes.
    """

    def __init__(self, reference_hz, selected, *, cell=Instance):
        self._attributes = common_attributes(reference_hz, selected)
        self._selected = selected
        self._cell = cell
        super().__init__({"reference": In(1), "reset": In(1), "locked": Out(1), "clock": Out(1), "refclk": Out(1)})

    def elaborate(self, platform):
        m = Module()
        unused = {"GTREFCLK0", "GTREFCLK1", "GTGREFCLK0", "GTGREFCLK1", "GTEASTREFCLK0", "GTEASTREFCLK1",
                  "GTWESTREFCLK0", "GTWESTREFCLK1", "PLL1LOCKDETCLK", "PLL0LOCKDETCLK", "DRPCLK", "DRPEN", "DRPWE",
                  } - {_INPUTS[self._selected]}
        m.submodules.common = self._cell(
            "GTPE2_COMMON", **{f"p_{name}": value for name, value in self._attributes.items()},
            **{f"i_{name}": Const(0) for name in sorted(unused)},
            **{f"i_{_INPUTS[self._selected]}": self.reference},
            # Band gap and resistor calibration: as UG482 reserves them.
            i_BGBYPASSB=Const(1), i_BGMONITORENB=Const(1), i_BGPDB=Const(1), i_BGRCALOVRD=Const(0b11111, 5),
            i_BGRCALOVRDENB=Const(1), i_RCALENB=Const(1), i_PMARSVD=Const(0, 8), i_PLLRSVD1=Const(0, 16),
            i_PLLRSVD2=Const(0, 5), i_DRPADDR=Const(0, 8), i_DRPDI=Const(0, 16),
            i_PLL0PD=Const(0), i_PLL0LOCKEN=Const(1), i_PLL0REFCLKSEL=Const(self._selected, 3),
            i_PLL0RESET=self.reset, o_PLL0LOCK=self.locked, o_PLL0OUTCLK=self.clock, o_PLL0OUTREFCLK=self.refclk,
            i_PLL1PD=Const(1), i_PLL1LOCKEN=Const(0), i_PLL1REFCLKSEL=Const(0b001, 3), i_PLL1RESET=Const(1))
        return m
