"""The drive's phy on a serial line (Serial ATA Revision 3.x, phy layer)."""

from .habits import PhyHabits
from .line import FS, Line, word_period
from .loop import Loop
from .phy import DrivePhy, PhyTimes, Spectrum
from .receiver import Detector, HostReceiver, Squelch
from .rules import PhyRule, PhyViolation

__all__ = ["Detector", "DrivePhy", "FS", "HostReceiver", "Line", "Loop", "PhyHabits", "PhyRule",
           "PhyTimes", "PhyViolation", "Spectrum", "Squelch", "word_period"]
