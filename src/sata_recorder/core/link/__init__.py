"""The link layer: primitives, frames, flow control.

Serial ATA Revision 3.x, link layer.
"""

from .frame import MAX_FRAME_WORDS, FrameWord, ReceiveSignature, SendSignature
from .link import Activity, Link
from .primitives import RxPrimitive, TxPrimitive

__all__ = ["Activity", "FrameWord", "Link", "MAX_FRAME_WORDS", "ReceiveSignature", "RxPrimitive",
           "SendSignature", "TxPrimitive"]
