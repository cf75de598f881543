"""A SATA drive in pure Python: link, FIS, ATA commands and medium behind the dword port.

Written from Serial ATA Revision 3.x and ATA8-ACS; it shares no code with any host.
"""

from .analyser import ACCOUNTS, PortAnalyser
from .ata import Drive
from .behaviour import NEVER, Behaviour
from .image import DiskImage
from .link import DriveLink, Violation
from .port import DrivePort
from .spans import SPANS, Span

__all__ = ["ACCOUNTS", "Behaviour", "DiskImage", "Drive", "DriveLink", "DrivePort", "NEVER",
           "PortAnalyser", "SPANS", "Span", "Violation"]
