"""The sector with the two entry sets of a slot: the recording, and what it leaves over of the slot.

The clusters of a slot belong to a file at all times. Before the recording it is the file of the
unused space, hidden, all of the slot. Afterwards the recording has the first clusters and that file
the others. Both sets are in one sector: one write moves the border, and neither the allocation
bitmap nor the FAT changes. Each state is a sound file system.

ValidDataLength is DataLength in both. A shorter one would be true of the unused file, but Linux
before 6.8 takes it for the file's length: it cuts the file there, and loses its clusters, as soon
as somebody has read from it.
"""

import zlib

from ...facts.units import SECTOR_BYTES
from .exfat import (ARCHIVE, END_ENTRY, ENTRY_BYTES, HIDDEN, IN_USE, READ_ONLY, SYSTEM, UNUSED_ENTRY,
                    FileSet, Timestamp, masked, set_checksum)
from .table import Slot

__all__ = ["FOLDER", "MOST_NAME", "data_name", "directory_sector", "free_sector", "is_free",
           "set_crc", "unused_crc", "unused_name"]

#: The folder of the recordings in the root.
FOLDER = "RECORDINGS"
#: Characters of a name in one File Name entry.
MOST_NAME = 15
_SET = 3 * ENTRY_BYTES
_UNUSED_ATTRIBUTES = READ_ONLY | HIDDEN | SYSTEM


def data_name(number: int) -> str:
    """The name of the recording in slot ``number``."""
    return f"REC{number:05}.dat"


def unused_name(number: int) -> str:
    """The name of the file that has what is not used of slot ``number``."""
    return f"REC{number:05}.unused"


def _unused(slot, used_clusters, cluster_bytes, time):
    """The set of the unused clusters, not in use if there are none."""
    left = slot.clusters - used_clusters
    size = left * cluster_bytes
    file = FileSet(unused_name(slot.number), slot.first_cluster + used_clusters, size, size,
                   _UNUSED_ATTRIBUTES, created=time)
    return file.pack(used=left > 0)


def free_sector(slot: Slot, cluster_bytes: int, time: Timestamp) -> bytes:
    """The sector of a slot without a recording. The set of the recording is there, not in use: its
    name, its first cluster and its times wait for the bits that state that it is."""
    recording = FileSet(data_name(slot.number), slot.first_cluster, 0, 0, ARCHIVE, created=time)
    sector = bytearray(SECTOR_BYTES // ENTRY_BYTES * UNUSED_ENTRY)
    sector[slot.recording_offset:slot.recording_offset + _SET] = recording.pack(used=False)
    sector[slot.unused_offset:slot.unused_offset + _SET] = _unused(slot, 0, cluster_bytes, time)
    return bytes(sector)


def unused_crc(slot: Slot, cluster_bytes: int) -> int:
    """The ``unused_crc`` of a :class:`.table.Slot`: the :func:`set_crc` of the file that has what is
    not used of it, while that is all."""
    return set_crc(_unused(slot, 0, cluster_bytes, Timestamp(0)))


def set_crc(entries: bytes) -> int:
    """The CRC-32 of an entry set, without what a system changes by reading the file."""
    return zlib.crc32(masked(entries))


def directory_sector(sector: bytes, slot: Slot, cluster_bytes: int, size: int, name: str,
                     time: Timestamp | None = None) -> bytes:
    """What happens to ``sector`` of a slot when its recording of ``size`` bytes has ended.

    ``time`` is when it began, an :class:`.exfat.Timestamp`; None if unknown: then the file
    is as old as that of what is unused. Nothing in the place of the recording's set is kept:
    another system may have had a file there.
    """
    made = FileSet.parse(sector[slot.unused_offset:slot.unused_offset + _SET]).created
    recording = FileSet(name, slot.first_cluster, size, size, ARCHIVE, created=time or made)
    found = bytearray(sector)
    found[slot.recording_offset:slot.recording_offset + _SET] = recording.pack()
    found[slot.unused_offset:slot.unused_offset + _SET] = _unused(
        slot, -(-size // cluster_bytes), cluster_bytes, made)
    return bytes(found)


def is_free(sector: bytes, slot: Slot) -> bool:
    """Whether the directory sector of a :class:`.table.Slot` leaves it free (docs/files.md): no file
    is in the place of the recording's set, nor does the directory end there, and the set of
    what is unused is the slot's own, with all of it. False for a slot of version 1."""
    kinds = [sector[slot.recording_offset + place] for place in range(0, _SET, ENTRY_BYTES)]
    if not all(END_ENTRY < kind < IN_USE for kind in kinds):
        return False
    unused = sector[slot.unused_offset:slot.unused_offset + _SET]
    return (set_crc(unused) == slot.unused_crc
            and set_checksum(unused) == int.from_bytes(unused[2:4], "little"))
