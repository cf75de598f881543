"""What shows that a drive is still the one that was prepared: three proofs in the recording table.

Partition table, boot region, and the entry set of the folder in the root directory are compared by
a CRC-32 with what they were. What other systems change when they only mount a volume, list a folder
or read a file is left out (docs/files.md). Hardware compares the same words.
"""

import zlib

from ...facts.units import SECTOR_BYTES, WORD_BYTES
from .disk_reader import DiskSource
from .entries_of_slot import FOLDER, set_crc
from .exfat import (BOOT_REGION_SECTORS, END_ENTRY, ENTRY_BYTES, set_checksum, settled_region)
from .partitions import table_sectors
from .table import Proof, RecordingTable

__all__ = ["SET_BYTES", "failed_proofs", "proofs_of"]

#: The first whole word of the partition records in the protective MBR, after boot code and disk signature: its byte.
_TABLE_FIRST = 448
#: Bytes of the folder's entry set in the root.
SET_BYTES = 3 * ENTRY_BYTES
_WHAT = ("the partition table is not the one that was prepared",
         "the file system is not the one that was prepared: the partition was formatted since",
         f"the folder {FOLDER} is not the one that was prepared: it was renamed, moved, deleted or "
         "made larger")


def proofs_of(source: DiskSource, partition_lba: int, root_lba: int, folder_entry: int,
              unit: int = 1) -> tuple[Proof, ...]:
    """The :class:`.table.Proof` of partition table, boot region and folder, as they are now.

    Parameters: ``source`` has ``read(offset, size)``; ``partition_lba`` is where the volume begins,
    ``root_lba`` where its root directory does, and the entry set of the folder is at byte
    ``folder_entry`` of that; a logical sector has ``unit`` sectors. Raises ``OSError``.
    """
    size = folder_entry + SET_BYTES
    proofs = (Proof(0, table_sectors(unit)[0], _TABLE_FIRST // WORD_BYTES, 0),
              Proof(partition_lba, BOOT_REGION_SECTORS * unit, 0, 0),
              Proof(root_lba, -(-size // (unit * SECTOR_BYTES)) * unit, folder_entry // WORD_BYTES, 0))
    return tuple(Proof(one.lba, one.sectors, one.first, crc) for one, (crc, _) in zip(
        proofs, _compared(source, proofs), strict=True))


def failed_proofs(source: DiskSource, table: RecordingTable) -> list[str]:
    """Why the drive is not as the :class:`.table.RecordingTable` states that it was prepared: a
    sentence for each proof that fails. Raises ``OSError``."""
    return [what for what, proof, (crc, sound) in zip(
        _WHAT, table.proofs, _compared(source, table.proofs), strict=True)
        if crc != proof.crc or not sound]


def _compared(source, proofs):
    """(CRC-32, whether the rest is right) of each proof."""
    partition, boot, folder = (source.read(SECTOR_BYTES * one.lba, SECTOR_BYTES * one.sectors)
                               for one in proofs)
    first = WORD_BYTES * proofs[2].first
    entries = folder[first:first + SET_BYTES].ljust(SET_BYTES, b"\0")
    ends = any(folder[place] == END_ENTRY for place in range(0, min(first, len(folder)), ENTRY_BYTES))
    return ((zlib.crc32(partition[WORD_BYTES * proofs[0].first:]), True),
            (zlib.crc32(settled_region(boot)[WORD_BYTES * proofs[1].first:]), True),
            (set_crc(entries), not ends and set_checksum(entries) == int.from_bytes(
                entries[2:4], "little")))
