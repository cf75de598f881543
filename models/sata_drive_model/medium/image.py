"""The medium: a sparse raw disk image, on the host's file system or in memory."""

import os
from pathlib import Path

SECTOR = 512
_CHUNK = 1 << 16


class DiskImage:
    """Sectors of 512 bytes; untouched ones read as zeros.

    Parameters: ``path`` of the raw image, None keeps it in memory; ``sectors`` is the capacity,
    None takes it from an existing file; ``writable`` may be false for an existing file. A new
    file has the size of the capacity, sparsely; an existing one grows only by what is written
    beyond its end. Raises ``ValueError`` for a capacity below one sector and for access beyond it.
    """

    def __init__(self, path: str | Path | None = None, *, sectors: int | None = None, writable: bool = True) -> None:
        if sectors is None and path is not None and os.path.exists(path):
            sectors = os.path.getsize(path) // SECTOR
        if sectors is None or sectors < 1:
            raise ValueError(f"disk image: sectors must be at least 1, got {sectors}")
        self.path = path
        self.sectors = sectors
        self.chunks: dict[int, bytearray] = {}
        self._file = None
        if path is not None:
            # Unbuffered: another process sees every sector at once, and reads never mix with a
            # stale buffer.
            if os.path.exists(path):
                self._file = open(path, "r+b" if writable else "rb", buffering=0)
            else:
                self._file = open(path, "w+b", buffering=0)
                self._file.truncate(sectors * SECTOR)

    def _check(self, offset, size):
        if offset < 0 or offset + size > self.sectors * SECTOR:
            raise ValueError(f"disk image: bytes {offset} to {offset + size} are outside "
                             f"{self.sectors} sectors")

    def read(self, offset: int, size: int) -> bytes:
        """``size`` bytes from byte ``offset``."""
        self._check(offset, size)
        if self._file:
            self._file.seek(offset)
            data = self._file.read(size)
            return data + bytes(size - len(data))
        parts = []
        while size:
            start = offset % _CHUNK
            length = min(size, _CHUNK - start)
            chunk = self.chunks.get(offset // _CHUNK)
            parts.append(bytes(length) if chunk is None else
                         memoryview(chunk)[start:start + length])
            offset += length
            size -= length
        return b"".join(parts)

    def write(self, offset: int, data: bytes) -> None:
        """Put ``data`` at byte ``offset``."""
        self._check(offset, len(data))
        if self._file:
            self._file.seek(offset)
            view = memoryview(data)
            while view:
                view = view[self._file.write(view):]
            return
        done = 0
        while done < len(data):
            start = (offset + done) % _CHUNK
            length = min(len(data) - done, _CHUNK - start)
            chunk = self.chunks.setdefault((offset + done) // _CHUNK, bytearray(_CHUNK))
            chunk[start:start + length] = data[done:done + length]
            done += length

    def discard(self, lba: int, count: int) -> None:
        """``count`` sectors from ``lba`` read as zeros from now on."""
        self._check(lba * SECTOR, count * SECTOR)
        step = _CHUNK // SECTOR
        first = lba
        while first < lba + count:
            size = min(step - first % step, lba + count - first)
            if self._file:
                self.write(first * SECTOR, bytes(size * SECTOR))
            elif size == step:
                self.chunks.pop(first // step, None)
            elif first // step in self.chunks:
                self.write(first * SECTOR, bytes(size * SECTOR))
            first += size

    def read_sectors(self, lba: int, count: int = 1) -> bytes:
        """``count`` whole sectors from ``lba``."""
        return self.read(lba * SECTOR, count * SECTOR)

    def flush(self, lba: int = 0, count: int | None = None) -> None:
        """FLUSH CACHE, or of ``count`` sectors from ``lba``: there is no volatile cache."""

    def power_off(self) -> None:
        """The drive loses its power: what was written stays."""

    def close(self) -> None:
        """Close the file; the image stays on the host."""
        if self._file:
            self._file.close()
            self._file = None
