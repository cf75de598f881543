"""Drives and images that are read: opened read-only, whatever is done with them."""

import errno
import os
import stat
from pathlib import Path
from typing import Protocol, Self

from ...locks import InUse, lock
from .refused import Refused

__all__ = ["DiskReader", "DiskSource", "check_kind", "size_of"]

_OTHERS = ((stat.S_ISDIR, "a directory"), (stat.S_ISCHR, "a character device"),
           (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))


#: Most places of one call (Linux, IOV_MAX).
_MOST_VIEWS = 1024


def check_kind(path: str | Path) -> os.stat_result:
    """The ``os.stat_result`` of an image or a block device; all else is refused.

    Raises :exc:`.refused.Refused`, also for what is not there.
    """
    try:
        found = os.stat(path)
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror}") from None
    for is_kind, text in _OTHERS:
        if is_kind(found.st_mode):
            raise Refused(f"{path}: is {text}, neither a drive nor an image of one")
    return found


def size_of(handle: int) -> int:
    """The bytes of an open image or block device."""
    return os.lseek(handle, 0, os.SEEK_END)


class DiskSource(Protocol):
    """What is read like a drive: it has ``size`` bytes, and gives those from an offset on, new or into a view."""

    size: int

    def read(self, offset: int, size: int) -> bytes: ...

    def read_into(self, offset: int, view: memoryview) -> None: ...


class DiskReader:
    """An open drive or image. A context manager; ``size`` is in bytes.

    Several may read at the same time, but not while one writes. Raises :exc:`.refused.Refused`.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        check_kind(path)
        try:
            self._handle = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except OSError as error:
            raise Refused(f"{path}: cannot be read: {error.strerror}") from None
        try:
            lock(self._handle, exclusive=False)
            self.size = size_of(self._handle)
        except InUse as error:
            os.close(self._handle)
            raise Refused(f"{path}: is in use by {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def is_file(self) -> bool:
        """Whether ``path`` is that of a file with all its sectors in their order."""
        return True

    @property
    def is_device(self) -> bool:
        """Whether it is a block device, while it is open."""
        return stat.S_ISBLK(os.fstat(self._handle).st_mode)

    @property
    def failures(self) -> dict[str, str]:
        """Empty: a drive alone is the one that cannot be read."""
        return {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Empty: they are about arrays."""
        return ()

    @property
    def problems(self) -> tuple[str, ...]:
        """Empty, like ``notes``."""
        return ()

    def close(self) -> None:
        """Closes it; a second time does nothing."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def read(self, offset: int, size: int) -> bytes:
        """``size`` bytes from byte ``offset``. Raises ``OSError``, also beyond the end."""
        self._check(offset, size)
        parts = []
        while size:
            part = os.pread(self._handle, min(size, 1 << 30), offset)
            if not part:
                raise _beyond(offset)
            parts.append(part)
            offset += len(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_into(self, offset: int, *views: memoryview) -> None:
        """Fills the writable ``views``, one after the other, from byte ``offset``. Raises ``OSError``, also beyond
        the end."""
        self._check(offset, sum(map(len, views)))
        left = [view for view in reversed(views) if view]
        while left:
            count = os.preadv(self._handle, left[:-_MOST_VIEWS - 1:-1], offset)
            if not count:
                raise _beyond(offset)
            offset += count
            while count:
                view = left.pop()
                if count < len(view):
                    left.append(view[count:])
                count -= min(count, len(view))

    def _check(self, offset, size):
        if offset + size > self.size:
            raise _beyond(offset + size)


def _beyond(offset):
    return OSError(errno.EINVAL, f"byte {offset} is beyond its end")
