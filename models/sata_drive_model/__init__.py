"""A SATA drive in pure Python: link, FIS, ATA commands and medium behind the dword port.

Written from Serial ATA Revision 3.x and ATA8-ACS; it shares no code with any host.
"""

from .analyser import ACCOUNTS, PortAnalyser
from .ata import Drive
from .behaviour import NEVER, Behaviour
from .faults import Fault
from .generated import GeneratedImage
from .image import DiskImage
from .link import DriveLink, Violation
from .medium import Medium
from .port import DrivePort
from .profile import Profile, ProfileError
from .spans import SPANS, Span
from .volatile import VolatileImage

__all__ = ["ACCOUNTS", "Behaviour", "DiskImage", "Drive", "DriveLink", "DrivePort", "Fault",
           "GeneratedImage", "Medium", "NEVER", "PortAnalyser", "Profile", "ProfileError", "SPANS",
           "Span", "Violation", "VolatileImage"]
