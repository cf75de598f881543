"""What makes drives the members of an array: first they lose what they were, last they get superblocks."""

from collections.abc import Sequence

from ...facts.array import DATA_OFFSET
from ..volume import DiskWriter, is_mirror, make_room
from .naming import naming
from .superblock import AREA_BYTES, Superblock

__all__ = ["clear_members", "flush_members", "seal_members"]

#: Sectors at the end of a drive where other file systems, partition tables and kinds of md have their marks.
_TAIL = 256


def clear_members(disks: Sequence[DiskWriter], needed: int) -> None:
    """Removes from each member what shows what it was, so that nobody takes it for a part of an array, or for a drive
    with a file system. Raises :exc:`..volume.Refused`, with all of them as they were, if there is no room."""
    make_room(disks, needed)
    # Mirrors whose beginnings differ must not state that they are alike; an image loses all of it at once.
    mirrors = [disk for disk in disks if disk.is_device and is_mirror(disk)]
    for each in mirrors:
        with naming(each) as disk:
            disk.zero(disk.sectors - _TAIL, _TAIL)
    flush_members(mirrors)
    for each in disks:
        with naming(each) as disk:
            disk.wipe()
            disk.zero(0, DATA_OFFSET)
            disk.zero(disk.sectors - _TAIL, _TAIL)


def seal_members(disks: Sequence[DiskWriter], superblocks: Sequence[Superblock]) -> None:
    """Writes the superblock of each member, after all else: they are an array from then on. Raises ``OSError``."""
    for each, one in zip(disks, superblocks, strict=True):
        with naming(each) as disk:
            disk.write(one.lba, one.pack().ljust(AREA_BYTES, b"\0"))
    flush_members(disks)


def flush_members(disks: Sequence[DiskWriter]) -> None:
    """Puts what was written on the medium of each. Raises ``OSError``."""
    for each in disks:
        with naming(each) as disk:
            disk.flush()
