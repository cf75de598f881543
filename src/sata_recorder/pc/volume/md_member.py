"""Members of an array of Linux md: a drive that has a superblock is no drive of its own.

Which array it is, :mod:`...pc.array` reads; this is what nobody who opens a single drive may overlook.
"""

import contextlib

from ...facts.units import SECTOR_BYTES
from .disk_reader import DiskSource

__all__ = ["MD_LBA", "MD_MAGIC", "is_md_member"]

#: Where a superblock of version 1.2 is, and what it begins with (Linux, include/uapi/linux/raid/md_p.h).
MD_LBA = 8
MD_MAGIC = 0xA92B4EFC


def is_md_member(source: DiskSource) -> bool:
    """Whether a superblock of version 1.2 begins on a drive, be it damaged. Of a drive that cannot be read there it is
    not known to."""
    with contextlib.suppress(OSError):
        return int.from_bytes(source.read(MD_LBA * SECTOR_BYTES, 4), "little") == MD_MAGIC
    return False
