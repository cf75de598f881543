"""What comes between two data commands of a recording: one interjection a file, one arbiter."""

from .arbiter import TABLE, Between, interjections
from .interjection import Booked, GapView, InterjectedCommand, Interjection, OnFailure, Silence
from .trim_ranges import TrimRanges

__all__ = ["TABLE", "Between", "Booked", "GapView", "InterjectedCommand", "Interjection",
           "OnFailure", "Silence", "TrimRanges", "interjections"]
