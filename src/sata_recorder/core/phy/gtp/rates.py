"""Frequencies of the GTP: of its own datapath, and of its PLL."""

from ....facts.units import DWORD_HZ
from ..series7.rates import ratio

__all__ = ["CHARACTER_HZ", "pll"]

#: Limits of the reference (Xilinx DS181, GTP: reference clock frequency range), in Hz.
_REFERENCE = 60e6, 660e6

#: Two raw characters, the width of the GTP's own datapath, by generation.
CHARACTER_HZ = {generation: 2 * hz for generation, hz in DWORD_HZ.items()}


def pll(reference_hz):
    """Dividers of the GTP's PLL for 3 GHz: (PLL0_FBDIV, PLL0_FBDIV_45, PLL0_REFCLK_DIV), or ``ValueError``."""
    if not _REFERENCE[0] <= reference_hz <= _REFERENCE[1]:
        raise ValueError(f"reference_hz is {reference_hz:g}, it must be {_REFERENCE[0]:g} to {_REFERENCE[1]:g}")
    found = ratio(reference_hz)
    if found is None:
        raise ValueError(f"reference_hz is {reference_hz:g}: the GTP's PLL makes no 3 GHz of it; it does of others, "
                         "such as 120e6, 150e6, 200e6, 250e6 and 300e6")
    return found
