"""An array of drives on a PC: RAID 0, RAID 1 and linear, in the format of Linux md.

:func:`prepare_array` makes several drives ready as one, :func:`open_disk` opens them again, in any order, for all that
:mod:`..volume` does with a drive. docs/array.md describes the format.

    with Drive("array", open_disk(["/dev/sdc", "/dev/sdb"])) as drive:
        samples = drive.read(drive.recordings[0], "int16")
"""

from .comparison import compare_mirrors
from .disks import ArrayReader, ArrayWriter
from .geometry import Geometry, LaneRange, geometry
from .members import Members, members, superblock_of
from .mirrors import MirrorReader, MirrorWriter
from .opening import check_paths, members_among, open_disk, open_target
from .prepare import new_superblocks, prepare_array
from .superblock import Superblock, SuperblockError, remarked

__all__ = ["ArrayReader", "ArrayWriter", "Geometry", "LaneRange", "Members", "MirrorReader", "MirrorWriter",
           "Superblock", "SuperblockError", "check_paths", "compare_mirrors", "geometry", "members", "members_among",
           "new_superblocks", "open_disk", "open_target", "prepare_array", "remarked", "superblock_of"]
