"""The PHY, its back ends for SERDES of devices, and the boundaries on both sides of it."""

from .back_end import BackEnd, Pin
from .back_ends import BACK_ENDS
from .lanes import lane_name, lanes_of
from .phy import Phy
from .port import DwordPort, PhyControlSignature
from .serdes import SerdesPort
from .states import BistState, Fall, PhyState
from .timing import Timing

__all__ = ["BACK_ENDS", "BackEnd", "BistState", "DwordPort", "Fall", "Phy", "PhyControlSignature",
           "PhyState", "Pin", "SerdesPort", "Timing", "lane_name", "lanes_of"]
