"""Sizes as people write them."""

import re
from fractions import Fraction

__all__ = ["NUMBER", "UNITS", "parse_bytes"]

#: Bytes of each unit; k, M, G, T are powers of 1000, Ki, Mi, Gi, Ti of 1024.
UNITS = {"B": 1, **{f"{letter}B": 1000 ** power for power, letter in enumerate("kMGT", 1)},
         **{f"{letter}iB": 1024 ** power for power, letter in enumerate("KMGT", 1)}}

NUMBER = r"([0-9]{1,1000}(?:\.[0-9]{1,12})?|\.[0-9]{1,12})"


def parse_bytes(text: str) -> Fraction:
    """Bytes of a text such as "256MiB" or "1.5 GB"; of a whole number without a unit, too.

    Raises ``ValueError`` with one line for anything else.
    """
    found = re.fullmatch(NUMBER + r"\s*(.*)", text.strip())
    number, unit = found.groups() if found else ("", "")
    if not found or (unit and unit not in UNITS) or (not unit and "." in number):
        raise ValueError(f"size {text!r}: must be a number of bytes with one of the units {', '.join(UNITS)}")
    return Fraction(number) * UNITS.get(unit, 1)
