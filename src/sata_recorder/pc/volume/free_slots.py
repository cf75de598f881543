"""Which slots of a prepared drive are free: docs/files.md has the definition, word by word.

Hardware sees the header and its proofs, the folder up to the slot's directory sector, and that sector.
This module sees the whole volume, too: who has the clusters, and whether the folder that a system opens
is this one.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...facts.units import SECTOR_BYTES
from .disk_reader import DiskSource
from .entries_of_slot import FOLDER, is_free, unused_crc, unused_name
from .exfat import END_ENTRY, ENTRY_BYTES, FileNode, Malformed, Volume
from .layout import RECORDING_OFFSET, UNUSED_OFFSET
from .ownership import Ownership
from .proofs import failed_proofs
from .table import RecordingTable, Slot

__all__ = ["FreeSlots", "Taken", "changes_of", "way_out"]

_CHUNK = 2048


def changes_of(source: DiskSource, table: RecordingTable) -> list[str]:
    """Why the drive is not the one that was prepared, as sentences; none if it is."""
    if not table.proofs:
        return ["the recording table is of version 1, which does not state how the drive was prepared"]
    try:
        return failed_proofs(source, table)
    except OSError as error:
        return [f"whether it is the drive that was prepared cannot be read: {error}"]


def way_out(path: str | Path) -> str:
    """What is to be done with a drive that was changed."""
    return (f"no recording goes onto {path} before `sata-recorder prepare --renew` has found it sound, or "
            "it is prepared again")


@dataclass(frozen=True)
class Taken:
    """Why a slot takes no recording; ``is_wrong`` if that is not intended."""

    text: str
    is_wrong: bool = False


class FreeSlots:
    """What prevents a recording in each of ``slots`` on a drive with this :class:`.table.RecordingTable`.

    Parameters: ``volume`` is its :class:`.exfat.Volume`, None if that cannot be read. The drive
    as a whole is judged by :func:`changes_of`. Raises ``OSError``.
    """

    def __init__(self, source: DiskSource, table: RecordingTable, volume: Volume | None, slots: Sequence[Slot]) -> None:
        self._source, self._table, self._volume = source, table, volume
        self._is_old = not table.proofs
        # Version 1 states it only for each slot.
        self.folder_lba = table.folder_lba if not self._is_old else next(
            (slot.directory_lba - slot.number * table.block_sectors for slot in slots), 0)
        self.problems = []
        self._folder, self._unused, self._ownership = None, {}, None
        if volume is not None:
            self._ownership = Ownership(volume, slots)
            self._folder = self._found_folder()
            wanted = {volume.key(f"{FOLDER}/{unused_name(slot.number)}"): slot.number for slot in slots}
            self._unused = {wanted[node.key]: node for node in volume.walk() if node.key in wanted}
            self.problems += self._ownership.problems
        last = max((slot.directory_lba for slot in slots), default=0)
        if self._end < last:
            self.problems.append(f"the folder {FOLDER} ends at LBA {self._end}, or cannot be read "
                                 "there: no system finds what follows")

    def _found_folder(self):
        """The folder that a system opens, if its clusters are where the table states."""
        node = self._volume.find(FOLDER)
        if node is None or not node.is_directory:
            self.problems.append(f"the volume has no folder {FOLDER}")
            return None
        left = SECTOR_BYTES * (self._table.slots + 1) * self._table.block_sectors
        place = self.folder_lba
        try:
            for first, count in self._volume.clusters(node.set):
                if left > 0 and self._volume.lba(first) != place:
                    break
                size = count * self._volume.boot.cluster_bytes
                left, place = left - size, place + size // SECTOR_BYTES
        except Malformed as error:
            self.problems.append(f"the folder {FOLDER}: {error}")
            return None
        if left > 0:
            self.problems.append(f"the folder {FOLDER} is not where the recording table has it")
            return None
        return node

    @functools.cached_property
    def _end(self):
        """The first sector of the folder that ends it or cannot be read; without one, that after the last slot's."""
        sectors = self._table.slots * self._table.block_sectors
        for first in range(0, sectors, _CHUNK):
            count = min(_CHUNK, sectors - first)
            try:
                content = self._source.read(SECTOR_BYTES * (self.folder_lba + first), SECTOR_BYTES * count)
            except OSError:
                return self._slow_end(first, count)
            place = _first_end(content)
            if place is not None:
                return self.folder_lba + first + place // SECTOR_BYTES
        return self.folder_lba + sectors

    def _slow_end(self, first, count):
        for number in range(first, first + count):
            lba = self.folder_lba + number
            try:
                content = self._source.read(SECTOR_BYTES * lba, SECTOR_BYTES)
            except OSError:
                return lba
            if _first_end(content) is not None:
                return lba
        return self.folder_lba + first + count

    def other_owners(self, slot: Slot, *places: Any) -> list[str]:
        """The paths of other files that have clusters of ``slot``; ``places`` are the bytes of the
        disk where the entry sets of its own are."""
        return [] if self._ownership is None else self._ownership.others(slot, *places)

    def unused_file(self, slot: Slot) -> FileNode | None:
        """The :class:`.exfat.FileNode` of what is not used of ``slot``, or None."""
        return self._unused.get(slot.number)

    def against(self, slot: Slot) -> Taken | None:
        """Why ``slot`` is not free, a :class:`Taken`; None if nothing prevents it."""
        if self._is_old:
            slot = replace(slot, unused_crc=unused_crc(slot, SECTOR_BYTES << self._table.cluster_shift))
        return self._table_against(slot) or self._folder_against(slot) or self._volume_against(slot)

    def _table_against(self, slot):
        wanted = (self.folder_lba + slot.number * self._table.block_sectors, RECORDING_OFFSET,
                  UNUSED_OFFSET)
        if slot.unused_crc is None or \
                (slot.directory_lba, slot.recording_offset, slot.unused_offset) != wanted:
            return Taken("its sector of the recording table does not fit the others", True)
        return None

    def _folder_against(self, slot):
        if self._end < slot.directory_lba:
            return Taken("the folder ends before it, or cannot be read up to there")
        try:
            sector = self._source.read(SECTOR_BYTES * slot.directory_lba, SECTOR_BYTES)
        except OSError as error:
            return Taken(f"its directory sector cannot be read: {error}", True)
        if not is_free(sector, slot):
            return Taken("another system has changed its files")
        return None

    def _volume_against(self, slot):
        if SECTOR_BYTES * (slot.lba + slot.sectors) > self._source.size:
            return Taken("it ends beyond the end of the drive", True)
        if self._volume is None:
            return Taken("the file system cannot be read")
        if self._folder is None:
            return Taken(f"it is not in the folder {FOLDER} that systems open")
        place = SECTOR_BYTES * slot.directory_lba + slot.unused_offset
        node = self.unused_file(slot)
        if node is None or node.place != place:
            return Taken(f"{unused_name(slot.number)} is not reached from the root", True)
        if self._ownership.problems:
            return Taken(f"whose its clusters are is not known: {self._ownership.problems[0]}")
        if others := self.other_owners(slot, place):
            return Taken(f"its clusters belong to {others[0]}, too", True)
        if self._ownership.has_free(slot.first_cluster, slot.clusters):
            return Taken("some of its clusters are free in the allocation bitmap", True)
        if self._volume.lba(slot.first_cluster) != slot.lba or \
                slot.clusters << self._volume.boot.cluster_shift != slot.sectors:
            return Taken(f"its cluster {slot.first_cluster} is not at LBA {slot.lba}", True)
        return None


def _first_end(content):
    """The first byte of an entry that ends its directory, or None."""
    kinds = content[::ENTRY_BYTES]
    place = kinds.find(END_ENTRY)
    return None if place < 0 else place * ENTRY_BYTES
