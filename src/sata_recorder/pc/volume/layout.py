"""Where everything lies on a prepared drive."""

from dataclasses import dataclass, replace

from ...facts.units import SECTOR_BYTES
from .exfat import UPCASE_TABLE, BootSector
from .entries_of_slot import unused_crc
from .partitions import table_sectors
from .table import HEADER_LBA, MOST_BLOCK, MOST_SLOTS, RecordingTable, Slot

__all__ = ["ALIGN_BYTES", "Layout", "LayoutError", "layout"]

#: What begins at a multiple of the flash's erase block is written without a copy of other data.
ALIGN_BYTES = 4 << 20
#: Sectors of a block in which the log or the entry sets of one slot are alone.
_BLOCK = 8
_FAT_OFFSET = 64
#: Cluster size by the size of the volume, as Windows chooses it.
_CLUSTERS = ((256 << 20, 4 << 10), (32 << 30, 32 << 10), (None, 128 << 10))
_MOST_CLUSTERS = (1 << 32) - 11
#: Where the two entry sets of a slot are in their sector, of three entries each.
RECORDING_OFFSET, UNUSED_OFFSET = 0, 96


class LayoutError(ValueError):
    """What was requested does not fit; ``field`` is the argument of :func:`layout`."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(field, text)
        self.field, self.text = field, text

    def __str__(self):
        return self.text

    def told(self, typed: str) -> str:
        """The text with what was ``typed`` in place of its number."""
        return f"{typed}: {self.text.partition(': ')[2] or self.text}"


@dataclass(frozen=True)
class Layout:
    """A prepared drive: its ``table``, which has no proofs yet, its ``slots``, each a :class:`.table.Slot`, and its
    volume, of which ``boot`` is the boot sector.

    ``bitmap_cluster``, ``upcase_cluster`` and ``folder_cluster`` are the numbers, from 2 on, of the first cluster of
    the allocation bitmap, the up-case table, and the folder of the recordings, which has ``folder_clusters`` of them.
    ``align_sectors``: slots, cluster heap and partition begin at multiples of so many sectors of 512 bytes.
    """

    table: RecordingTable
    boot: BootSector
    slots: tuple
    bitmap_cluster: int
    upcase_cluster: int
    folder_cluster: int
    folder_clusters: int
    align_sectors: int


def _up(value, step):
    return -(-value // step) * step


def layout(sectors: int, *, recordings: int | None = None, recording_bytes: int | None = None,
           align: int = ALIGN_BYTES, physical: int = 4096, serial: int = 0, identifier: bytes = bytes(16),
           logical: int = SECTOR_BYTES) -> Layout:
    """The :class:`Layout` of a disk of ``sectors`` of 512 bytes.

    Parameters: ``recordings`` is the number of slots, ``recording_bytes`` the bytes of each, rounded
    up to the alignment; one of them may be None, and follows from the other. ``align`` is what
    slots, cluster heap and partition are multiples of, in bytes, a power of two from 4 KiB to 1 GiB; ``physical`` the
    drive's physical sector in bytes, ``logical`` its logical one, 512 or 4096. ``serial`` is that of the volume, 32
    bits, ``identifier`` that of the table, 16 bytes. Raises :exc:`LayoutError`.
    """
    _check(recordings, recording_bytes, align, physical)
    step, unit = align // SECTOR_BYTES, logical // SECTOR_BYTES
    if sectors % unit:
        raise LayoutError("size", f"{SECTOR_BYTES * sectors} bytes: must be whole logical sectors of {logical}")
    block = max(_BLOCK, physical // SECTOR_BYTES)
    most = min(MOST_SLOTS, -(-SECTOR_BYTES * sectors // (recording_bytes or 1)))
    log_lba = _up(HEADER_LBA + unit * (1 + (recordings or most)), block)
    start = _up(log_lba + block * (recordings or most), step)
    volume = (sectors - table_sectors(unit)[1] - start) // block * block
    room = LayoutError("size", f"{SECTOR_BYTES * sectors} bytes: too small for a partition table, "
                       f"a file system and a recording, with an alignment of {align} bytes")
    if volume < 4 * step:
        raise room
    usual = next(size for limit, size in _CLUSTERS
                 if limit is None or volume * SECTOR_BYTES <= limit)
    cluster = max(min(align, usual), physical)
    while volume * SECTOR_BYTES // cluster > _MOST_CLUSTERS:
        cluster *= 2
    if cluster > align:
        raise LayoutError("size", f"{SECTOR_BYTES * sectors} bytes: exFAT counts at most {_MOST_CLUSTERS:,} clusters, "
                          f"which would be of {cluster >> 10} KiB each, more than the alignment of {align >> 10} KiB")
    shift = (cluster // SECTOR_BYTES).bit_length() - 1
    fat_sectors = _up(-(-4 * ((volume >> shift) + 2) // SECTOR_BYTES), block)
    fat_offset = unit * _FAT_OFFSET
    heap = _up(fat_offset + fat_sectors, step)
    clusters = volume - heap >> shift
    # The heap: allocation bitmap, up-case table, root directory, folder of the recordings, slots.
    bitmap = 2
    upcase = bitmap + -(-clusters // (8 * cluster))
    root = upcase + -(-len(UPCASE_TABLE) // cluster)
    folder = root + 1
    folder_clusters = -(-(1 + (recordings or most)) * block * SECTOR_BYTES // cluster)
    step_clusters = align // cluster
    first = 2 + _up(folder + folder_clusters - 2, step_clusters)
    free = (clusters + 2 - first) // step_clusters * step_clusters
    if free < step_clusters:
        raise room
    size, count = _slots(recordings, recording_bytes, free, step_clusters, cluster)
    boot = BootSector(start, volume, fat_offset, fat_sectors, heap, clusters, root, serial, shift,
                      sector_shift=logical.bit_length() - 1)
    slots = tuple(
        Slot(number, start + boot.sector_of(first + size * (number - 1)), size << shift,
             first + size * (number - 1), size,
             start + boot.sector_of(folder) + block * number, RECORDING_OFFSET, UNUSED_OFFSET,
             log_lba + block * (number - 1)) for number in range(1, count + 1))
    slots = tuple(replace(slot, unused_crc=unused_crc(slot, cluster)) for slot in slots)
    table = RecordingTable(count, HEADER_LBA + unit, log_lba, shift, block, sectors, start, volume,
                           identifier, start + boot.sector_of(folder))
    return Layout(table, boot, slots, bitmap, upcase, folder, folder_clusters, step)


def _check(recordings, recording_bytes, align, physical):
    if recordings is None and recording_bytes is None:
        raise LayoutError("recordings", "is missing, and so is the size of a recording")
    if recordings is not None and not 1 <= recordings <= MOST_SLOTS:
        raise LayoutError("recordings", f"{recordings}: must be 1 to {MOST_SLOTS}")
    if recording_bytes is not None and recording_bytes < 1:
        raise LayoutError("recording_bytes", f"{recording_bytes}: must be at least 1")
    if align & align - 1 or not 4096 <= align <= 1 << 30:
        raise LayoutError("align", f"{align} bytes: must be a power of two, 4 KiB to 1 GiB")
    if physical > MOST_BLOCK * SECTOR_BYTES:
        raise LayoutError("align", f"{align} bytes: the drive's physical sector has {physical} bytes, "
                          f"at most {MOST_BLOCK * SECTOR_BYTES} are possible")
    if physical & physical - 1 or not SECTOR_BYTES <= physical <= align:
        raise LayoutError("align", f"{align} bytes: must be at least the drive's physical sector "
                          f"of {physical} bytes")


def _slots(recordings, recording_bytes, free, step, cluster):
    """(clusters of a slot, number of slots) for ``free`` clusters, all multiples of ``step``."""
    if recording_bytes is None:
        size = free // recordings // step * step
        if not size:
            raise LayoutError("recordings", f"{recordings}: there is room for {free // step} of "
                              f"{step * cluster} bytes, the alignment")
        return size, recordings
    size = _up(-(-recording_bytes // cluster), step)
    count = free // size
    if not count or recordings is not None and recordings > count:
        asked = "one" if recordings is None else recordings
        raise LayoutError("recording_bytes", f"{recording_bytes} bytes: there is room for "
                          f"{count} such recordings of {size * cluster} bytes, not for {asked}")
    return size, min(count, MOST_SLOTS) if recordings is None else recordings
