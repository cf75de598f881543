"""Clocks out of the ECP5's general PLL."""

from itertools import product

from amaranth.hdl import Instance, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Pll", "plan"]

#: Limits in Hz (Lattice FPGA-DS-02012, ECP5 family data sheet, sysCLOCK PLL timing).
_COMPARED = 10e6, 400e6
_VCO = 400e6, 800e6


def plan(input_hz, output_hz):
    """Dividers of a PLL: (of the input, of the feedback, one for each of ``output_hz``).

    The first output is the feedback's. All are met exactly, or ``ValueError``.
    """
    first, *others = output_hz
    for divider, multiplier in product(range(1, 129), range(1, 81)):
        compared = input_hz / divider
        if not _COMPARED[0] <= compared <= _COMPARED[1] or compared * multiplier != first:
            continue
        # The fastest oscillator has the least jitter.
        for last in range(128, 0, -1):
            vco = first * last
            if _VCO[0] <= vco <= _VCO[1] and all(vco % hz == 0 and vco // hz <= 128
                                                 for hz in others):
                return divider, multiplier, [last, *(int(vco // hz) for hz in others)]
    raise ValueError(f"no PLL makes {', '.join(f'{hz:g}' for hz in output_hz)} Hz of {input_hz:g} "
                     f"Hz")


class Pll(wiring.Component):
    """Multiplies a clock, with the cell EHXPLLL.

    Parameters
    ----------
    input_hz : float
        Frequency of ``input``.
    output_hz : list of float
        Frequencies of ``outputs``, one to four; ``ValueError`` if they cannot all be made exactly.
    cell : ``Instance``, or what replaces it in a test

    Members
    -------
    input : In(1)
        This clock is multiplied.
    outputs : Out(len(output_hz))
        These are the clocks, the first one in bit 0.
    locked : Out(1)
        Asynchronous. The outputs have their frequencies.
    """

    def __init__(self, input_hz, output_hz, *, cell=Instance):
        self._dividers = plan(input_hz, output_hz)
        self._cell = cell
        super().__init__({"input": In(1), "outputs": Out(len(output_hz)), "locked": Out(1)})

    def elaborate(self, platform):
        m = Module()
        divider, multiplier, outputs = self._dividers
        links = {}
        for number, (name, value) in enumerate(zip(("CLKOP", "CLKOS", "CLKOS2", "CLKOS3"),
                                                   outputs)):
            links |= {f"p_{name}_ENABLE": "ENABLED", f"p_{name}_DIV": value,
                      f"p_{name}_CPHASE": value - 1, f"p_{name}_FPHASE": 0,
                      f"o_{name}": self.outputs[number]}
        m.submodules.pll = self._cell(
            "EHXPLLL",
            p_CLKI_DIV=divider, p_CLKFB_DIV=multiplier, p_FEEDBK_PATH="CLKOP",
            p_PLLRST_ENA="DISABLED", p_INTFB_WAKE="DISABLED", p_STDBY_ENABLE="DISABLED",
            p_DPHASE_SOURCE="DISABLED", p_OUTDIVIDER_MUXA="DIVA", p_OUTDIVIDER_MUXB="DIVB",
            p_OUTDIVIDER_MUXC="DIVC", p_OUTDIVIDER_MUXD="DIVD",
            # As Project Trellis' ecppll sets the analog part for all frequencies.
            a_ICP_CURRENT="12", a_LPF_RESISTOR="8", a_MFG_ENABLE_FILTEROPAMP="1",
            a_MFG_GMCREF_SEL="2",
            i_CLKI=self.input, i_CLKFB=self.outputs[0], i_RST=0, i_STDBY=0, i_PLLWAKESYNC=0,
            i_PHASESEL0=0, i_PHASESEL1=0, i_PHASEDIR=0, i_PHASESTEP=0, i_PHASELOADREG=0,
            i_ENCLKOP=0, i_ENCLKOS=0, i_ENCLKOS2=0, i_ENCLKOS3=0,
            o_LOCK=self.locked, **links)
        return m
