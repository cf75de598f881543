"""The link layer: primitives, frames, flow control."""

from .frame import MAX_FRAME_WORDS, FrameWord, ReceiveSignature, SendSignature
from .link import Activity, Link
from .skid import Skid

__all__ = ["Link", "Activity", "FrameWord", "SendSignature", "ReceiveSignature",
           "MAX_FRAME_WORDS", "Skid"]
