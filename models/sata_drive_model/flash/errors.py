"""Bit errors of flash by wear and by time at rest: named laws, which contradict each other, and error correction.

What is published fixes two ends: new flash, and flash at its rated erases after a year at rest, where the standard
wants it readable (JESD218, client drives: an uncorrectable bit in 10**15, a year at 30 degrees). The laws differ in
what lies between, and beyond. None of them is the law of a drive.
"""

import math
from typing import Any, NamedTuple

from .parameters import Physical

_YEAR = 365.25 * 86400
#: Boltzmann's constant in eV a kelvin, and the activation energy that JESD218's own times at temperatures follow.
_BOLTZMANN, _ACTIVATION = 8.617333e-5, 1.1
_ROOM = 30 + 273.15
#: Uncorrectable bits of all that are read: JESD218 for client drives.
UNCORRECTABLE = 1e-15


class Law(NamedTuple):
    """A law: what it is called, who has published it, and for which flash and range."""

    name: str
    source: str
    holds: str


#: How errors grow with erases, between new flash and flash at its rated erases.
WEAR_LAWS = {
    "field": Law("field", "Schroeder, Lagisetty and Merchant, FAST 2016",
                 "far slower than exponential, here in proportion; drives in use over six years, MLC and SLC"),
    "exponential": Law("exponential", "Fusion-io, as commonly assumed", "exponential in erases; 3x to 5x nm"),
    "power": Law("power", "Hetzler, smorgastor.drhetzler.com, 2012 and 2014",
                 "near a power of erases, here the third: the exponent is not published; 3x nm MLC, up to 12,000")}
#: How they grow at rest.
REST_LAWS = {
    "exponential": Law("exponential", "SSD blog, 2010",
                       "a factor for each span of time; 63 to 72 nm, new and after 1.5 years: two points fit any law"),
    "power": Law("power", "Hetzler, smorgastor.drhetzler.com, 2012",
                 "a power of the age, here of hours; 3x nm MLC up to 175 hours, longer ages extrapolated")}
#: The logarithm of the largest factor.
_MOST = 100.0
#: The exponent of "power" by wear.
_EXPONENT = 3


def worn(law: str, cycles: float, fresh: float, rated_cycles: float, at_rated: float) -> float:
    """Raw bit error rate just after writing, after so many erases: ``fresh`` after none, ``at_rated`` after
    ``rated_cycles``."""
    share = cycles / rated_cycles
    if law == "field":
        found = fresh + (at_rated - fresh) * share
    elif law == "exponential":
        found = fresh * (at_rated / fresh) ** share
    else:
        found = fresh + (at_rated - fresh) * share ** _EXPONENT
    return min(found, 0.5)


def rested(law: str, seconds: float, year_factor: float, celsius: float = 30.0) -> float:
    """How many times more errors there are after ``seconds`` at rest at ``celsius``; ``year_factor`` after a year at
    30 degrees. Time counts by Arrhenius' law with 1.1 eV, which Hetzler has found to exaggerate heat."""
    kelvin = celsius + 273.15
    years = seconds / _YEAR * math.exp(_ACTIVATION / _BOLTZMANN * (1 / _ROOM - 1 / kelvin))
    if law == "exponential":
        return math.exp(min(years * math.log(year_factor), _MOST))
    hours = 24 * 365.25
    return (1 + years * hours) ** (math.log(year_factor) / math.log(1 + hours))


def uncorrectable(rate: float, codeword_bits: int, corrected: int) -> float:
    """The probability that a codeword of ``codeword_bits`` has more than ``corrected`` errors, each bit for itself;
    real errors clump, so that it is more (Taranalli, Uchikawa and Siegel, arXiv 1602.07743)."""
    if rate <= 0:
        return 0.0
    if rate >= 0.5:
        return 1.0
    mean = codeword_bits * rate
    odds = math.log(rate) - math.log1p(-rate)
    term = codeword_bits * math.log1p(-rate)
    terms = []
    for errors in range(codeword_bits + 1):
        if errors > corrected:
            terms.append(term)
            if errors > mean and term < terms[0] - 60 and len(terms) > 60:
                break
        term += odds + math.log((codeword_bits - errors) / (errors + 1)) if errors < codeword_bits else 0
    most = max(terms, default=-math.inf)
    return min(1.0, math.exp(most) * sum(math.exp(one - most) for one in terms)) if terms else 0.0


def limit(codeword_bytes: int, corrected: int, target: float = UNCORRECTABLE) -> float:
    """The raw bit error rate at which one bit of ``1 / target`` is in a codeword that cannot be corrected. A codeword
    has parity of BCH on top of its data."""
    bits = codeword_size(codeword_bytes, corrected)
    low, high = 1e-12, 0.1
    for _ in range(60):
        middle = math.sqrt(low * high)
        if uncorrectable(middle, bits, corrected) / bits < target:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)


def codeword_size(codeword_bytes: int, corrected: int) -> int:
    """Bits of a codeword of a BCH code: its data, and as many bits of parity for each bit corrected as its length
    needs."""
    data = 8 * codeword_bytes
    width = math.ceil(math.log2(data + 1))
    while data + width * corrected >= 1 << width:
        width += 1
    return data + width * corrected


def shown_exponent(rate: float) -> int:
    """The "read error rate" that an Indilinx Barefoot shows of so many raw errors a bit: the whole part of -log10."""
    return math.floor(-math.log10(rate))


class RestOutlook(NamedTuple):
    """What can be read after a rest, by two laws: the bit error rate, and the share of codewords that cannot be
    corrected."""

    wear_law: str
    rest_law: str
    bit_error_rate: float
    unreadable: float


def outlooks(physical: Physical, cycles: float, seconds: float, celsius: float = 30.0) -> list:
    """A :class:`RestOutlook` by each pair of laws; raises ``ValueError`` with what is not known of the drive."""
    missing = missing_for_rest(physical)
    if missing:
        raise ValueError(", ".join(missing))
    # All of it is known.
    errors: Any = physical.errors
    rated_cycles: Any = physical.rated_cycles
    bits = codeword_size(errors.codeword_bytes, errors.codeword_bits)
    at_rated = limit(errors.codeword_bytes, errors.codeword_bits) / errors.rest_year
    found = []
    for wear in WEAR_LAWS:
        base = worn(wear, cycles, errors.fresh, rated_cycles, at_rated)
        for rest in REST_LAWS:
            rate = min(0.5, base * rested(rest, seconds, errors.rest_year, celsius))
            found.append(RestOutlook(wear, rest, rate, uncorrectable(rate, bits, errors.codeword_bits)))
    return found


def missing_for_rest(physical: Physical) -> list:
    """The parameters without which nobody can tell what can be read after a rest."""
    errors = physical.errors
    return [f"physical.{name}" for name, value in (
        ("rated_cycles", physical.rated_cycles), ("errors.fresh", errors.fresh),
        ("errors.rest_year", errors.rest_year), ("errors.codeword_bytes", errors.codeword_bytes),
        ("errors.codeword_bits", errors.codeword_bits)) if value is None]
