"""In which order the sectors of a file were recorded: a ring, and the segments of triggers.

The file has the sectors in the order of their places in the slot. docs/recording.md has the modes,
docs/files.md the fields.
"""

import struct
from dataclasses import dataclass, replace
from typing import Self

from ...facts.units import SECTOR_BYTES, SECTOR_WORDS, WORD_BYTES
from .exfat import Malformed

__all__ = ["ORDER_BYTES", "ORDER_OFFSET", "RING", "RecordedSegment", "SectorOrder", "SectorRange",
           "SegmentEntry", "TABLE_BYTES", "TRIGGERED", "segments_of"]

RING, TRIGGERED = 2, 3
_MODES = {RING: "RING", TRIGGERED: "TRIGGERED"}
#: Entries of the table of segments: the latest ones.
_ENTRIES = 16
_ENTRY = struct.Struct("<8Q")
TABLE_BYTES = _ENTRIES * _ENTRY.size
#: Where the order is in the first sector of a log.
ORDER_OFFSET = 136
_FIELDS = struct.Struct("<BBHxxxxQQQQ")
ORDER_BYTES = _FIELDS.size


@dataclass(frozen=True)
class SectorRange:
    """``sectors`` of 512 bytes in a row, from ``lba`` on, as the disk counts them."""

    lba: int
    sectors: int


@dataclass(frozen=True)
class SegmentEntry:
    """An entry of the core's table of segments (docs/recording.md), as 8 numbers.

    ``first``, ``trigger`` and ``end`` are numbers of words of 32 bits, from the beginning of the recording: of the
    first one in its part, the first one after its trigger, and the one after its last. ``first_time``,
    ``trigger_time`` and ``gap_time`` are clocks of the core since its reset: when its first word came, its trigger,
    and when a word of it waited for the first time. ``waited`` counts the clocks in which a word waited, from the
    first word of the recording to the end of the segment. ``flags`` are bits, which the properties give.
    """

    first: int
    trigger: int
    end: int
    first_time: int = 0
    trigger_time: int = 0
    waited: int = 0
    gap_time: int = 0
    flags: int = 0

    @property
    def is_triggered(self) -> bool:
        """Whether its trigger has come."""
        return bool(self.flags & 1)

    @property
    def is_complete(self) -> bool:
        """Whether it has all the words after its trigger."""
        return bool(self.flags & 2)

    @property
    def has_waited(self) -> bool:
        """Whether a word of it waited for room."""
        return bool(self.flags & 4)

    @property
    def more_triggers(self) -> int:
        """Triggers that made it longer, or for which there was no segment."""
        return self.flags >> 16 & 0xFFFF


@dataclass(frozen=True)
class SectorOrder:
    """What a log states about the order of the sectors, of 512 bytes.

    ``mode`` is 2 for a ring, 3 for segments of triggers; ``part`` the sectors of the part of each segment, in a ring
    all of them; ``words`` of 32 bits that were accepted, None: unknown; ``written`` the sectors of the recording that
    are written, or were passed over; ``oldest`` the number of the first one of its last segment that is still there;
    ``segments`` how many there were, and ``table`` the :class:`SegmentEntry` of the latest ones, the oldest first;
    ``spare`` the bytes of the last word that do not belong to the recording.
    """

    mode: int
    part: int
    words: int | None
    written: int
    oldest: int
    segments: int = 1
    table: tuple = ()
    spare: int = 0

    @property
    def name(self) -> str:
        return _MODES[self.mode]

    @property
    def has_wrapped(self) -> bool:
        """Whether it is a ring whose first sectors are no longer there."""
        return self.mode == RING and self.oldest > 0

    @property
    def is_recorded(self) -> bool:
        """Whether the file has its sectors in the order in which they were recorded."""
        return self.mode == RING and not self.oldest

    def until(self, segments: int) -> Self:
        """The order as it was when this many segments had ended; only with TRIGGERED."""
        lowest = self.segments - len(self.table)
        if segments >= self.segments:
            return self
        if segments < lowest:
            # Only the table would state where the last of them ended.
            return replace(self, segments=segments, table=(), words=None, written=0, oldest=0,
                           spare=0)
        reached = self.table[segments - lowest].first // SECTOR_WORDS
        return replace(self, segments=segments, table=self.table[:segments - lowest], spare=0,
                       words=SECTOR_WORDS * reached, written=reached,
                       oldest=max(0, reached - self.part))

    def pack(self) -> tuple[bytes, bytes]:
        """The fields in the first sector of the log, and the two sectors of the table. Raises ``ValueError`` for more
        entries than the table has room for, or than there were segments."""
        if len(self.table) > _ENTRIES or len(self.table) > self.segments:
            raise ValueError(f"the table of segments has at most {_ENTRIES} entries, and no more "
                             f"than there were segments, not {len(self.table)}")
        table = bytearray(TABLE_BYTES)
        for number, entry in enumerate(self.table, self.segments - len(self.table)):
            _ENTRY.pack_into(table, _ENTRY.size * (number % _ENTRIES), *vars(entry).values())
        return _FIELDS.pack(self.mode, self.spare, self.segments, self.part, self.words,
                            self.written, self.oldest), bytes(table)

    @classmethod
    def parse(cls, fields: bytes, table: bytes | None, *, ended: bool = True) -> Self:
        """The order in these parts of a log; ``table`` is None if it cannot be read. Unless the
        recording has ``ended``, entries of later segments may have replaced the oldest ones.

        Raises :exc:`.exfat.Malformed`.
        """
        mode, spare, segments, part, words, written, oldest = _FIELDS.unpack(fields)
        if mode not in _MODES or not 0 < part < 1 << 48 or spare > 3:
            raise Malformed("has a log with impossible fields")
        # The core counts words modulo 2^48, which a ring that runs for weeks reaches.
        words += (SECTOR_WORDS * written - words + (1 << 47) >> 48) << 48
        entries: tuple[SegmentEntry, ...] = ()
        if table is not None:
            found = [SegmentEntry(*entry) for entry in _ENTRY.iter_unpack(table)]
            entries = tuple(found[number % _ENTRIES]
                            for number in range(max(0, segments - _ENTRIES), segments))
            if not ended:
                # It has nothing yet about a ring that continues.
                entries = () if mode == RING else tuple(
                    entry for entry in entries if entry.first < words)
        return cls(mode, part, words, written, oldest, segments, entries, spare)


@dataclass(frozen=True)
class RecordedSegment:
    """What is there of a segment, or of a ring, in the order in which it was recorded.

    ``number`` is from 1, that of a ring is 1; ``bytes`` are its length; ``extents`` its sectors, none, one or two
    :class:`SectorRange`; ``first_word`` the number in the recording of the first word of 32 bits that is there, and
    ``overwritten_words`` how many of it were before that one; ``entry`` is None if the table could not be read.
    """

    number: int
    bytes: int
    extents: tuple
    first_word: int
    overwritten_words: int
    entry: SegmentEntry | None

    @property
    def trigger_offset(self) -> int | None:
        """The byte of the first word after the trigger; None without one, or if that word is
        not there."""
        if self.entry is None or not self.entry.is_triggered:
            return None
        offset = WORD_BYTES * (self.entry.trigger - self.first_word)
        return offset if 0 <= offset < self.bytes else None


def segments_of(lba: int, sectors: int, order: SectorOrder, failed: bool) -> tuple[RecordedSegment, ...]:
    """The :class:`RecordedSegment` of each that the table still knows, in a slot of
    ``sectors`` from ``lba`` on; one for a ring. ``failed``: the recording has ended with an
    error.

    Raises :exc:`.exfat.Malformed` for what cannot be in such a slot.
    """
    parts = max(order.segments, 1) if order.mode == TRIGGERED else 1
    if order.part * parts > sectors:
        raise Malformed(f"has a log of {parts} parts of {order.part} sectors in a slot of "
                        f"{sectors}")
    if order.mode == RING:
        entry = order.table[0] if order.table else None
        return (_segment(1, lba, 0, order.oldest, order.words, order, entry),)
    found = []
    for place, entry in enumerate(order.table):
        number = order.segments - len(order.table) + place
        first = entry.first // SECTOR_WORDS
        oldest = max(first, order.oldest)
        if place + 1 < len(order.table):
            # It is unknown how far the command that failed had come in this part.
            reached = order.table[place + 1].first // SECTOR_WORDS
            oldest = max(first, (reached if failed else min(reached, order.written)) - order.part)
        found.append(_segment(number + 1, lba + order.part * number, first, oldest,
                              min(entry.end, order.words), order, entry))
    return tuple(found)


def _segment(number, lba, first, oldest, end, order, entry):
    """The segment whose part begins at ``lba`` with sector ``first``, from sector ``oldest`` to
    word ``end``."""
    end = min(end, SECTOR_WORDS * order.written)
    size = WORD_BYTES * end - SECTOR_BYTES * oldest - order.spare * (end == order.words)
    if size <= 0:
        return RecordedSegment(number, 0, (), SECTOR_WORDS * oldest, 0, entry)
    count, place = -(-size // SECTOR_BYTES), (oldest - first) % order.part
    before = min(count, order.part - place)
    extents = [SectorRange(lba + place, before)]
    if count > before:
        extents.append(SectorRange(lba, count - before))
    return RecordedSegment(number, size, tuple(extents), SECTOR_WORDS * oldest,
                   SECTOR_WORDS * (oldest - first), entry)
