"""The sector with the two entry sets of a slot: the recording, and what it leaves over of the slot.

The clusters of a slot belong to a file at all times. Before the recording it is the file of the
unused space, hidden, all of the slot. Afterwards the recording has the first clusters and that file
the others. Both sets stand in one sector: one write moves the border, and neither the allocation
bitmap nor the FAT changes. Each state is a sound file system.

ValidDataLength is DataLength in both. A shorter one would be true of the unused file, but Linux
before 6.8 takes it for the file's length: it cuts the file there, and loses its clusters, as soon
as somebody has read from it.
"""

from ..units import SECTOR_BYTES
from .exfat import (ARCHIVE, ENTRY_BYTES, HIDDEN, IN_USE, READ_ONLY, SYSTEM, UNUSED_ENTRY, FileSet,
                    Malformed)

__all__ = ["FOLDER", "MOST_NAME", "data_name", "directory_sector", "free_sector", "is_free",
           "unused_name"]

#: The folder of the recordings in the root.
FOLDER = "RECORDINGS"
#: Characters of a name in one File Name entry.
MOST_NAME = 15
_SET = 3 * ENTRY_BYTES
_UNUSED_ATTRIBUTES = READ_ONLY | HIDDEN | SYSTEM


def data_name(number):
    """The name of the recording in slot ``number``."""
    return f"REC{number:05}.dat"


def unused_name(number):
    """The name of the file that has what is not used of slot ``number``."""
    return f"REC{number:05}.unused"


def _unused(slot, used_clusters, cluster_bytes, time):
    """The set of the unused clusters, not in use where there are none."""
    left = slot.clusters - used_clusters
    size = left * cluster_bytes
    file = FileSet(unused_name(slot.number), slot.first_cluster + used_clusters, size, size,
                   _UNUSED_ATTRIBUTES, created=time)
    return file.pack(used=left > 0)


def free_sector(slot, cluster_bytes, time):
    """The sector of a slot without a recording. The set of the recording is there, not in use: its
    name, its first cluster and its times wait for the bits that say that it is."""
    recording = FileSet(data_name(slot.number), slot.first_cluster, 0, 0, ARCHIVE, created=time)
    sector = bytearray(SECTOR_BYTES // ENTRY_BYTES * UNUSED_ENTRY)
    sector[slot.recording_offset:slot.recording_offset + _SET] = recording.pack(used=False)
    sector[slot.unused_offset:slot.unused_offset + _SET] = _unused(slot, 0, cluster_bytes, time)
    return bytes(sector)


def directory_sector(sector, slot, cluster_bytes, size, name, time):
    """What becomes of ``sector`` of a slot when its recording of ``size`` bytes has ended.

    ``time`` is when it began, an :class:`.exfat.Timestamp`.
    """
    unused = FileSet.parse(sector[slot.unused_offset:slot.unused_offset + _SET])
    recording = FileSet(name, slot.first_cluster, size, size, ARCHIVE, created=time)
    found = bytearray(sector)
    found[slot.recording_offset:slot.recording_offset + _SET] = recording.pack()
    found[slot.unused_offset:slot.unused_offset + _SET] = _unused(
        slot, -(-size // cluster_bytes), cluster_bytes, unused.created)
    return bytes(found)


def is_free(sector, slot, cluster_bytes):
    """Whether a slot can take a recording: its unused file has all of it, and the place of the
    recording's set is not taken."""
    kinds = [sector[slot.recording_offset + place] for place in range(0, _SET, ENTRY_BYTES)]
    kinds_unused = [sector[slot.unused_offset + place] for place in range(0, _SET, ENTRY_BYTES)]
    if any(kind & IN_USE for kind in kinds) or kinds_unused != [0x85, 0xC0, 0xC1]:
        return False
    try:
        unused = FileSet.parse(sector[slot.unused_offset:slot.unused_offset + _SET])
    except Malformed:
        return False
    whole = slot.first_cluster, slot.clusters * cluster_bytes
    return (unused.first_cluster, unused.size) == whole
