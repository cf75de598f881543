"""Frequencies: of the line and its words, of the GTP's PLL, of the general PLLs (MMCM)."""

from itertools import product

from ....facts.units import DWORD_HZ

__all__ = ["CHARACTER_HZ", "VCO_HZ", "mmcm", "pll", "word_hz"]

#: The oscillator of the GTP's PLL, at all generations: the line has 6 Gb/s, both edges of it, or that divided.
VCO_HZ = 3e9
#: Limits of the reference (Xilinx DS181, GTP: reference clock frequency range), in Hz.
_REFERENCE = 60e6, 660e6
#: Limits of an MMCM that all speed grades have (Xilinx DS181, MMCM), in Hz.
_MMCM_VCO, _MMCM_INPUT = (600e6, 1200e6), (10e6, 800e6)

#: Two raw characters, the width of the GTP's own datapath, by generation.
CHARACTER_HZ = {generation: 2 * hz for generation, hz in DWORD_HZ.items()}


def word_hz(generation):
    """The clock of words of four raw characters: one dword each."""
    return DWORD_HZ[generation]


def pll(reference_hz):
    """Dividers of the GTP's PLL for 3 GHz: (PLL0_FBDIV, PLL0_FBDIV_45, PLL0_REFCLK_DIV), or ``ValueError``.

    The oscillator runs at the reference times FBDIV times FBDIV_45, divided by REFCLK_DIV (UG482, PLL).
    """
    if not _REFERENCE[0] <= reference_hz <= _REFERENCE[1]:
        raise ValueError(f"reference_hz is {reference_hz:g}, it must be {_REFERENCE[0]:g} to {_REFERENCE[1]:g}")
    for divider, feedback_45, feedback in product((1, 2), (4, 5), (5, 4, 3, 2, 1)):
        if reference_hz * feedback * feedback_45 == VCO_HZ * divider:
            return feedback, feedback_45, divider
    raise ValueError(f"reference_hz is {reference_hz:g}: the GTP's PLL makes no 3 GHz of it; it does of 150e6, 200e6, "
                     "250e6 and 300e6")


def mmcm(input_hz, output_hz):
    """(multiplier, divider of the input, dividers of ``output_hz``) of an MMCM that makes all of them exactly, or
    ``ValueError``. The fastest oscillator has the least jitter."""
    if _MMCM_INPUT[0] <= input_hz <= _MMCM_INPUT[1]:
        for vco, divider, multiplier in sorted(
                (-input_hz * multiplier / divider, divider, multiplier)
                for divider, multiplier in product(range(1, 11), range(2, 65))):
            vco = -vco
            if _MMCM_VCO[0] <= vco <= _MMCM_VCO[1] and input_hz / divider >= _MMCM_INPUT[0] and all(
                    vco % hz == 0 and vco // hz <= 128 for hz in output_hz):
                return multiplier, divider, [int(vco // hz) for hz in output_hz]
    raise ValueError(f"no MMCM makes {', '.join(f'{hz:g}' for hz in output_hz)} Hz of {input_hz:g} Hz")
