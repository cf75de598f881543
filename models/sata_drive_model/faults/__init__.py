"""Faults as data, and what they do to the line, to frames, to FISes and to status."""

from .fault import FISES, IDENTITIES, KINDS, LEVELS, PRIMITIVES, SYMBOLS, Fault, kinds, level

__all__ = ["FISES", "IDENTITIES", "KINDS", "LEVELS", "PRIMITIVES", "SYMBOLS", "Fault", "kinds",
           "level"]
