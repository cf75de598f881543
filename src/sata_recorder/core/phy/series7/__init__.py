"""What the back ends for the transceivers of Xilinx' 7-series, GTP and GTX, have in common."""

from .clocking import Mmcm
from .constraints import clock_constraints
from .project import script
from .resets import TransceiverResetTimes

__all__ = ["Mmcm", "TransceiverResetTimes", "clock_constraints", "script"]
