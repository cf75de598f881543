"""Above a core: recordings are put into frames, VITA 49."""

from .frame_stage import FrameStage
from .framer import VrlFramer

__all__ = ["FrameStage", "VrlFramer"]
