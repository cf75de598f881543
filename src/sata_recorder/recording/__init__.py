"""Above a core: what a recording does with its space, and on which word it ends."""

from .recording import RecordingController
from .signature import RecordingMode, RecordingSignature, RecordingState

__all__ = ["RecordingController", "RecordingMode", "RecordingSignature", "RecordingState"]
