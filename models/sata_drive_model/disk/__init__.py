"""The inside of a hard disk: zones, arm, platters, RAM, shingled bands, a hybrid's flash.

:class:`DiskMedium` is the timing of a drive that follows from it; the parameters of disks (:class:`DiskDrive`) come
from files, each with its source.
"""

from .geometry import Geometry
from .mechanics import Mechanics
from .medium import DiskMedium
from .parameters import DiskDrive
from .profile import disk_profile
from .read_cache import LearnedBlocks
from .shingles import Shingles
from .store import DiskStore
from .waiting import Waiting

__all__ = ["DiskDrive", "DiskMedium", "DiskStore", "Geometry", "LearnedBlocks", "Mechanics", "Shingles", "Waiting",
           "disk_profile"]
