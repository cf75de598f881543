"""An array of drives in the format of Linux md: where its superblock and its data are, and what it may have.

Sectors are of 512 bytes. docs/array.md describes the format; Linux, include/uapi/linux/raid/md_p.h, has it.
"""

__all__ = ["CHUNKS", "DATA_OFFSET", "DEFAULT_CHUNK", "LEVELS", "LINEAR", "MD_LBA", "MD_MAGIC", "MOST_DRIVES", "RAID0"]

#: Where a superblock of version 1.2 is on each member, and the word that it begins with.
MD_LBA = 8
MD_MAGIC = 0xA92B4EFC
#: Where the data of each member begin.
DATA_OFFSET = 2048
MOST_DRIVES = 8
#: Levels of md, by the names that a user gives.
RAID0, LINEAR = 0, -1
LEVELS = {"0": RAID0, "linear": LINEAR}
#: Sectors that a chunk of RAID 0 can have, 4 to 64 KiB.
CHUNKS = (8, 16, 32, 64, 128)
#: Sectors of a chunk where nothing else is asked for, by level. Of a linear array each drive gives a multiple of it.
DEFAULT_CHUNK = {RAID0: 32, LINEAR: 128}
