"""The device's link layer: a state machine of one dword a call (Serial ATA Revision 3.x)."""

from .frame import Frame
from .link import DriveLink
from .states import DEAD

__all__ = ["DEAD", "DriveLink", "Frame"]
