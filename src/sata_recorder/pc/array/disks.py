"""An array that is read and written like one drive: what uses a drive need not know the difference."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

from ...facts.units import SECTOR_BYTES
from ..volume import DiskReader, DiskWriter
from .geometry import Geometry
from .naming import naming
from .sealing import clear_members, flush_members, seal_members
from .superblock import Superblock

__all__ = ["ArrayReader", "ArrayWriter"]


class ArrayReader:
    """The open members of an array in the order of their lanes, as an :class:`..volume.OpenDisk`; a context manager.

    All lanes of a large piece are read at the same time. An ``OSError`` names the drive. ``close()`` closes them.
    """

    is_file = False
    #: Each member may be one; the array is not.
    is_device = False
    #: All of it is there, or it is no array.
    notes = problems = ()

    def __init__(self, disks: Sequence[DiskReader], geometry: Geometry) -> None:
        self.disks, self.geometry = disks, geometry
        self.path: str | Path = "array " + " ".join(str(disk.path) for disk in disks)
        self.size = geometry.sectors * SECTOR_BYTES
        self.failures: dict[str, str] = {}
        self._pool = ThreadPoolExecutor(geometry.drives)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the members; a second time does nothing."""
        self._pool.shutdown()
        for disk in self.disks:
            disk.close()

    def read(self, offset: int, size: int) -> bytes:
        """``size`` bytes from byte ``offset``. Raises ``OSError``, also beyond the end."""
        content = bytearray(size)
        self.read_into(offset, memoryview(content))
        return bytes(content)

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fills the writable ``view`` from byte ``offset``. Raises ``OSError``, also beyond the end."""
        lanes: dict[int, tuple[int, list[memoryview]]] = {}
        for lane, place, part in self._parts(offset, view):
            # What one lane has of a range is contiguous on its drive.
            lanes.setdefault(lane, (place, []))[1].append(part)
        if len(lanes) == 1:
            [(lane, (place, parts))] = lanes.items()
            self._fill(lane, place, parts)
        else:
            list(self._pool.map(lambda one: self._fill(one[0], *one[1]), lanes.items()))

    def _fill(self, lane, place, parts):
        with naming(self.disks[lane]) as disk:
            try:
                disk.read_into(place, *parts)
            except OSError as error:
                self.failures[str(disk.path)] = str(error.strerror)
                raise

    def _parts(self, offset: int, view: memoryview) -> Iterator[tuple[int, int, memoryview]]:
        """(lane, byte of its drive, part of ``view``) of a range, in its order."""
        if offset + len(view) > self.size:
            raise OSError(22, f"byte {offset + len(view)} is beyond its end")
        first, skip = divmod(offset, SECTOR_BYTES)
        for piece in self.geometry.pieces(first, -(-(skip + len(view)) // SECTOR_BYTES)):
            count = min(piece.sectors * SECTOR_BYTES - skip, len(view))
            yield piece.lane, piece.sector * SECTOR_BYTES + skip, view[:count]
            view, skip = view[count:], 0


class ArrayWriter(ArrayReader):
    """The members of an array, to be written, as an :class:`..volume.DiskTarget`.

    A logical sector has as many bytes on each; ``physical`` is the largest.
    """

    def __init__(self, disks: Sequence[DiskWriter], geometry: Geometry) -> None:
        super().__init__(disks, geometry)
        self._writers = disks
        self.sectors = geometry.sectors
        self.physical = max(disk.physical for disk in disks)
        self.logical = disks[0].logical

    def clear(self, needed: int = 0) -> None:
        """As :func:`.sealing.clear_members`, with ``needed`` bytes that are to be written."""
        clear_members(self._writers, needed)

    def seal(self, superblocks: Sequence[Superblock]) -> None:
        """As :func:`.sealing.seal_members`."""
        self.flush()
        seal_members(self._writers, superblocks)

    def write(self, lba: int, content: bytes | memoryview) -> None:
        """Writes whole sectors from ``lba`` on. Raises ``OSError``."""
        for lane, place, part in self._parts(lba * SECTOR_BYTES, memoryview(content)):
            with naming(self._writers[lane]) as disk:
                disk.write(place // SECTOR_BYTES, part)

    def zero(self, lba: int, sectors: int) -> None:
        """Writes zeros to ``sectors`` of 512 bytes from ``lba`` on, where there may be anything else."""
        lanes: dict[int, list[int]] = {}
        for piece in self.geometry.pieces(lba, sectors):
            # What one lane has of a range is contiguous on its drive.
            lanes.setdefault(piece.lane, [piece.sector, 0])[1] += piece.sectors
        for lane, (first, count) in lanes.items():
            with naming(self._writers[lane]) as disk:
                disk.zero(first, count)

    def flush(self) -> None:
        """Puts what was written on the medium of every member."""
        flush_members(self._writers)
