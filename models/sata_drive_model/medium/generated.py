"""A medium whose expected content is generated: it takes no memory while it holds just that."""

from collections.abc import Callable

from .image import SECTOR, DiskImage


class GeneratedImage(DiskImage):
    """A disk in memory; sectors that hold what ``expected`` gives are not stored.

    Parameters: ``sectors`` is the capacity; ``expected(offset, size)`` returns the bytes that are
    expected from byte ``offset`` on, requested only inside ``extent``, a (first sector, sectors)
    pair; ``filled`` whether they are there from the beginning. What is written is compared with
    them, and kept as it is where it differs. One byte of memory a sector of the extent.
    Raises as :class:`.image.DiskImage` does.
    """

    def __init__(self, *, sectors: int, expected: Callable[[int, int], bytes], extent: tuple[int, int],
                 filled: bool = False) -> None:
        super().__init__(None, sectors=sectors)
        self._expected = expected
        self._first, count = extent
        self._good = bytearray([filled]) * count

    def unexpected(self) -> int | None:
        """The first sector of the extent that is not known to hold what is expected, None without
        one: written in whole sectors, or there from the beginning."""
        at = self._good.find(0)
        return None if at < 0 else self._first + at

    def _range(self, offset, size):
        """Indices in the extent of the sectors that these bytes touch."""
        count = len(self._good)
        start = min(max(offset // SECTOR - self._first, 0), count)
        stop = min(max(-(-(offset + size) // SECTOR) - self._first, 0), count)
        return start, stop

    def read(self, offset: int, size: int) -> bytes:
        start, stop = self._range(offset, size)
        good = self._good.count(1, start, stop)
        if not good:
            return super().read(offset, size)
        self._check(offset, size)
        if good * SECTOR == size and offset % SECTOR == 0:
            return self._expected(offset, size)
        data = bytearray(super().read(offset, size))
        for index in range(start, stop):
            if self._good[index]:
                at = (self._first + index) * SECTOR
                low, high = max(at, offset), min(at + SECTOR, offset + size)
                data[low - offset:high - offset] = self._expected(low, high - low)
        return bytes(data)

    def discard(self, lba: int, count: int) -> None:
        self._check(lba * SECTOR, count * SECTOR)
        for sector in range(lba, lba + count):
            self.write(sector * SECTOR, bytes(SECTOR))

    def write(self, offset: int, data: bytes) -> None:
        self._check(offset, len(data))
        if not data:
            return
        start, stop = self._range(offset, len(data))
        whole = offset % SECTOR == 0 and (stop - start) * SECTOR == len(data)
        if whole and data == self._expected(offset, len(data)):
            self._good[start:stop] = b"\1" * (stop - start)
            return
        for index in range(start, stop):
            if self._good[index]:
                at = (self._first + index) * SECTOR
                super().write(at, self._expected(at, SECTOR))
        self._good[start:stop] = bytes(stop - start)
        super().write(offset, data)
