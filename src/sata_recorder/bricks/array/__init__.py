"""An array of drives: one recorder for several of them."""

from .array import DriveArray

__all__ = ["DriveArray"]
