"""Frequencies: of the line and its words, of the general PLLs (MMCM)."""

from itertools import product

from ....facts.units import DWORD_HZ

__all__ = ["DIVIDERS", "VCO_HZ", "mmcm", "ratio", "word_hz"]

#: The oscillator of the transceiver's PLL, at all generations: the line has 6 Gb/s, both edges of it, or that divided.
VCO_HZ = 3e9
#: By how much the clock of the PLL is divided, by generation.
DIVIDERS = {1: 4, 2: 2, 3: 1}
#: Limits of an MMCM that all speed grades have (Xilinx DS181, DS182: MMCM), in Hz.
_MMCM_VCO, _MMCM_INPUT = (600e6, 1200e6), (10e6, 800e6)


def word_hz(generation):
    """The clock of words of four raw characters: one dword each."""
    return DWORD_HZ[generation]


def ratio(reference_hz):
    """Dividers of the transceiver's PLL for 3 GHz: (FBDIV, FBDIV_45, REFCLK_DIV), or None.

    The oscillator runs at the reference times FBDIV times FBDIV_45, divided by REFCLK_DIV (UG482, PLL; UG476, CPLL).
    """
    for divider, feedback_45, feedback in product((1, 2), (4, 5), (5, 4, 3, 2, 1)):
        if reference_hz * feedback * feedback_45 == VCO_HZ * divider:
            return feedback, feedback_45, divider
    return None


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
