"""Copies sectors of a drive to a file: at the speed of the disks, in constant memory, and past what
cannot be read."""

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ...facts.units import SECTOR_BYTES
from .disk_reader import DiskSource
from .order import SectorRange

__all__ = ["Copied", "Hasher", "copy", "pieces"]

_CHUNK = 4 << 20
#: If a chunk cannot be read, its parts are tried: of this size, then sector by sector.
_SMALL = 64 << 10


@dataclass
class Copied:
    """What was copied: how many ``bytes``, their ``crc32``, and their ``digest`` in hexadecimal digits; ``damaged`` are
    (offset, bytes) of what could not be read and is zeros."""

    bytes: int = 0
    crc32: int = 0
    digest: str = ""
    damaged: list = field(default_factory=list)


class Hasher:
    """CRC-32 and a digest of ``algorithm`` (None for none), computed while copying."""

    def __init__(self, algorithm: str | None = "sha256") -> None:
        self.crc32 = 0
        self._digest = hashlib.new(algorithm) if algorithm else None

    def update(self, part: bytes | memoryview) -> None:
        """Adds the next bytes."""
        self.crc32 = zlib.crc32(part, self.crc32)
        if self._digest is not None:
            self._digest.update(part)

    @property
    def digest(self) -> str:
        """The digest of all bytes so far, in hexadecimal digits; "" without an ``algorithm``."""
        return self._digest.hexdigest() if self._digest is not None else ""


def pieces(source: DiskSource, extents: Iterable[SectorRange], size: int, damaged: list[SectorRange],
           valid: int | None = None) -> Iterator[memoryview]:
    """The bytes of ``extents`` of ``source``, ``size`` in all, as views, each of which is
    overwritten after two more; what cannot be read is zeros, and is added to ``damaged``. From byte
    ``valid`` on there are zeros."""
    buffers = [memoryview(bytearray(_CHUNK)) for _ in range(3)]
    done, turn = 0, 0
    for extent in extents:
        offset = extent.lba * SECTOR_BYTES
        end = offset + min(size - done, extent.sectors * SECTOR_BYTES)
        while offset < end:
            view = buffers[turn][:min(_CHUNK, end - offset)]
            _fill(source, offset, view, done, damaged)
            if valid is not None and done + len(view) > valid:
                written = max(0, valid - done)
                view[written:] = bytes(len(view) - written)
            yield view
            turn = (turn + 1) % len(buffers)
            offset, done = offset + len(view), done + len(view)


def _fill(source, offset, view, place, damaged):
    """Reads as much as can be read of ``view``, which is byte ``place`` of the copy."""
    try:
        source.read_into(offset, view)
    except OSError:
        step = _SMALL if len(view) > _SMALL else SECTOR_BYTES
        if len(view) > SECTOR_BYTES:
            for start in range(0, len(view), step):
                part = view[start:start + step]
                _fill(source, offset + start, part, place + start, damaged)
            return
        view[:] = bytes(len(view))
        if damaged and sum(damaged[-1]) == place:
            damaged[-1] = (damaged[-1][0], damaged[-1][1] + len(view))
        else:
            damaged.append((place, len(view)))


def copy(source: DiskSource, extents: Iterable[SectorRange], size: int, write: Callable[[memoryview], object] | None, *,
         valid: int | None = None, algorithm: str | None = "sha256",
         progress: Callable[..., object] | None = None) -> Copied:
    """Copies ``size`` bytes of ``extents``, each with ``lba`` and ``sectors``.

    ``write`` takes them; None only computes the sums. Beyond byte ``valid`` nothing was written to
    the file, and the copy has zeros, as a system shows it. ``progress`` is called with
    the bytes done. Returns :class:`Copied`. Raises ``OSError`` of ``write``.
    """
    copied, hasher = Copied(), Hasher(algorithm)
    with ThreadPoolExecutor(1) as pool:
        last = None
        for view in pieces(source, extents, size, copied.damaged, valid):
            if last is not None:
                last.result()
            last = pool.submit(hasher.update, view)
            if write is not None:
                write(view)
            copied.bytes += len(view)
            if progress is not None:
                progress(copied.bytes)
        if last is not None:
            last.result()
    copied.crc32, copied.digest = hasher.crc32, hasher.digest
    return copied
