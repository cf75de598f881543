"""Members of an array of Linux md: what nobody who opens a single drive may overlook.

A drive with a superblock at its beginning is no drive of its own. One of two mirrors can be read like a drive of its
own, but what is written to it alone is not on the other, and nothing shows which of them is right. :mod:`...pc.array`
reads which array it is.
"""

import contextlib

from ...facts.array import MD_LBA, MD_MAGIC, mirror_superblock_lba
from ...facts.units import SECTOR_BYTES
from .disk_reader import DiskSource
from .refused import Refused

__all__ = ["is_md_member", "is_mirror", "refuse_mirror"]


def is_md_member(source: DiskSource) -> bool:
    """Whether a superblock of version 1.2 begins on a drive, even a damaged one; False for a drive that cannot be read
    there."""
    return _begins(source, MD_LBA)


def is_mirror(source: DiskSource) -> bool:
    """Whether a superblock of version 1.0 begins near the end of a drive, as :func:`is_md_member`."""
    place = mirror_superblock_lba(source.size // SECTOR_BYTES)
    return place > MD_LBA and _begins(source, place)


def refuse_mirror(path: object, source: DiskSource) -> None:
    """Raises :exc:`.refused.Refused` for one of two mirrors, which is not written alone."""
    if is_mirror(source):
        raise Refused(f"{path}: is one of two mirrors (Linux md), and is not written alone: they would differ, and "
                      "nothing would show it. Name both; if the other is lost, copy the recordings, and prepare two "
                      "drives again")


def _begins(source, lba):
    with contextlib.suppress(OSError):
        return int.from_bytes(source.read(lba * SECTOR_BYTES, 4), "little") == MD_MAGIC
    return False
