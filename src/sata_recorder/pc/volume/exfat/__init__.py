"""The exFAT file system: its structures, a reader, and what an empty volume consists of.

Written from Microsoft's "exFAT file system specification", revision 1.00; each module names its
sections. PyPI has no library that makes such volumes: dissect.fat only reads them, exfat-raw only
changes times. Recordings need what neither has: files that are contiguous, at places of our choice,
and the place of each directory entry.
"""

from .boot import (BOOT_REGION_SECTORS, DIRTY, MEDIA_FAILURE, BootSector, boot_region,
                   parse_boot_region, settled_region)
from .check import check
from .entries import (ARCHIVE, DIRECTORY, END_ENTRY, ENTRY_BYTES, HIDDEN, IN_USE, READ_ONLY, SYSTEM,
                      UNUSED_ENTRY, FileSet, Timestamp, bitmap_entry, check_name, label_entry,
                      masked, name_hash, set_checksum, upcase_entry)
from .fat import Bitmap, chain_entries, first_entries
from .malformed import Malformed
from .upcase import UPCASE_TABLE, table_checksum
from .volume import FileNode, Volume, path_key

__all__ = ["ARCHIVE", "BOOT_REGION_SECTORS", "Bitmap", "BootSector", "DIRECTORY", "DIRTY",
           "END_ENTRY", "ENTRY_BYTES", "FileSet", "HIDDEN", "IN_USE", "MEDIA_FAILURE", "Malformed", "FileNode",
           "READ_ONLY", "SYSTEM", "Timestamp", "UNUSED_ENTRY", "UPCASE_TABLE", "Volume",
           "bitmap_entry", "boot_region", "chain_entries", "check", "check_name", "first_entries",
           "label_entry", "masked", "name_hash", "parse_boot_region", "path_key", "set_checksum",
           "settled_region", "table_checksum", "upcase_entry"]
