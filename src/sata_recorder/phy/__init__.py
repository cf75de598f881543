"""The PHY but for its SERDES, and the boundaries on both sides of it."""

from .phy import Phy
from .port import DwordPort, PhyControlSignature
from .serdes import SerdesPort
from .timing import Timing

__all__ = ["DwordPort", "Phy", "PhyControlSignature", "SerdesPort", "Timing"]
