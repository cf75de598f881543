"""What follows a command that has failed: replay it, skip it, or end the operation."""

from .recovery import Recovery
from .signatures import (DriveState, FailedCommand, RecoveryControl, RecoveryStatus,
                         ResumeSignature)

__all__ = ["DriveState", "FailedCommand", "Recovery", "RecoveryControl", "RecoveryStatus",
           "ResumeSignature"]
