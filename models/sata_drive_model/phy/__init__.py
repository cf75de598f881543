"""The drive's phy on a serial line (Serial ATA Revision 3.x, phy layer)."""

from .habits import PhyHabits
from .line import FS, Line, word_period
from .phy import DrivePhy, PhyTimes, Spectrum
from .receiver import Detector, HostReceiver, Squelch
from .rules import PhyRule, PhyViolation

__all__ = ["Detector", "DrivePhy", "FS", "HostReceiver", "Line", "PhyHabits", "PhyRule",
           "PhyTimes", "PhyViolation", "Spectrum", "Squelch", "word_period"]
