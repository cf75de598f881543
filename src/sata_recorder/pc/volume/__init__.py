"""Recordings as files: pull the drive, plug it into a PC, open them.

:func:`prepare` makes a drive ready: partition table, exFAT with a contiguous place for each
recording, and the recording table that a sequencer reads (:mod:`.layout`, :mod:`.table`).
:func:`finalise` is the reference of what is written when a recording ends, :func:`finalise_image`
does it. :class:`Drive` lists the recordings and gives them as arrays, :func:`copy` copies them,
:func:`verify` checks all of it. docs/files.md describes the layout.

    with Drive("/dev/sdb") as drive:
        samples = drive.memmap(drive.recordings[0], "int16")
"""

from .copying import Copied, Hasher, copy, pieces
from .device import device_of
from .disk import DiskTarget, OpenDisk
from .disk_reader import DiskReader
from .disk_writer import DiskWriter, is_device, make_room, new_target, prepared_target
from .drive import Drive
from .exfat import Timestamp
from .finalise import FLUSH, SectorWrite, finalise
from .finalise_image import finalise_image, finalise_target
from .found_file import find_file
from .free_slots import way_out
from .harm import harm
from .layout import ALIGN_BYTES, Layout, LayoutError, layout
from .line_lengths import CopiedLine, LineLengths
from .md_member import is_md_member, is_mirror, refuse_mirror
from .order_sidecar import chosen
from .order import RecordedSegment, SectorOrder, SectorRange, SegmentEntry
from .partitions import table_sectors
from .prepare import held, prepare, prepare_target
from .recording import Recording, extents_of
from .refused import Refused
from .renew import Renewed, renew, renew_target
from .sidecar import KINDS, as_text, parse_sidecar, sidecar, sigmf
from .sigmf_global import EXTENSION, item_bytes, sigmf_global
from .table import MOST_GAPS, MOST_SLOTS, Log, LogEntry, RecordingTable, Slot
from .verify import Verified, verify

__all__ = ["ALIGN_BYTES", "Copied", "CopiedLine", "DiskReader", "DiskTarget", "DiskWriter", "Drive", "EXTENSION",
           "FLUSH", "Hasher", "KINDS", "Layout", "LayoutError", "LineLengths", "Log", "LogEntry",
           "MOST_GAPS", "MOST_SLOTS", "OpenDisk", "RecordedSegment", "Recording", "RecordingTable",
           "Refused", "Renewed", "SectorOrder", "SectorRange", "SectorWrite", "SegmentEntry", "Slot",
           "Timestamp", "Verified", "as_text", "chosen", "copy", "device_of", "extents_of", "finalise",
           "finalise_image", "finalise_target", "find_file", "harm", "held", "is_device", "is_md_member",
           "is_mirror", "item_bytes", "layout", "make_room", "new_target", "parse_sidecar", "pieces",
           "prepare", "prepare_target", "prepared_target", "refuse_mirror", "renew", "renew_target",
           "sidecar", "sigmf", "sigmf_global", "table_sectors", "verify", "way_out"]
