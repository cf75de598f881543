"""Above a core: what a recording does with its space, and on which word it ends."""

from .recording import Recording
from .signature import Mode, RecordingSignature, State

__all__ = ["Mode", "Recording", "RecordingSignature", "State"]
