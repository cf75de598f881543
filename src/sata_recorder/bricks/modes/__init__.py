"""Above a core: what a recording does with its space, its segments, and on which word it ends."""

from .recorder import RecordingRecorder, recorder
from .recording import RecordingController
from .segment_table import ENTRIES, FIELDS
from .suspension import SuspensionSignature

__all__ = ["ENTRIES", "FIELDS", "RecordingController", "RecordingRecorder", "SuspensionSignature", "recorder"]
