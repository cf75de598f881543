"""The recorder: user streams and their buffer."""

from .recorder import Recorder

__all__ = ["Recorder"]
