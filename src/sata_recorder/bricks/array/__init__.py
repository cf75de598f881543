"""An array of drives: one recorder for several of them."""

from .array import DriveArray
from .mirror import DriveMirror

__all__ = ["DriveArray", "DriveMirror"]
