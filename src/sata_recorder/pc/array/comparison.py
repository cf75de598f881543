"""Compares two mirrors, sector by sector, and finds which recordings and tables differ."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from ...facts.units import SECTOR_BYTES
from ..volume import Drive, SectorRange, Verified, copy, extents_of, pieces, table_sectors
from .mirrors import MirrorReader

__all__ = ["SectorPlaces", "compare_mirrors", "differing_runs"]

#: Bytes that are compared at once where something differs, before single sectors are.
_SMALL = 64 << 10
#: Ranges of each thing that are named.
_NAMED = 4
_TABLES = "tables and file system"


@dataclass
class SectorPlaces:
    """Sectors of one thing: how many, in how many ranges, and the first ranges."""

    sectors: int = 0
    ranges: int = 0
    named: list[tuple[int, int]] = field(default_factory=list)      # (first, end)
    end: int | None = None                                          # of the latest range

    def add(self, first: int, end: int) -> None:
        """Adds sectors that come after all others."""
        goes_on, self.end = first == self.end, end
        self.sectors += end - first
        self.ranges += not goes_on
        if self.ranges == len(self.named):
            self.named[-1] = (self.named[-1][0], end)
        elif self.ranges <= _NAMED:
            self.named.append((first, end))

    def __str__(self) -> str:
        texts = [f"{first}" if end == first + 1 else f"{first} to {end - 1}" for first, end in self.named]
        if self.ranges > len(texts):
            more = self.ranges - len(texts)
            texts.append("1 more range" if more == 1 else f"{more} more ranges")
        count = "1 sector" if self.sectors == 1 else f"{self.sectors} sectors"
        return f"{count}: LBA {', '.join(texts)}"


def compare_mirrors(drive: Drive, found: Verified, progress: Callable[[int], object] | None = None) -> None:
    """Adds to ``found`` the state of the mirrors that ``drive`` is on, and where they differ; nothing for other drives.

    What differs in a recording, in the tables or in a file is a problem, and so is a mirror that is lost or cannot be
    read; what differs where no file is, is a note: `prepare` does not write there. ``progress`` is called with the
    bytes compared.
    """
    mirror = drive.source
    if not isinstance(mirror, MirrorReader):
        return
    (found.problems if mirror.is_degraded else found.notes).extend(mirror.notes)
    if len(mirror.disks) < 2:
        return
    owners = _Owners(drive)
    unread: list[list[Any]] = [[] for _ in mirror.disks]
    for first, end in differing_runs(mirror, unread, progress):
        owners.add(first, end)
    recordings = {recording.slot: recording for recording in drive.recordings}
    for owner, places in owners.differing.items():
        if owner is None:
            found.notes.append(f"the mirrors differ where no file is, in {places}; `prepare` does not write there")
        elif isinstance(owner, str):
            found.problems.append(f"{owner}: the mirrors differ in {places}")
        else:
            found.problems.append(f"{recordings[owner].name}: the mirrors differ in {places}; "
                                  f"{_right_one(mirror, recordings[owner])}")
    for disk, ranges in zip(mirror.disks, unread, strict=True):
        if ranges:
            places = SectorPlaces()
            for offset, size in ranges:
                places.add(offset // SECTOR_BYTES, (offset + size) // SECTOR_BYTES)
            found.problems.append(f"{disk.path}: cannot be read in {places}")
    if not owners.differing and not any(unread):
        found.checked.append(f"both mirrors: all {mirror.size // SECTOR_BYTES} sectors are alike")


def _right_one(mirror, recording):
    """Which mirror has what was recorded, by the CRC-32 of the log."""
    if recording.log is None or recording.log.crc32 is None:
        return "which is right is unknown"
    right = [str(disk.path) for disk in mirror.disks if _crc32(disk, recording) == recording.log.crc32]
    if len(right) == 1:
        return f"{right[0]} has the recorded CRC-32"
    return "neither has the recorded CRC-32" if not right else "both have the recorded CRC-32"


def _crc32(disk, recording):
    copied = copy(disk, recording.extents, recording.bytes, None, valid=recording.valid_bytes, algorithm=None)
    return None if copied.damaged else copied.crc32


def differing_runs(mirror: MirrorReader, unread: list[list[Any]], progress: Any) -> Iterator[tuple[int, int]]:
    """(first sector, end) of what differs, in its order; what cannot be read of a mirror goes to its list of
    ``unread``, as (byte, bytes), and is not compared."""
    whole = [SectorRange(0, mirror.size // SECTOR_BYTES)]
    sides = [pieces(disk, whole, mirror.size, lost) for disk, lost in zip(mirror.disks, unread, strict=True)]
    done = 0
    with ThreadPoolExecutor(len(sides)) as pool:
        while done < mirror.size:
            one, other = map(bytes, pool.map(next, sides))      # views compare slowly
            if one != other:
                lost = {sector for ranges in unread for sector in _sectors_since(ranges, done)}
                yield from _sectors(one, other, done, lost)
            done += len(one)
            if progress is not None:
                progress(done)


def _sectors_since(ranges, done):
    """The sectors from byte ``done`` on of what could not be read: the latest ranges."""
    for offset, size in reversed(ranges):
        if offset + size <= done:
            break
        yield from range(max(offset, done) // SECTOR_BYTES, (offset + size) // SECTOR_BYTES)


def _sectors(one, other, done, lost):
    """The ranges that differ in ``one`` and ``other``, which both begin at byte ``done``."""
    first = None
    for start in range(0, len(one), _SMALL):
        alike = one[start:start + _SMALL] == other[start:start + _SMALL]
        step = _SMALL if alike else SECTOR_BYTES
        for place in range(start, min(start + _SMALL, len(one)), step):
            sector = (done + place) // SECTOR_BYTES
            differs = not alike and sector not in lost and \
                one[place:place + SECTOR_BYTES] != other[place:place + SECTOR_BYTES]
            if differs and first is None:
                first = sector
            elif first is not None and not differs:
                yield first, sector
                first = None
    if first is not None:
        yield first, (done + len(one)) // SECTOR_BYTES


class _Owners:
    """To whom the sectors of a drive belong: to a recording, by its slot, to a file, by its path, to the tables, or to
    None. ``differing`` has the :class:`SectorPlaces` of each that differs."""

    def __init__(self, drive: Drive) -> None:
        found = sorted(_owned(drive), key=lambda one: one[:2])
        self._ranges: list[tuple[int, int, Any]] = []
        end = 0
        for first, sectors, owner in found:     # what two have is the first one's
            if first + sectors > end:
                self._ranges.append((max(first, end), first + sectors, owner))
                end = first + sectors
        self._firsts = [first for first, *_ in self._ranges]
        self.differing: dict[Any, SectorPlaces] = {}

    def add(self, first: int, end: int) -> None:
        """Notes that the sectors from ``first`` to ``end`` differ."""
        place = max(bisect_right(self._firsts, first) - 1, 0)
        while first < end:
            while place < len(self._ranges) and self._ranges[place][1] <= first:
                place += 1
            begins, ends, owner = self._ranges[place] if place < len(self._ranges) else (end, end, None)
            if first < begins:
                owner, ends = None, begins
            ends = min(ends, end)
            self.differing.setdefault(owner, SectorPlaces()).add(first, ends)
            first = ends


def _owned(drive):
    """(first sector, sectors, owner)."""
    table, volume = drive.table, drive.volume
    for recording in drive.recordings:
        yield from ((extent.lba, extent.sectors, recording.slot) for extent in recording.extents)
    backup = table_sectors(table.unit)[1]
    yield table.disk_sectors - backup, backup, _TABLES
    if volume is None:      # where its parts are is not known
        yield 0, min((slot.lba for slot in drive.slots), default=table.partition_lba), _TABLES
        return
    yield 0, volume.start + volume.boot.fat_offset + volume.boot.fat_sectors, _TABLES
    for name, runs in volume.system:
        left = volume.system_bytes.get(name)
        for first, count in runs:
            size = count * volume.boot.cluster_bytes
            size, left = (size, None) if left is None else (min(size, left), max(0, left - size))
            yield volume.lba(first), -(-size // SECTOR_BYTES), _TABLES
    yield from _owned_by_files(drive)


def _owned_by_files(drive):
    """The sectors of files and folders that are no recordings; none of those without data."""
    recorded = {recording.path for recording in drive.recordings}
    places = [range(slot.lba, slot.lba + slot.sectors) for slot in drive.slots if drive.state(slot) != "changed"]
    for node in drive.volume.walk():
        if node.path in recorded or not node.set.size:
            continue
        owner = _TABLES if node.is_directory else node.path
        try:
            extents = list(extents_of(drive.volume, node.set))
        except ValueError:      # a problem of the file system already
            continue
        # In a slot that nobody has changed, files are only names of free space.
        if node.is_directory or not any(extents[0].lba in place for place in places):
            yield from ((extent.lba, extent.sectors, owner) for extent in extents)
