"""Recordings as files: pull the drive, plug it into a PC, open them.

:func:`prepare` makes a drive ready: partition table, exFAT with a contiguous place for each
recording, and the recording table that a sequencer reads (:mod:`.layout`, :mod:`.table`).
:func:`finalise` is the reference of what is written when a recording ends, :func:`finalise_image`
does it. :class:`Drive` lists the recordings and gives them as arrays, :func:`copy` copies them,
:func:`verify` checks all of it. docs/files.md describes the layout.

    with Drive("/dev/sdb") as drive:
        samples = drive.memmap(drive.recordings[0], "int16")
"""

from .copying import Copied, copy
from .disk_reader import DiskReader
from .drive import Drive
from .exfat import Timestamp
from .finalise import FLUSH, SectorWrite, finalise
from .finalise_image import finalise_image
from .found_file import find_file
from .free_slots import way_out
from .harm import harm
from .layout import ALIGN_BYTES, Layout, LayoutError, layout
from .order import RecordedSegment, SectorOrder, SectorRange, SegmentEntry
from .prepare import prepare
from .recording import Recording
from .refused import Refused
from .renew import Renewed, renew
from .sidecar import KINDS, as_text, item_bytes, parse_sidecar, sidecar, sigmf
from .table import MOST_GAPS, MOST_SLOTS, Log, LogEntry, RecordingTable, Slot
from .verify import Verified, verify

__all__ = ["ALIGN_BYTES", "Copied", "DiskReader", "Drive", "FLUSH", "KINDS", "Layout",
           "LayoutError", "Log", "LogEntry", "MOST_GAPS", "MOST_SLOTS", "RecordedSegment",
           "Recording", "RecordingTable", "Refused", "Renewed", "SectorOrder", "SectorRange", "SectorWrite",
           "SegmentEntry", "Slot", "Timestamp", "Verified", "as_text", "copy", "finalise",
           "finalise_image", "find_file", "harm", "item_bytes", "layout", "parse_sidecar",
           "prepare", "renew", "sidecar", "sigmf", "verify", "way_out"]
