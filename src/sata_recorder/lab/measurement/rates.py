"""Rates and sizes as people write them, and rates as the clock sees them."""

import re
from fractions import Fraction

from ...facts.sizes import NUMBER, UNITS
from ...facts.units import SECTOR_BYTES

#: Sectors that 48 bits can count.
MOST_SECTORS = 1 << 48

_POWERS = {letter: 1000 ** power for power, letter in enumerate(("", "k", "M", "G", "T"))}
#: "1.28Gbit/s"; and "80MS/s x 16bit" or "4 x 20MS/s x 12bit", samples of all channels one after the other.
_BITS = re.compile(NUMBER + r"\s*([kMGT]?)bit/s")
_SAMPLES = re.compile(r"(?:([0-9]{1,6})\s*[x*×]\s*)?" + NUMBER + r"\s*([kMGT]?)S/s\s*[x*×]\s*([0-9]{1,4})\s*bits?")
#: What may be meant as bits or as bytes.
_UNCLEAR = re.compile(r"([kKMGT]i?)?(b|bit|bits|Bit|Bits|bps)(/s)?")


def parse_rate(text: str) -> Fraction:
    """Bytes a second of a text such as "100MB/s", "95.4 MiB/s", "1.28Gbit/s", "80MS/s x 16bit" or, of four
    channels, "4 x 20MS/s x 12bit" without padding, as a ``Fraction``.

    Raises ``ValueError`` with one line for anything else, for what may be bits or bytes, and for 0.
    """
    if samples := _SAMPLES.fullmatch(text.strip()):
        channels, number, power, bits = samples.groups()
        rate = int(channels or 1) * Fraction(number) * _POWERS[power] * int(bits) / 8
    elif found := _BITS.fullmatch(text.strip()):
        rate = Fraction(found[1]) * _POWERS[found[2]] / 8
    else:
        rate = _bytes_a_second(text)
    if rate <= 0:
        raise ValueError(f"rate {text!r}: must be above 0")
    return rate


def _bytes_a_second(text: str) -> Fraction:
    found = re.fullmatch(NUMBER + r"\s*(.*)", text.strip())
    if not found:
        raise ValueError(f"rate {text!r}: must be a number and a unit, such as 100MB/s, 1.28Gbit/s or 80MS/s x 16bit")
    number, unit = found.groups()
    if _UNCLEAR.fullmatch(unit):
        raise ValueError(f"rate {text!r}: bits a second are written as in 1.28Gbit/s, bytes as in 100MB/s")
    name, slash, second = unit.partition("/")
    if name not in UNITS or (slash, second) != ("/", "s"):
        raise ValueError(f"rate {text!r}: the unit must be one of {', '.join(f'{name}/s' for name in UNITS)}, or bits "
                         "or samples as in 1.28Gbit/s, 80MS/s x 16bit or, of four channels, 4 x 20MS/s x 12bit")
    return Fraction(number) * UNITS[name]


def parse_frequency(text: str) -> Fraction:
    """Hertz of a text such as "100MHz", "61.44 MHz" or "1e8", as a ``Fraction``.

    Raises ``ValueError`` with one line for anything else, and for 0.
    """
    found = re.fullmatch(NUMBER + r"(?:e([0-9]{1,2}))?\s*(?:([kMG]?)Hz)?", text.strip())
    if not found:
        raise ValueError(f"frequency {text!r}: must be a number and a unit, such as 100MHz or 61.44MHz")
    number, exponent, power = found.groups()
    frequency = Fraction(number) * 10 ** int(exponent or 0) * _POWERS[power or ""]
    if frequency <= 0:
        raise ValueError(f"frequency {text!r}: must be above 0")
    return frequency


def parse_size(text: str) -> int:
    """Sectors of 512 bytes of a text: "8192" are sectors, "64MiB" and "1.5 GB" are bytes.

    Bytes are rounded up to whole sectors. Raises ``ValueError`` with one line for anything else,
    for 0 and for more than 2^48 sectors.
    """
    found = re.fullmatch(NUMBER + r"\s*(.*)", text.strip())
    number, unit = found.groups() if found else ("", "")
    if not found or (unit and unit not in UNITS) or (not unit and "." in number):
        raise ValueError(f"size {text!r}: must be a whole number of sectors, or bytes with one of "
                         f"the units {', '.join(UNITS)}")
    size = Fraction(number) * UNITS[unit] / SECTOR_BYTES if unit else int(number)
    if size <= 0:
        raise ValueError(f"size {text!r}: must be above 0")
    if size > MOST_SECTORS:
        raise ValueError(f"size {text!r}: must be at most 2^48 sectors of 512 bytes")
    return -(-size // 1)


def reason(error: ValueError, text: str) -> str:
    """What ``error`` of a parser here states about ``text``, without ``text``."""
    return str(error).partition(f"{text!r}: ")[2] or str(error)


def words_per_clock(bytes_per_second: Fraction | float, clock_hz: float) -> Fraction:
    """``bytes_per_second`` as words of 4 bytes a clock of ``clock_hz``: a ``Fraction`` of at most 1.

    The fraction differs from the exact ratio by less than 10^-6 of it. Raises ``ValueError`` for a
    rate above one word a clock, and for one below a word in 10^9 clocks.
    """
    exact = Fraction(bytes_per_second) / 4 / Fraction(clock_hz)
    if exact > 1:
        raise ValueError(f"rate {format_rate(bytes_per_second)}: the stream takes a word a clock, "
                         f"{format_rate(4 * clock_hz)} at {clock_hz / 1e6:g} MHz")
    if exact < Fraction(1, 10 ** 9):
        raise ValueError(f"rate {format_rate(bytes_per_second)}: must be at least "
                         f"{format_rate(4 * clock_hz / 10 ** 9)} at {clock_hz / 1e6:g} MHz")
    # The inverse is at least 1: its absolute error bounds the relative one.
    return 1 / (1 / exact).limit_denominator(10 ** 6)


def format_rate(bytes_per_second: Fraction | float) -> str:
    """``bytes_per_second`` as text with a fitting unit: "100 MB/s", "12.5 kB/s"."""
    for unit in ("GB", "MB", "kB"):
        if bytes_per_second >= UNITS[unit]:
            return f"{float(bytes_per_second) / UNITS[unit]:.6g} {unit}/s"
    return f"{float(bytes_per_second):.6g} B/s"


def exact_rate(bytes_per_second: Fraction | float, clock_hz: float) -> str:
    """``bytes_per_second`` in MB/s, with as many digits as it takes to get the same words a clock of ``clock_hz``
    again."""
    share = words_per_clock(bytes_per_second, clock_hz)
    megabytes = float(bytes_per_second) / UNITS["MB"]
    for digits in range(6, 17):
        text = f"{megabytes:.{digits}g}"
        if "e" not in text and 0 < words_per_clock(parse_rate(f"{text}MB/s"), clock_hz) == share:
            return text
    return f"{megabytes:.12f}"
