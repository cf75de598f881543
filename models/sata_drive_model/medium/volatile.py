"""A disk with a volatile write cache: what was not flushed may be gone after a power failure."""

import random
from typing import Any

from .image import SECTOR


class VolatileImage:
    """``image`` with a write cache that forgets.

    Reads see the cache. ``flush()`` makes all that was written lasting, or a part of it; ``power_off()`` loses it
    since then, sector by sector with a probability of ``loss``, from the random numbers of
    ``seed``. Members: ``sectors``, ``path`` of the image; ``lost`` the numbers of the sectors that
    the latest power failure took back.
    """

    def __init__(self, image: Any, *, loss: float = 0.5, seed: int = 0) -> None:
        self.image = image
        self.sectors = image.sectors
        self.path = image.path
        self.lost: list = []
        self._loss = loss
        self._rng = random.Random(seed)
        self._before: dict = {}       # sector to what is on the medium, of those that differ from it

    def read(self, offset: int, size: int) -> bytes:
        """``size`` bytes from byte ``offset``."""
        return self.image.read(offset, size)

    def read_sectors(self, lba: int, count: int = 1) -> bytes:
        """``count`` whole sectors from ``lba``."""
        return self.image.read_sectors(lba, count)

    def write(self, offset: int, data: bytes) -> None:
        """Put ``data`` at byte ``offset``, into the cache."""
        for sector in range(offset // SECTOR, -(-(offset + len(data)) // SECTOR)):
            if sector not in self._before:
                self._before[sector] = self.image.read_sectors(sector)
        self.image.write(offset, data)

    def discard(self, lba: int, count: int) -> None:
        """``count`` sectors from ``lba`` read as zeros from now on, in the cache first."""
        self.write(lba * SECTOR, bytes(count * SECTOR))

    @property
    def unflushed(self) -> frozenset:
        """Numbers of the sectors that a power failure may take back."""
        return frozenset(self._before)

    def flush(self, lba: int = 0, count: int | None = None) -> None:
        """All that was written is on the medium, or ``count`` sectors from ``lba``."""
        if count is None:
            self._before.clear()
            return
        for sector in range(lba, lba + count):
            self._before.pop(sector, None)

    def power_off(self) -> None:
        """The cache is lost, except for what had reached the medium by itself."""
        self.lost = [sector for sector in self._before if self._rng.random() < self._loss]
        for sector in self.lost:
            self.image.write(sector * SECTOR, self._before[sector])
        self._before.clear()

    def close(self) -> None:
        """Close the image."""
        self.image.close()
