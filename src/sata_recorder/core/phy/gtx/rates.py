"""Frequencies of the GTX: of its channel's PLL, and of the circuit that recognises OOB signals."""

from ..series7.rates import ratio

__all__ = ["cpll", "oob_clock_hz"]

#: Limits of the reference that all speed grades have (Xilinx DS182, GTX: reference clock frequency range), in Hz.
_REFERENCE = 60e6, 670e6
#: The fastest clock of the OOB circuit, by generation, in Hz: the line rate / (3 x run length), as UG482 (page 134) has
#: it for the GTP's.
_OOB_CLOCK = {1: 100e6, 2: 200e6, 3: 400e6}


def cpll(reference_hz):
    """Dividers of the CPLL for 3 GHz: (CPLL_FBDIV, CPLL_FBDIV_45, CPLL_REFCLK_DIV), or ``ValueError``."""
    if not _REFERENCE[0] <= reference_hz <= _REFERENCE[1]:
        raise ValueError(f"reference_hz is {reference_hz:g}, it must be {_REFERENCE[0]:g} to {_REFERENCE[1]:g}")
    found = ratio(reference_hz)
    if found is None:
        raise ValueError(f"reference_hz is {reference_hz:g}: the GTX's PLL makes no 3 GHz of it; it does of others, "
                         "such as 120e6, 150e6, 200e6, 250e6 and 300e6")
    return found


def oob_clock_hz(generation, reference_hz):
    """The clock of the OOB circuit: the reference, or half of it where that is too fast; else ``ValueError``."""
    for clock_hz in reference_hz, reference_hz / 2:
        if clock_hz <= _OOB_CLOCK[generation]:
            return clock_hz
    raise ValueError(f"reference_hz is {reference_hz:g}: the circuit that recognises OOB signals takes half of it, and "
                     f"at Gen{generation} at most {_OOB_CLOCK[generation]:g}")
