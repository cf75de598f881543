"""Members of an array of Linux md: a drive that has a superblock is no drive of its own.

Which array it is, :mod:`...pc.array` reads; this is what nobody who opens a single drive may overlook.
"""

import contextlib

from ...facts.array import MD_LBA, MD_MAGIC
from ...facts.units import SECTOR_BYTES
from .disk_reader import DiskSource

__all__ = ["is_md_member"]


def is_md_member(source: DiskSource) -> bool:
    """Whether a superblock of version 1.2 begins on a drive, be it damaged. Of a drive that cannot be read there it is
    not known to."""
    with contextlib.suppress(OSError):
        return int.from_bytes(source.read(MD_LBA * SECTOR_BYTES, 4), "little") == MD_MAGIC
    return False
