"""A SATA drive in pure Python: link, FIS, ATA commands and medium, from the dword port on.

Written from Serial ATA Revision 3.x and ATA8-ACS; it shares no code with any host.
"""

from .behaviour import NEVER, Behaviour
from .device import Drive, Health, PowerUp
from .disk import DiskMedium
from .faults import Fault
from .flash import flash_medium
from .link import DriveLink
from .medium import DiskImage, GeneratedImage, Medium, Profile, ProfileError, VolatileImage
from .monitor import Monitor
from .observer import Observer
from .port import DrivePort
from .protocol.rules import Rule, Violation
from .qemu import QemuDisk, QemuDrive, QemuError

__all__ = ["Behaviour", "DiskImage", "DiskMedium", "Drive", "DriveLink", "DrivePort", "Fault", "GeneratedImage",
           "Health", "Medium", "Monitor", "NEVER", "Observer", "PowerUp", "Profile", "ProfileError",
           "QemuDisk", "QemuDrive", "QemuError", "Rule", "Violation", "VolatileImage", "flash_medium"]
