"""Above a core: what a recording does with its space, its segments, and on which word it ends."""

from .recording import RecordingController
from .segment_table import ENTRIES, FIELDS

__all__ = ["ENTRIES", "FIELDS", "RecordingController"]
