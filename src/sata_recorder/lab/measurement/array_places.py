"""Where the sectors of an array of drives without superblocks are: see docs/array.md."""

from collections.abc import Iterator
from typing import Any

from ...bricks.array import DATA_OFFSET

__all__ = ["DATA_OFFSET", "Places", "array_sectors", "lane_sectors"]


def lane_sectors(configuration: Any, capacity: int) -> int:
    """The sectors of the array that a drive with ``capacity`` sectors holds, which has no superblock."""
    return max(0, capacity - DATA_OFFSET) // configuration.chunk_sectors * configuration.chunk_sectors


def array_sectors(configuration: Any, capacity: int) -> int:
    """The sectors of an array of drives with ``capacity`` sectors each; of a single drive, that."""
    if configuration.drives == 1:
        return capacity
    return configuration.drives * lane_sectors(configuration, capacity)


class Places:
    """Where the sectors of the array of a ``job`` are on its drives, which are all of one size."""

    def __init__(self, job: Any) -> None:
        self._config = job.configuration
        self._held = lane_sectors(job.configuration, job.capacity)

    def lane_of(self, sector: int) -> tuple[int, int]:
        """(lane, sector of it from 0 on)."""
        config, chunk = self._config, self._config.chunk_sectors
        if config.array == "linear":
            return divmod(sector, self._held)
        row, part = divmod(sector, chunk * config.drives)
        return part // chunk, row * chunk + part % chunk

    def before(self, lane: int, sector: int) -> int:
        """How many sectors of ``lane`` are before this ``sector`` of the array."""
        config, chunk = self._config, self._config.chunk_sectors
        if config.array == "linear":
            return min(max(sector - lane * self._held, 0), self._held)
        rows, part = divmod(sector, chunk * config.drives)
        return rows * chunk + min(max(part - lane * chunk, 0), chunk)

    def pieces(self, lane: int, own: int, count: int) -> Iterator[tuple[int, int]]:
        """Runs of sectors that follow each other in the array, of ``count`` of the ``lane`` from its sector ``own`` on:
        (sector of the array, sectors)."""
        config, chunk = self._config, self._config.chunk_sectors
        if config.array == "linear":
            yield lane * self._held + own, count
            return
        while count:
            row, part = divmod(own, chunk)
            size = min(count, chunk - part)
            yield (row * config.drives + lane) * chunk + part, size
            own, count = own + size, count - size
