"""Frames around the data of a recording, which tell time, gaps and their own damage: VITA 49."""

from .capture import capture_header, datagrams
from .framed_recorder import FramedRecorder, recorder
from .framer import VrlFramer
from .layout import AROUND
from .reader import Lost, VrlFrame, frames, newest, read_frame
from .ring import Ring

__all__ = ["AROUND", "FramedRecorder", "Lost", "Ring", "VrlFrame", "VrlFramer", "capture_header",
           "datagrams", "frames",
           "newest", "read_frame", "recorder"]
