"""Reads the parts of the recording table from a drive."""

from ...facts.units import SECTOR_BYTES
from .disk_reader import DiskSource
from .exfat import Malformed
from .table import HEADER_LBA, LOG_BYTES, MOST_LOG_BYTES, Log, RecordingTable, Slot

__all__ = ["has_table", "read_log", "read_slot", "read_table"]


def has_table(source: DiskSource) -> bool:
    """Whether a drive has a recording table, even a damaged one. Raises ``OSError``."""
    return source.size >= SECTOR_BYTES * (HEADER_LBA + 1) and RecordingTable.is_one(
        source.read(SECTOR_BYTES * HEADER_LBA, SECTOR_BYTES))


def read_table(source: DiskSource) -> RecordingTable:
    """The :class:`.table.RecordingTable` of a drive.

    Raises :exc:`.exfat.Malformed`, ``OSError``.
    """
    if source.size < SECTOR_BYTES * (HEADER_LBA + 1):
        raise Malformed("has no recording table")
    return RecordingTable.parse(source.read(SECTOR_BYTES * HEADER_LBA, SECTOR_BYTES))


def read_slot(source: DiskSource, table: RecordingTable, number: int) -> Slot:
    """The :class:`.table.Slot` of a drive. Raises :exc:`.exfat.Malformed`, ``OSError``."""
    return Slot.parse(source.read(SECTOR_BYTES * (table.slots_lba + table.unit * (number - 1)), SECTOR_BYTES),
                      number)


def read_log(source: DiskSource, slot: Slot, *, whole: bool = True) -> Log | None:
    """The :class:`.table.Log` of a :class:`.table.Slot`, or None; without
    ``whole`` what its first sector states.

    Raises :exc:`.exfat.Malformed`, ``OSError``.
    """
    place, first = SECTOR_BYTES * slot.log_lba, SECTOR_BYTES if not whole else LOG_BYTES
    content = source.read(place, first)
    if not any(content):
        return None
    if whole and Log.has_table(content):
        content += source.read(place + LOG_BYTES, MOST_LOG_BYTES - LOG_BYTES)
    return Log.parse(content, whole=whole)
