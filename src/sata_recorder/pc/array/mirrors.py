"""Two mirrors, or one of them, that are read and written like one drive."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

from ...facts.array import CLEAN
from ...facts.units import SECTOR_BYTES
from ..volume import DiskReader, DiskWriter, Refused
from .members import Members
from .naming import naming
from .sealing import clear_members, flush_members, seal_members
from .superblock import AREA_BYTES, Superblock, remarked

__all__ = ["MirrorReader", "MirrorWriter"]

_DIRTY = 0


class MirrorReader:
    """The open ``disks`` of a RAID 1 of ``sectors`` of 512 bytes, in the order of their lanes, as an
    :class:`..volume.OpenDisk`; a context manager. One may be alone.

    It reads the first one, and the other if the first cannot be read. ``notes`` state what is known about the mirrors;
    ``is_degraded`` that by the superblock of this one the other has failed; ``problems`` that the other one differed
    in what ``read()``, which is for tables, has returned. ``close()`` closes the disks.
    """

    def __init__(self, disks: Sequence[DiskReader], sectors: int, *, notes: Sequence[str] = (),
                 is_degraded: bool = False) -> None:
        self.disks, self.size = disks, sectors * SECTOR_BYTES
        self.path: str | Path = disks[0].path if len(disks) == 1 else \
            "array " + " ".join(str(disk.path) for disk in disks)
        self.notes, self.is_degraded = tuple(notes), is_degraded
        self.failures: dict[str, str] = {}
        self.problems: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def is_file(self) -> bool:
        """Whether ``path`` is that of a file with all its sectors in their order."""
        return len(self.disks) == 1 and self.disks[0].is_file

    @property
    def is_device(self) -> bool:
        """Whether it is a block device: each of two may be one."""
        return len(self.disks) == 1 and self.disks[0].is_device

    def close(self) -> None:
        """Closes the members; a second time does nothing."""
        for disk in self.disks:
            disk.close()

    def read(self, offset: int, size: int) -> bytes:
        """``size`` bytes from byte ``offset``. Raises ``OSError``, also beyond the end."""
        buffer = bytearray(size)
        self.read_into(offset, memoryview(buffer))
        content = bytes(buffer)
        self._compare(offset, content)
        return content

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fills the writable ``view`` from byte ``offset``. Raises ``OSError`` if no member can be read, also
        beyond the end."""
        self._check(offset, view)
        for disk in self.disks:
            try:
                with naming(disk):
                    disk.read_into(offset, view)
                return
            except OSError as error:
                self.failures[str(disk.path)] = _reason(disk, error)
                if disk is self.disks[-1]:
                    raise

    def _compare(self, offset, content):
        """Adds a problem, but only one, if the other mirror does not have ``content``, too."""
        if len(self.disks) < 2 or self.problems or self.failures:
            return
        try:
            other = _read(self.disks[1], offset, len(content))
        except OSError as error:
            self.failures[str(self.disks[1].path)] = _reason(self.disks[1], error)
            return
        if other != content:
            self.problems.append(f"the mirrors differ, first seen at LBA {_first_lba(offset, content, other)}: one was "
                                 f"written without the other; this is what {self.disks[0].path} has, `sata-recorder "
                                 "verify` names all that differs")

    def _check(self, offset, view):
        if offset + len(view) > self.size:
            raise OSError(22, f"byte {offset + len(view)} is beyond its end")


def _reason(disk, error):
    return str(error.strerror).removeprefix(f"{disk.path}: ")


class MirrorWriter(MirrorReader):
    """Both mirrors, of ``sectors`` of 512 bytes, to be written, as an :class:`..volume.DiskTarget`.

    ``known`` are mirrors that are an array already, None for new ones. To known ones nothing is written before both
    superblocks state that they may differ, and ``finish()`` takes that back. What is written depends on what is read,
    so both must have that: raises :exc:`..volume.Refused` if they differ.
    """

    def __init__(self, disks: Sequence[DiskWriter], sectors: int, known: Members[DiskWriter] | None = None) -> None:
        super().__init__(disks, sectors, notes=known.notes if known else ())
        self._writers, self.sectors = disks, sectors
        self.physical = max(disk.physical for disk in disks)
        self.logical = disks[0].logical
        self._superblocks = known.superblocks if known else []
        self._is_marked = False
        self._pool = ThreadPoolExecutor(1)

    def close(self) -> None:
        """Closes the members; a second time does nothing."""
        self._pool.shutdown()
        super().close()

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fills the writable ``view`` from byte ``offset``. Raises ``OSError`` if one of the members cannot be
        read, and :exc:`..volume.Refused`."""
        self._check(offset, view)
        first, second = self.disks
        other = self._pool.submit(_read, second, offset, len(view))
        with naming(first):
            first.read_into(offset, view)
        if (found := other.result()) != (ours := bytes(view)):
            raise Refused(f"{second.path}: differs from {first.path} at LBA {_first_lba(offset, ours, found)}, so "
                          "nothing is written: `sata-recorder verify` names all that differs")

    def _compare(self, offset, content):
        """Nothing: :meth:`read_into` has compared it."""

    def write(self, lba: int, content: bytes | memoryview) -> None:
        """Writes whole sectors from ``lba`` on, to both. Raises ``OSError``."""
        self._begin()
        for each in self._writers:
            with naming(each) as disk:
                disk.write(lba, content)

    def zero(self, lba: int, sectors: int) -> None:
        """Writes zeros to both, to ``sectors`` of 512 bytes from ``lba`` on, where there may be anything else."""
        self._begin()
        for each in self._writers:
            with naming(each) as disk:
                disk.zero(lba, sectors)

    def flush(self) -> None:
        """Puts what was written on the medium of both."""
        flush_members(self._writers)

    def clear(self, needed: int = 0) -> None:
        """As :func:`.sealing.clear_members`, with ``needed`` bytes that are to be written."""
        clear_members(self._writers, needed)

    def seal(self, superblocks: Sequence[Superblock]) -> None:
        """As :func:`.sealing.seal_members`."""
        self.flush()
        seal_members(self._writers, superblocks)

    def finish(self) -> None:
        """All was written: marks them as alike again, if they were before. Raises ``OSError``."""
        if self._is_marked:
            self.flush()
            self._mark(2, None if any(one.resync != CLEAN for one in self._superblocks) else CLEAN)

    def _begin(self):
        if self._superblocks and not self._is_marked:
            self._mark(1, _DIRTY)
            self._is_marked = True

    def _mark(self, count, resync):
        """Writes both superblocks, with ``count`` events more than the newer one had."""
        events = count + max(one.events for one in self._superblocks)
        for each, one in zip(self._writers, self._superblocks, strict=True):
            with naming(each) as disk:
                content = disk.read(one.lba * SECTOR_BYTES, AREA_BYTES)
                disk.write(one.lba, remarked(content, events=events, resync=resync))
        self.flush()


def _first_lba(offset, one, other):
    """The first sector in which ``one`` and ``other`` differ, which both begin at byte ``offset``."""
    return (offset + next(place for place, pair in enumerate(zip(one, other, strict=True))
                          if pair[0] != pair[1])) // SECTOR_BYTES


def _read(disk, offset, size):
    with naming(disk):
        return disk.read(offset, size)
