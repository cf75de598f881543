"""An array of drives in the format of Linux md: where its superblock and its data are, and what it may have.

Sectors are of 512 bytes. docs/array.md describes the format; Linux, include/uapi/linux/raid/md_p.h, has it.
"""

__all__ = ["CHUNKS", "CLEAN", "DATA_OFFSET", "DEFAULT_CHUNK", "LEVELS", "LINEAR", "MD_LBA", "MD_MAGIC", "MIRRORS",
           "MOST_DRIVES", "RAID0", "RAID1", "ROLE_FAULTY", "ROLE_NONE", "mirror_superblock_lba"]

#: Where a superblock of version 1.2 is on each member, and the word that it begins with.
MD_LBA = 8
MD_MAGIC = 0xA92B4EFC
#: Where the data of each member of RAID 0 and linear begin; those of RAID 1 begin at 0.
DATA_OFFSET = 2048
MOST_DRIVES = 8
#: Drives of a RAID 1.
MIRRORS = 2
#: Levels of md, by the names that a user gives.
RAID0, RAID1, LINEAR = 0, 1, -1
LEVELS = {"0": RAID0, "1": RAID1, "linear": LINEAR}
#: Roles in a superblock that are no lane: of a drive that has failed, and of none.
ROLE_FAULTY, ROLE_NONE = 0xFFFE, 0xFFFF
#: The resync offset of mirrors that are alike: nothing is left to be copied. 0: all of it is.
CLEAN = 0xFFFF_FFFF_FFFF_FFFF
#: Sectors that a chunk of RAID 0 can have, 4 to 64 KiB.
CHUNKS = (8, 16, 32, 64, 128)
#: Sectors of a chunk where nothing else is asked for, by level; RAID 1 has none. Of a linear array each drive gives
#: a multiple of it.
DEFAULT_CHUNK = {RAID0: 32, RAID1: 0, LINEAR: 128}


def mirror_superblock_lba(sectors: int) -> int:
    """Where the superblock of a member of a RAID 1 is whose drive has so many ``sectors``: version 1.0, at a multiple
    of 8, 16 to 23 sectors before the end (mdadm, super1.c; Linux, drivers/md/md.c, super_1_load)."""
    return sectors - 16 & ~7
