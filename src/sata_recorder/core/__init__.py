"""The core: a recorder of one drive, layer upon layer, with the drive port between its recorder and SATA."""

from .core import SataRecorder

__all__ = ["SataRecorder"]
