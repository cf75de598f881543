"""What comes between two data commands of a recording: one interjection a file, one arbiter."""

from .arbiter import TABLE, Between, interjections
from .interjection import Booked, Fails, GapView, InnerGroup, InterjectedCommand, Interjection, Silence
from .trim_ranges import TrimRanges

__all__ = ["TABLE", "Between", "Booked", "Fails", "GapView", "InnerGroup", "InterjectedCommand", "Interjection",
           "Silence", "TrimRanges", "interjections"]
