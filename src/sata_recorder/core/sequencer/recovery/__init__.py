"""What follows a command that has failed: replay it, skip it, or end the operation."""

from .no_recovery import NoRecovery
from .recovery import Recovery
from .signatures import (DriveState, FailedCommand, RecoveryControl, RecoveryStatus,
                         ResumeSignature)

__all__ = ["DriveState", "FailedCommand", "NoRecovery", "Recovery", "RecoveryControl",
           "RecoveryStatus", "ResumeSignature"]
