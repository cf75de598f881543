"""A recording, as the file system and its log have it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ...facts.units import SECTOR_BYTES, WORD_BYTES
from .entries_of_slot import FOLDER, data_name
from .exfat import FileSet, Volume
from .order import RING, TRIGGERED, RecordedSegment, SectorOrder, SectorRange
from .refused import Refused
from .table import Log, Slot

__all__ = ["Recording", "UNKNOWN_ORDER", "extents_of", "log_of_file", "recording_of_log"]

#: About a recording whose log states nothing about its file; the end of a sentence.
UNKNOWN_ORDER = "nothing shows in which order its sectors were recorded"


@dataclass(frozen=True)
class Recording:
    """A recording: a file, or, if the file system does not have it, what its log states.

    ``bytes`` is its length, and ``extents`` its sectors in the order of the file, each a :class:`.order.SectorRange`;
    ``slot`` the number of its slot, from 1. ``log`` is None if there is none, or that of another recording. What was
    written are ``valid_bytes``: beyond them a system shows zeros. ``old_bytes`` of its file after it are of what was
    there before. ``is_file`` is false if the file system does not, or no longer, have it. ``segments`` has each
    :class:`.order.RecordedSegment` of a ring, or of triggers; ``logged_bytes`` is its length by a log that does not fit
    its file. ``others`` are the paths of other files that have clusters of its slot; ``order_is_unknown``: its log is
    damaged, lost, or not its own.
    """

    name: str
    path: str
    bytes: int
    extents: tuple
    slot: int
    created: datetime | None
    log: Log | None
    valid_bytes: int
    old_bytes: int = 0
    is_file: bool = True
    segments: tuple = ()
    logged_bytes: int | None = None
    others: tuple = ()
    order_is_unknown: bool = False

    @property
    def contiguous(self) -> bool:
        """Whether its sectors are in one piece on the drive."""
        return len(self.extents) < 2

    @property
    def doubts(self) -> list[str]:
        """What is known to be wrong with it, or may be: ends of sentences about it."""
        found = []
        if self.others and not self.is_file:
            found.append(f"some of its sectors are those of {', '.join(self.others)} now")
        if self.order_is_unknown:
            found.append(UNKNOWN_ORDER)
        elif self.logged_bytes is not None:
            found.append(f"its file has {self.bytes:,} bytes, and its log {self.logged_bytes:,}: the power "
                         "failed at its end, or another system has changed the file")
        elif self.log is None:
            found.append("it has no log: the power failed before its end, or the log was lost; then nothing "
                         "shows whether these are segments")
        if self.log is not None:
            count, named = self.log.passed_over
            if count:
                later = ", or what was recorded there later" if self.order else ""
                found.append(f"{count:,} of its sectors were passed over, and hold what was there before{later}; "
                             f"the journal names {'all' if named == count else f'{named:,}'} of them")
            may_be_lost, named = self.log.doubtful
            if may_be_lost:
                found.append("what was in the drive's write cache when it was brought up again may be lost; the "
                             f"journal names {f'{named:,} such sectors' if named else 'no sector'}")
        return found

    @property
    def order(self) -> SectorOrder | None:
        """The :class:`.order.SectorOrder` of its sectors; None if that is the order of the file, or
        is not known."""
        return None if self.log is None else self.log.order

    def part(self, segment: int | None = None) -> tuple[Any, ...]:
        """(extents, bytes) of what was recorded, in its order: all, or that segment of it.

        Raises :exc:`.refused.Refused` if that is not one piece, or is not known.
        """
        order = self.order
        if segment is not None:
            segments = self.segments if order is not None and order.mode == TRIGGERED else ()
            for one in segments:
                if one.number == segment:
                    return one.extents, one.bytes
            there = ", ".join(str(one.number) for one in segments) or "none"
            raise Refused(f"segment {segment}: {self.name} has no such segment; it has {there}")
        if self.order_is_unknown:
            raise Refused(f"{self.name}: {UNKNOWN_ORDER}; --raw has that of their places")
        if order is None or order.is_recorded:
            return self.extents, self.bytes
        if order.mode == RING and self.segments:
            return self.segments[0].extents, self.segments[0].bytes
        if len(self.segments) == 1 == order.segments:
            return self.segments[0].extents, self.segments[0].bytes
        what = f"it has {order.segments} segments, of which one must be named"
        if not self.segments:
            what = "the order of its sectors cannot be read; --raw has that of their places"
        raise Refused(f"{self.name}: {what}")


def log_of_file(log: Log, slot: Slot, size: int) -> Log | None:
    """The log of a file of this many bytes in ``slot``, None if it is that of another recording. When
    the power fails, a log may have segments, or sectors of a ring, that the file does not have yet;
    and the file of a ring that has not wrapped may have all of its slot, which an update gave it."""
    order = log.order
    if (log.bytes, log.lba) == (size, slot.lba):
        return log
    if log.lba != slot.lba or order is None:
        return None
    if order.mode == TRIGGERED and size < log.bytes and size % (SECTOR_BYTES * order.part) == 0:
        return replace(log, bytes=size, ended=False, order=order.until(
            size // (SECTOR_BYTES * order.part)))
    # A ring whose first sectors were overwritten, or trimmed, had all of its slot before: a shorter file of it was cut.
    had_all = order.oldest > 0 if log.ended else order.written > order.part
    if order.mode == RING and size < log.bytes and not had_all:
        return replace(log, bytes=size, ended=False, crc32=None, order=replace(
            order, words=size // WORD_BYTES, written=-(-size // SECTOR_BYTES), oldest=0, table=()))
    if order.is_recorded and size == SECTOR_BYTES * slot.sectors:
        return log
    return None


def recording_of_log(slot: Slot, log: Log, segments: tuple[RecordedSegment, ...], others: Sequence[str]) -> Recording:
    """The :class:`Recording` that has a log and no file."""
    name = data_name(slot.number)
    return Recording(name, f"{FOLDER}/{name}", log.bytes,
                     (SectorRange(slot.lba, -(-log.bytes // SECTOR_BYTES)),), slot.number,
                     None if log.started is None else log.started.datetime(), log, log.bytes, is_file=False,
                     segments=segments, others=tuple(others))


def extents_of(volume: Volume, file: FileSet) -> Iterator[SectorRange]:
    """The :class:`.order.SectorRange` of each run of clusters of a file, the last one cut at its
    end."""
    left = -(-file.size // SECTOR_BYTES)
    for first, count in volume.clusters(file):
        sectors = min(left, count << volume.boot.cluster_shift)
        yield SectorRange(volume.lba(first), sectors)
        left -= sectors
