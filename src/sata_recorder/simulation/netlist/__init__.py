"""A core as plain C++: its netlist, what is computed where, and the text.

CXXRTL takes every design and evaluates all of it. Here one clock and one edge are assumed, and at most one other clock,
that of a source, whose edges lie between those of the first. So a
register is written where it changes and logic that one arm of a multiplexer needs stays in it.
"""

from .design import Netlist, UnknownCell
from .fast_path import fast_path_text
from .text import text

__all__ = ["Netlist", "UnknownCell", "fast_path_text", "text"]
