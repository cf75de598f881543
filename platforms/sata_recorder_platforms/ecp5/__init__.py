"""Boards with an ECP5, and the tools that make its bitstreams."""

from .boards import BOARDS
from .flow import FLOW

__all__ = ["BOARDS", "FLOW"]
