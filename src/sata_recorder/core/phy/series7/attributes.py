"""Tables of the attributes and of the constant inputs of a cell."""

from dataclasses import dataclass

from amaranth.hdl import Const

__all__ = ["CellAttribute", "rows", "value", "zeros"]


@dataclass(frozen=True)
class CellAttribute:
    """``value`` is text, an integer, or of a width, as Verilog has it."""

    name: str
    value: str
    meaning: str
    source: str


def rows(source, text):
    """One attribute a line: name, value, meaning."""
    return [CellAttribute(*line.split(None, 2), source) for line in text.strip().splitlines()]


def value(text):
    """What ``Instance`` takes."""
    if text.startswith('"'):
        return text.strip('"')
    width, quote, digits = text.partition("'")
    return Const(int(digits[1:], {"b": 2, "h": 16}[digits[0]]), int(width)) if quote else int(text)


def zeros(text):
    """Ports at 0; ``NAME:4`` has 4 bits."""
    found = {}
    for word in text.split():
        name, _, width = word.partition(":")
        found[name] = Const(0, int(width or 1))
    return found
