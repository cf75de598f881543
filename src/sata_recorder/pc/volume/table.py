"""The recording table: what a sequencer without a processor reads from a prepared drive, and the
log that it leaves for each recording.

All numbers are little-endian; each sector ends in the CRC-32 (that of zlib and Ethernet) of its
first 508 bytes. docs/files.md has the layout field by field.
"""

import builtins
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from ...facts.units import LONG_SECTOR_BLOCKS, SECTOR_BYTES
from .exfat import Malformed, Timestamp
from .line_lengths import LINES_OFFSET, LineLengths
from .order import ORDER_BYTES, ORDER_OFFSET, TABLE_BYTES, SectorOrder

__all__ = ["HEADER_LBA", "JOURNAL_BYTES", "LOG_BYTES", "Log", "LogEntry", "MOST_GAPS",
           "MOST_BLOCK", "MOST_LOG_BYTES", "MOST_SLOTS", "PROOFS", "Proof", "RecordingTable", "Slot",
           "VERSION", "pack_journal", "parse_journal", "sealed"]

#: Of header and slots. Version 1 has no proofs: it does not show what another system has done since. Version 3 is
#: the header of a drive with logical sectors of 4096 bytes, whose slots take one each.
VERSION, LONG_VERSION = 2, 3
_VERSIONS = 1, VERSION
_HEADER_VERSIONS = 1, VERSION, LONG_VERSION
_LOG_VERSION = 1
#: Of a log that has the order of the sectors, and of one whose recording has not ended.
_ORDER_VERSION, _UPDATE_VERSION = 2, 3
MOST_SLOTS = 4096
#: Where the header is on every prepared drive: after the partition table, before the partition.
HEADER_LBA = 1024
_HEADER, _SLOT, _LOG = b"SATA REC", b"SATA SLT", b"SATA LOG"
_HEADER_FIELDS = struct.Struct("<8sIIQQIIQQQ16s")
_PROOF_FIELDS = struct.Struct("<QHHI")
#: Partition table, boot region, entry set of the folder.
PROOFS = 3
_FOLDER_FIELD = struct.Struct("<Q")
_SLOT_FIELDS = struct.Struct("<8sIIQQIIQIIQI")
#: Most sectors of a block of the folder; those of a proof are fewer than these.
MOST_BLOCK, MOST_PROOF = 256, 512
_LOG_FIELDS = struct.Struct("<8sIIQQIIIBBxxIIQII40s20sI")
_JOURNAL_ENTRY = struct.Struct("<QQQQ")
#: The last byte of a sector where an entry set of three entries can begin.
_LAST_SET = SECTOR_BYTES - 96
JOURNAL_ENTRIES = 32
#: The kind of a journal entry for sectors that were passed over.
_SKIPPED = 2
#: The kinds for sectors that may be lost: of the command in flight, and of the drive's write cache.
_DOUBTFUL = (3, 4)
#: Where a log of any version has the number of all sectors passed over.
_SKIPPED_FIELD, _SKIPPED_OFFSET = struct.Struct("<Q"), 176
#: Gaps among the entries of a journal; the others are kept for how the recording ends.
MOST_GAPS = 29
JOURNAL_BYTES = JOURNAL_ENTRIES * _JOURNAL_ENTRY.size
#: Bytes of a log, and of one with the table of segments.
LOG_BYTES = SECTOR_BYTES + JOURNAL_BYTES
MOST_LOG_BYTES = LOG_BYTES + TABLE_BYTES
#: Flags of a log: which of its fields are valid.
_HAS_CRC, _HAS_TIME, _HAS_DRIVE, _JOURNAL_FULL, _IN_DOUBT, _HAS_LINES = 1, 2, 4, 8, 32, 64


def sealed(content: bytes) -> bytes:
    """A sector that begins with ``content`` and ends with the CRC-32 of all before it."""
    content += bytes(SECTOR_BYTES - 4 - len(content))
    return content + struct.pack("<I", zlib.crc32(content))


def _opened(sector, magic, fields, what, versions=_VERSIONS):
    """Version and fields of a sector after its magic. Raises :exc:`.exfat.Malformed`."""
    if sector[:8] != magic:
        raise Malformed(f"has no {what}")
    if struct.unpack("<I", sector[-4:])[0] != zlib.crc32(sector[:-4]):
        raise Malformed(f"has a {what} whose CRC-32 differs")
    _, version, *values = fields.unpack_from(sector)
    if version not in versions:
        raise Malformed(f"has a {what} of version {version}, only "
                        f"{' and '.join(map(str, versions))} {'are' if versions[1:] else 'is'} "
                        "known")
    return version, *values


@dataclass(frozen=True)
class Proof:
    """Sectors that must be as they were when the drive was prepared (:mod:`.proofs`)."""

    lba: int
    sectors: int
    first: int                  # the first word of 32 bits that counts
    crc: int                    # of what counts


@dataclass(frozen=True)
class RecordingTable:
    """The header of the recording table; one sector for each slot follows it. Sectors are of 512 bytes.

    ``slots`` is how many there are; ``slots_lba`` is that of the sector of slot 1, ``log_lba`` that of its log. A
    cluster has 1 << ``cluster_shift`` sectors. ``block_sectors`` are from a log to the next one, and from the entry
    sets of a slot to those of the next one. The disk has ``disk_sectors``, the partition ``partition_sectors`` from
    ``partition_lba`` on. ``identifier`` is 16 random bytes; ``folder_lba`` the first sector of the folder, where slot n
    is n blocks after it; ``proofs`` the :class:`Proof` of each of :mod:`.proofs`, none in version 1.
    """

    slots: int
    slots_lba: int
    log_lba: int
    cluster_shift: int
    block_sectors: int
    disk_sectors: int
    partition_lba: int
    partition_sectors: int
    identifier: bytes
    folder_lba: int = 0
    proofs: tuple = ()

    @property
    def unit(self) -> int:
        """Sectors of a logical sector of the drive, 1 or 8: each slot has one."""
        return self.slots_lba - HEADER_LBA

    def in_rows(self, slots: Sequence["Slot"]) -> bytes:
        """The sectors of ``slots``, from that of slot 1 on."""
        return b"".join(slot.pack().ljust(SECTOR_BYTES * self.unit, b"\0") for slot in slots)

    def pack(self) -> bytes:
        """The sector."""
        return sealed(_HEADER_FIELDS.pack(
            _HEADER, VERSION if self.unit == 1 else LONG_VERSION, self.slots, self.slots_lba, self.log_lba,
            self.cluster_shift,
            self.block_sectors, self.disk_sectors, self.partition_lba, self.partition_sectors,
            self.identifier) + b"".join(_PROOF_FIELDS.pack(
                one.lba, one.sectors, one.first, one.crc) for one in self.proofs)
            + _FOLDER_FIELD.pack(self.folder_lba))

    @staticmethod
    def is_one(sector: bytes) -> bool:
        """Whether a sector begins as a header does."""
        return sector[:len(_HEADER)] == _HEADER

    @classmethod
    def parse(cls, sector: bytes) -> Self:
        """The header in a sector. Raises :exc:`.exfat.Malformed`."""
        version, *fields = _opened(sector, _HEADER, _HEADER_FIELDS, "recording table", _HEADER_VERSIONS)
        found = cls(*fields)
        if found.unit != (LONG_SECTOR_BLOCKS if version == LONG_VERSION else 1):
            raise Malformed("has a recording table with impossible fields")
        if version != 1:
            place = _HEADER_FIELDS.size + PROOFS * _PROOF_FIELDS.size
            found = replace(
                found, folder_lba=_FOLDER_FIELD.unpack_from(sector, place)[0],
                proofs=tuple(Proof(*row) for row in _PROOF_FIELDS.iter_unpack(
                    sector[_HEADER_FIELDS.size:place])))
        if not (1 <= found.slots <= MOST_SLOTS and found.cluster_shift <= 16
                and 1 <= found.block_sectors <= MOST_BLOCK
                and all(1 <= proof.sectors < MOST_PROOF for proof in found.proofs)
                and max(found.slots_lba, found.log_lba, found.partition_lba, found.folder_lba,
                        *(proof.lba for proof in found.proofs)) < 1 << 48):
            raise Malformed("has a recording table with impossible fields")
        return found


@dataclass(frozen=True)
class Slot:
    """The place of a recording: ``sectors`` of 512 bytes from ``lba`` on, which are the ``clusters`` from
    ``first_cluster`` on.

    ``number`` is from 1. ``directory_lba`` is that of the sector with both entry sets; the recording's begins at its
    byte ``recording_offset``, that of what the recording leaves over at ``unused_offset``. ``log_lba`` is the first
    sector of the log; ``unused_crc`` the CRC-32 of the unused file's set while all is unused, None in version 1.
    """

    number: int
    lba: int
    sectors: int
    first_cluster: int
    clusters: int
    directory_lba: int
    recording_offset: int
    unused_offset: int
    log_lba: int
    unused_crc: int | None = None

    def pack(self) -> bytes:
        """The sector."""
        return sealed(_SLOT_FIELDS.pack(
            _SLOT, VERSION, self.number, self.lba, self.sectors, self.first_cluster, self.clusters,
            self.directory_lba, self.recording_offset, self.unused_offset, self.log_lba,
            self.unused_crc or 0))

    @classmethod
    def parse(cls, sector: bytes, number: int) -> Self:
        """Slot ``number`` in a sector. Raises :exc:`.exfat.Malformed`."""
        version, *fields = _opened(sector, _SLOT, _SLOT_FIELDS, f"slot {number}")
        found = cls(*fields)
        if version != VERSION:
            found = replace(found, unused_crc=None)
        if found.number != number:
            raise Malformed(f"has slot {found.number} in the place of slot {number}")
        if not (found.sectors and max(found.lba + found.sectors, found.directory_lba,
                                      found.log_lba) < 1 << 48
                and max(found.recording_offset, found.unused_offset) <= _LAST_SET):
            raise Malformed(f"has a slot {number} with impossible fields")
        return found

    @property
    def bytes(self) -> int:
        """Its size in bytes: the most that a recording in it may have."""
        return SECTOR_BYTES * self.sectors


@dataclass(frozen=True)
class LogEntry:
    """An entry of the core's journal (docs/recovery.md), which is 4 numbers of 64 bits.

    ``kind`` is 1 for a gap, 2 for sectors passed over, 3 in doubt, 4 not flushed; ``cause`` is the code of the failure,
    0 to 15. Of a gap ``position`` is how many words of 32 bits are before it, ``length`` how many were lost, and
    ``clocks`` of the core how long it lasted; of the others they are the first LBA, sectors of 512 bytes, and 0.
    """

    kind: int
    cause: int
    position: int
    length: int
    clocks: int = 0


def pack_journal(entries: Sequence[Any]) -> builtins.bytes:
    """The two sectors of a journal."""
    content = b"".join(_JOURNAL_ENTRY.pack(entry.kind | entry.cause << 4, entry.position,
                                           entry.length, entry.clocks) for entry in entries)
    if len(content) > JOURNAL_BYTES:
        raise ValueError(f"a journal has at most {JOURNAL_ENTRIES} entries, not {len(entries)}")
    return content + bytes(JOURNAL_BYTES - len(content))


def parse_journal(content: builtins.bytes) -> list[Any]:
    """The entries of a journal."""
    return [LogEntry(kind & 15, kind >> 4 & 15, *rest)
            for kind, *rest in _JOURNAL_ENTRY.iter_unpack(content) if kind]


@dataclass(frozen=True)
class Log:
    """What is known about a recording besides its data. ``None`` is what was not reported.

    ``slot`` is the number of its slot, ``bytes`` the length of its file, ``lba`` that of its first sector. ``clock_hz``
    is the clock of the core in Hz, 0: not reported; ``error`` that of the operation, as the core's port of this name;
    ``lost_words`` of 32 bits; ``crc32`` that of its bytes, None if the file is not in its order; ``started`` when,
    and ``model`` and ``serial`` of the drive. ``journal`` has each :class:`LogEntry`, ``journal_full``: there were more
    than it holds. ``order`` is that of the sectors of a ring and of segments; ``high_water`` the highest fill of the
    core's buffer, in words of 32 bits. ``ended`` is false, with an order, if it continued after what this log
    describes. ``skipped`` counts the sectors of 512 bytes that were passed over, in all of its operations;
    ``in_doubt``: in one of them what was in the drive's write cache may have been lost. ``lines`` are of a core whose
    log has them.
    """

    slot: int
    bytes: int
    lba: int
    clock_hz: int = 0
    error: int = 0
    lost_words: int = 0
    crc32: int | None = None
    started: Timestamp | None = None
    model: str | None = None
    serial: str | None = None
    journal: tuple = ()
    journal_full: bool = False
    order: SectorOrder | None = None
    high_water: int | None = None
    ended: bool = True
    skipped: int = 0
    in_doubt: bool = False
    lines: LineLengths | None = None

    @property
    def passed_over(self) -> tuple[int, int]:
        """(sectors that were passed over, those of them that the journal names)."""
        named = sum(entry.length for entry in self.journal if entry.kind == _SKIPPED)
        return max(self.skipped, named), named

    def pack(self) -> builtins.bytes:
        """The three sectors: the log, and the journal; two more with the table of segments."""
        rest, fields, version = pack_journal(self.journal), b"", _LOG_VERSION
        if self.order is not None:
            order, table = self.order.pack()
            fields = bytes(ORDER_OFFSET - _LOG_FIELDS.size) + order
            rest, version = rest + table, _ORDER_VERSION if self.ended else _UPDATE_VERSION
        fields = fields.ljust(_SKIPPED_OFFSET - _LOG_FIELDS.size, b"\0") + _SKIPPED_FIELD.pack(self.skipped)
        flags = (_HAS_CRC * (self.crc32 is not None) | _HAS_TIME * (self.started is not None)
                 | _HAS_DRIVE * (self.serial is not None) | _JOURNAL_FULL * self.journal_full
                 | _IN_DOUBT * self.in_doubt | _HAS_LINES * (self.lines is not None))
        if self.lines is not None:
            fields = fields.ljust(LINES_OFFSET - _LOG_FIELDS.size, b"\0") + self.lines.pack()
        time = self.started or Timestamp(0, 0, 0)
        return sealed(_LOG_FIELDS.pack(
            _LOG, version, self.slot, self.bytes, self.lba, flags, self.crc32 or 0, time.seconds,
            time.ten_ms, time.offset, self.clock_hz, self.error, self.lost_words,
            len(self.journal), zlib.crc32(rest), _text(self.model, 40), _text(self.serial, 20),
            self.high_water or 0) + fields) + rest

    @property
    def doubtful(self) -> tuple[bool, int]:
        """(whether sectors may not hold what was recorded, and no CRC-32 shows it; how many of them the journal
        names)."""
        named = sum(entry.length for entry in self.journal if entry.kind in _DOUBTFUL)
        return self.crc32 is None and (self.in_doubt or named > 0), named

    @staticmethod
    def has_table(content: builtins.bytes) -> bool:
        """Whether the log that begins with this has the table of segments."""
        return int.from_bytes(content[8:12], "little") in (_ORDER_VERSION, _UPDATE_VERSION)

    @classmethod
    def parse(cls, content: builtins.bytes, *, whole: bool = True) -> Self:
        """The log in its sectors. Without ``whole``, journal and table of segments are left out
        if their CRC-32 differs. The first sector of a log that has not ended is independent:
        of the table after it, what can be its own is used. Raises :exc:`.exfat.Malformed`."""
        (version, slot, size, lba, flags, crc, seconds, ten_ms, offset, clock, error, lost, entries,
         journal_crc, model, serial, high_water) = _opened(
             content[:SECTOR_BYTES], _LOG, _LOG_FIELDS, "log",
             (_LOG_VERSION, _ORDER_VERSION, _UPDATE_VERSION))
        has_order, ended = version != _LOG_VERSION, version != _UPDATE_VERSION
        rest = content[SECTOR_BYTES:][:JOURNAL_BYTES + TABLE_BYTES * has_order]
        is_whole = ended and zlib.crc32(rest) == journal_crc
        if whole and ended and not is_whole:
            raise Malformed("has a log whose journal has another CRC-32")
        journal = rest[:JOURNAL_BYTES] if is_whole else b""
        log = cls(slot, size, lba, clock, error, lost,
                  journal=tuple(parse_journal(journal)[:entries]), high_water=high_water or None,
                  journal_full=bool(flags & _JOURNAL_FULL) or not is_whole,
                  skipped=_SKIPPED_FIELD.unpack_from(content, _SKIPPED_OFFSET)[0],
                  in_doubt=bool(flags & _IN_DOUBT))
        if has_order:
            table = rest[JOURNAL_BYTES:] if is_whole or not ended else b""
            log = replace(log, ended=ended, order=SectorOrder.parse(
                content[ORDER_OFFSET:ORDER_OFFSET + ORDER_BYTES],
                table if len(table) == TABLE_BYTES else None, ended=ended))
        if flags & _HAS_LINES:
            log = replace(log, lines=LineLengths.parse(content[:SECTOR_BYTES]))
        if flags & _HAS_CRC:
            log = replace(log, crc32=crc)
        if flags & _HAS_TIME:
            log = replace(log, started=Timestamp(seconds, ten_ms, offset))
        if flags & _HAS_DRIVE:
            log = replace(log, model=_untext(model), serial=_untext(serial))
        return log


def _text(text, size):
    return (text or "").encode("ascii", "replace")[:size].ljust(size)


def _untext(content):
    return content.decode("ascii", "replace").strip(" \0")
