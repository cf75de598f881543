"""Makes a drive ready for recordings: partition table, file system, slots, recording table."""

import secrets
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ...facts.units import SECTOR_BYTES
from .disk import DiskTarget, OpenDisk
from .disk_writer import new_target
from .drive import Drive
from .entries_of_slot import FOLDER, free_sector
from .exfat import (DIRECTORY, ENTRY_BYTES, UNUSED_ENTRY, UPCASE_TABLE, Bitmap,
                    FileSet, Timestamp, bitmap_entry, boot_region, chain_entries,
                    first_entries, label_entry, table_checksum, upcase_entry)
from .layout import ALIGN_BYTES, Layout, layout
from .md_member import is_md_member, is_mirror
from .partitions import partition_table, table_sectors
from .proofs import proofs_of
from .refused import Refused
from .table import HEADER_LBA

__all__ = ["held", "prepare", "prepare_target", "steps"]

_LABEL = "RECORDER"
#: Bytes of a block of most file systems.
_FS_BLOCK = 4096


def prepare(path: str | Path, *, sectors: int | None = None, recordings: int | None = None,
            recording_bytes: int | None = None, align: int = ALIGN_BYTES, overwrite: bool = False,
            serial: str | None = None, logical: int | None = None) -> Layout:
    """Prepares the image or block device ``path``; all that it holds is lost. Returns the
    :class:`.layout.Layout`.

    Parameters: ``sectors`` of 512 bytes is the size that an image gets, None: an existing one keeps its own;
    ``recordings`` is how many slots there are, ``recording_bytes`` the bytes of each, and ``align`` what they begin at
    multiples of, in bytes, see :func:`.layout.layout`; ``logical`` the bytes of an image's logical sectors, 512 (None)
    or 4096, a device states what it has; the others are as of :func:`.disk_writer.new_target`. Raises
    :exc:`.refused.Refused`, :exc:`.layout.LayoutError`, ``OSError``.
    """
    with new_target(path, sectors=sectors, overwrite=overwrite, serial=serial, logical=logical) as target:
        def check():
            if not overwrite and (what := held(target)):
                raise Refused(f"{path}: holds {what}", overwrite=True)
        return prepare_target(target, check, recordings=recordings, recording_bytes=recording_bytes, align=align)


def prepare_target(target: DiskTarget, check: Callable[[], object], *, recordings: int | None = None,
                   recording_bytes: int | None = None, align: int = ALIGN_BYTES) -> Layout:
    """Prepares all that is open as ``target``, from its ``clear()`` on. Returns the :class:`.layout.Layout`.

    Parameters: ``check`` is called once the layout is known, and raises what forbids to write; ``recordings`` is the
    number of slots, ``recording_bytes`` and ``align`` are bytes, all as of :func:`.layout.layout`. Raises
    :exc:`.refused.Refused`, :exc:`.layout.LayoutError`, ``OSError``.
    """
    made = Timestamp.of(datetime.now(UTC))
    planned = layout(target.sectors, recordings=recordings, recording_bytes=recording_bytes,
                     align=align, physical=target.physical, logical=target.logical, serial=secrets.randbits(32),
                     identifier=secrets.token_bytes(16))
    check()
    target.clear(_written_bytes(planned, made))
    for step in steps(planned, made):
        step(target)
    target.flush()
    return planned


class _Tally:
    """Takes what a :class:`.disk_writer.DiskWriter` takes, and only counts it, in the blocks of a file system."""

    def __init__(self):
        self.blocks = set()

    def write(self, lba, content):
        first, end = lba * SECTOR_BYTES, lba * SECTOR_BYTES + len(content)
        self.blocks.add((first // _FS_BLOCK, -(-end // _FS_BLOCK)))

    def zero(self, lba, sectors):
        """An image is empty, and its zeros are holes."""

    def flush(self):
        """Nothing is kept."""

    def read(self, offset, size):
        return bytes(size)


def _written_bytes(planned, time):
    """The bytes of an image that :func:`steps` fill, in whole blocks."""
    tally = _Tally()
    for step in steps(planned, time):
        step(tally)
    return _FS_BLOCK * sum(end - first for first, end in tally.blocks)


def held(target: OpenDisk) -> str | None:
    """What of the recordings on a prepared drive would or may be lost; None: nothing."""
    try:
        if is_md_member(target) or is_mirror(target):
            return "a part of an array (Linux md)"
        drive = Drive(target.path, target)
    except Refused as error:
        return "a recording table that cannot be read" if error.damaged else None
    except OSError:
        return "what cannot be read"
    if drive.recordings:
        return f"the recording {drive.recordings[0].name}"
    if len(drive.slots) < drive.table.slots or drive.has_unread_logs:
        return f"slots that cannot be read: {drive.problems[0]}"
    for number, taken in drive.taken.items():
        return f"what may be yours in slot {number}: {taken.text}"
    return None


def steps(planned: Layout, time: Timestamp) -> Iterator[Callable[[DiskTarget], object]]:
    """What is done one after the other, as functions of the :class:`DiskTarget`.

    The old partition table, file system and recording table go first and the new ones come last, so
    that a power failure leaves an empty disk or a whole one.
    """
    table, boot = planned.table, planned.boot
    start, backup = table.partition_lba, table_sectors(table.unit)[1]

    def write(lba, content):
        size = -(-len(content) // SECTOR_BYTES) * SECTOR_BYTES
        return lambda target: target.write(lba, content.ljust(size, b"\0"))

    def zero(lba, sectors):
        return lambda target: target.zero(lba, sectors)

    def flush(target):
        target.flush()

    def heap(cluster, content):
        return write(start + boot.sector_of(cluster), content)

    yield zero(0, start + boot.fat_offset)
    yield zero(table.disk_sectors - backup, backup)
    yield flush
    # The volume, except for its boot regions.
    yield zero(start + boot.fat_offset, boot.fat_sectors)
    bitmap, system = _bitmap(planned)
    yield _in_fat(start + boot.fat_offset, 0, first_entries())
    for cluster, count in system:
        yield _in_fat(start + boot.fat_offset, cluster, chain_entries(cluster, count))
    yield heap(planned.bitmap_cluster, bytes(bitmap.content))
    yield heap(planned.upcase_cluster, UPCASE_TABLE)
    yield heap(boot.root_cluster, _root(planned, len(bitmap.content), time)
               .ljust(boot.cluster_bytes, b"\0"))
    yield heap(planned.folder_cluster, _folder(planned, time))
    # The table, whose header comes last of all.
    yield write(table.slots_lba, table.in_rows(planned.slots))
    yield flush
    yield write(start + boot.region_sectors, boot_region(boot))
    yield write(start, boot_region(boot))
    for lba, content in partition_table(table.disk_sectors, start, table.partition_sectors, _LABEL,
                                        disk=_uuid(table, b"disk"),
                                        partition=_uuid(table, b"part"), unit=table.unit):
        yield write(lba, content)
    yield flush
    yield lambda target: target.write(HEADER_LBA, replace(table, proofs=proofs_of(
        target, start, start + boot.sector_of(boot.root_cluster), len(_before_folder(planned, 0)),
        table.unit)).pack())


def _uuid(table, part):
    return uuid.uuid5(uuid.UUID(bytes=table.identifier), part.decode())


def _in_fat(fat_lba, cluster, entries):
    """Writes FAT entries from that of ``cluster`` on."""
    def step(target):
        offset = 4 * cluster
        first, place = divmod(offset, SECTOR_BYTES)
        count = -(-(place + len(entries)) // SECTOR_BYTES)
        content = bytearray(target.read((fat_lba + first) * SECTOR_BYTES, count * SECTOR_BYTES))
        content[place:place + len(entries)] = entries
        target.write(fat_lba + first, bytes(content))
    return step


def _bitmap(planned):
    """The allocation bitmap, and (first, count) of each of the system's runs of clusters."""
    boot = planned.boot
    bitmap = Bitmap(boot.clusters)
    system = [(planned.bitmap_cluster, planned.upcase_cluster - planned.bitmap_cluster),
              (planned.upcase_cluster, boot.root_cluster - planned.upcase_cluster),
              (boot.root_cluster, 1)]
    for first, count in system:
        bitmap.set(first, count)
    bitmap.set(planned.folder_cluster, planned.folder_clusters)
    for slot in planned.slots:
        bitmap.set(slot.first_cluster, slot.clusters)
    return bitmap, system


def _root(planned, bitmap_bytes, time):
    size = planned.folder_clusters * planned.boot.cluster_bytes
    folder = FileSet(FOLDER, planned.folder_cluster, size, size, DIRECTORY, created=time)
    return _before_folder(planned, bitmap_bytes) + folder.pack()


def _before_folder(planned, bitmap_bytes):
    return (label_entry(_LABEL) + bitmap_entry(planned.bitmap_cluster, bitmap_bytes)
            + upcase_entry(table_checksum(UPCASE_TABLE), planned.upcase_cluster, len(UPCASE_TABLE)))


def _folder(planned, time):
    """The directory of the recordings: a block of free entries, for files of others, and a block
    for each slot."""
    boot = planned.boot
    block = planned.table.block_sectors * SECTOR_BYTES
    unused = UNUSED_ENTRY * (block // ENTRY_BYTES)
    content = [unused]
    for slot in planned.slots:
        sector = free_sector(slot, boot.cluster_bytes, time)
        content.append(sector + unused[len(sector):])
    return b"".join(content).ljust(planned.folder_clusters * boot.cluster_bytes, b"\0")
