"""The drive's phy on a serial line (Serial ATA Revision 3.x, phy layer)."""

from .line import FS, Line, Squelch, word_period
from .phy import DrivePhy, PhyTimes, Spectrum
from .rules import PhyRule, PhyViolation

__all__ = ["DrivePhy", "FS", "Line", "PhyRule", "PhyTimes", "PhyViolation", "Spectrum",
           "Squelch", "word_period"]
