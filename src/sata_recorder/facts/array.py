"""An array of drives in the format of Linux md: where its superblock and its data are, and what it may have.

Sectors are of 512 bytes. docs/array.md describes the format; Linux, include/uapi/linux/raid/md_p.h, has it.
"""

__all__ = ["CHUNK", "CHUNKS", "DATA_OFFSET", "LEVELS", "LINEAR", "MD_LBA", "MD_MAGIC", "MOST_DRIVES", "RAID0"]

#: Where a superblock of version 1.2 is on each member, and the word that it begins with.
MD_LBA = 8
MD_MAGIC = 0xA92B4EFC
#: Where the data of each member begin.
DATA_OFFSET = 2048
MOST_DRIVES = 8
#: Levels of md, by the names that a user gives.
RAID0, LINEAR = 0, -1
LEVELS = {"0": RAID0, "linear": LINEAR}
#: Sectors of the chunk that is taken, and of those that can be: 4 to 64 KiB.
CHUNK = 128
CHUNKS = (8, 16, 32, 64, 128)
