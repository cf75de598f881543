"""Above a core: recordings are put into frames, VITA 49."""

from .framed_recorder import FramedRecorder, recorder
from .framer import VrlFramer

__all__ = ["FramedRecorder", "VrlFramer", "recorder"]
