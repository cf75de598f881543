"""Where each sector of an array is: RAID 0, which takes turns in chunks, linear, one drive after the other, and RAID 1,
whose drives all have it.

All numbers are sectors of 512 bytes; lanes count from 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...facts.array import DATA_OFFSET, DEFAULT_CHUNK, MIRRORS, RAID0, RAID1, mirror_superblock_lba

__all__ = ["Geometry", "LaneRange", "geometry"]

#: Sectors of the smallest drive whose superblock is not where one of version 1.2 would be.
_LEAST_MIRROR = 32


class LaneRange(NamedTuple):
    """``sectors`` of 512 bytes that are contiguous in the array and on one drive: on that of ``lane``, counted from 0,
    from its ``sector`` on."""

    lane: int
    sector: int
    sectors: int


@dataclass(frozen=True)
class Geometry:
    """An array of drives with ``data_sectors`` each, whole chunks of ``chunk_sectors``; for RAID 0 and RAID 1 as many
    on each. ``level`` is 0, 1, or -1 for linear. A sector of a RAID 1, which has no chunks (0), is at the same place on
    each of its drives, and its lane is the first. All numbers are sectors of 512 bytes; lanes count from 0."""

    level: int
    chunk_sectors: int
    data_sectors: tuple[int, ...]

    @property
    def drives(self) -> int:
        """How many there are."""
        return len(self.data_sectors)

    @property
    def sectors(self) -> int:
        """The array's sectors of 512 bytes."""
        return self.data_sectors[0] if self.level == RAID1 else sum(self.data_sectors)

    @property
    def offset(self) -> int:
        """The sector of each drive where its data begin."""
        return 0 if self.level == RAID1 else DATA_OFFSET

    def place(self, sector: int) -> tuple[int, int]:
        """(lane, sector of its drive) of a sector of the array. Raises ``ValueError`` beyond its end."""
        if not 0 <= sector < self.sectors:
            raise ValueError(f"sector {sector}: the array has {self.sectors}")
        if self.level == RAID0:
            chunk, within = divmod(sector, self.chunk_sectors)
            row, lane = divmod(chunk, self.drives)
            return lane, DATA_OFFSET + row * self.chunk_sectors + within
        if self.level == RAID1:
            return 0, sector
        for lane, size in enumerate(self.data_sectors):
            if sector < size:
                break
            sector -= size
        return lane, DATA_OFFSET + sector

    def sector(self, lane: int, sector: int) -> int:
        """The sector of the array that is ``sector`` of the drive of a lane. Raises ``ValueError`` for one that has no
        data."""
        within = sector - self.offset
        if not (0 <= lane < self.drives and 0 <= within < self.data_sectors[lane]):
            raise ValueError(f"sector {sector} of lane {lane}: has no data of the array")
        if self.level == RAID0:
            row, within = divmod(within, self.chunk_sectors)
            return (row * self.drives + lane) * self.chunk_sectors + within
        if self.level == RAID1:
            return sector
        return sum(self.data_sectors[:lane]) + within

    def before(self, lane: int, sector: int) -> int:
        """How many sectors of ``lane`` are before ``sector`` of the array, or before its end."""
        if self.level == RAID0:
            row, within = divmod(sector, self.chunk_sectors * self.drives)
            return row * self.chunk_sectors + min(max(within - lane * self.chunk_sectors, 0), self.chunk_sectors)
        if self.level == RAID1:
            return sector
        return min(max(sector - sum(self.data_sectors[:lane]), 0), self.data_sectors[lane])

    def runs(self, lane: int, sector: int, sectors: int) -> Iterator[tuple[int, int]]:
        """A range of the drive of a lane in its order: (sector of the array, sectors in a row there). Raises
        ``ValueError`` for what has no data."""
        while sectors:
            left = self.chunk_sectors - (sector - DATA_OFFSET) % self.chunk_sectors if self.level == RAID0 else sectors
            count = min(left, sectors)
            yield self.sector(lane, sector), count
            sector, sectors = sector + count, sectors - count

    def pieces(self, sector: int, sectors: int) -> Iterator[LaneRange]:
        """A range of the array, ``sectors`` from ``sector`` on, in its order. Raises ``ValueError`` beyond the end."""
        while sectors:
            lane, place = self.place(sector)
            left = self.chunk_sectors - sector % self.chunk_sectors if self.level == RAID0 else \
                self.offset + self.data_sectors[lane] - place
            count = min(left, sectors)
            yield LaneRange(lane, place, count)
            sector, sectors = sector + count, sectors - count


def geometry(level: int, sizes: Sequence[int], chunk_sectors: int | None = None) -> Geometry:
    """The :class:`Geometry` of new members whose drives have these ``sizes``, in sectors of 512 bytes. ``level`` is 0,
    1, or -1 for linear; ``chunk_sectors`` are the sectors of a chunk, None for the usual one of the level. In a RAID 0
    or RAID 1 each gives as much as the smallest. Raises ``ValueError`` for one that is too small, and if there are not
    two mirrors."""
    chunk_sectors = chunk_sectors or DEFAULT_CHUNK[level]
    if level == RAID1:
        if len(sizes) != MIRRORS:
            raise ValueError(f"{len(sizes)} drives: a RAID 1 has {MIRRORS}")
        if min(sizes) < _LEAST_MIRROR:
            raise ValueError(f"{min(sizes)} sectors: a member has at least {_LEAST_MIRROR} sectors")
        return Geometry(level, 0, MIRRORS * (mirror_superblock_lba(min(sizes)),))
    if level == RAID0:
        sizes = [min(sizes)] * len(sizes)
    data = tuple(max(0, size - DATA_OFFSET) // chunk_sectors * chunk_sectors for size in sizes)
    if not all(data):
        raise ValueError(f"{min(sizes)} sectors: a member has at least {DATA_OFFSET + chunk_sectors} sectors")
    return Geometry(level, chunk_sectors, data)
