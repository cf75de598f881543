"""An array of drives: one recorder for several of them."""

from .array import DriveArray
from .geometry import DATA_OFFSET

__all__ = ["DATA_OFFSET", "DriveArray"]
