"""What is read and written like one drive, whatever it consists of: a drive, an image, an array."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, Self

from .disk_reader import DiskSource

__all__ = ["DiskTarget", "OpenDisk"]


class OpenDisk(DiskSource, Protocol):
    """A drive that is open, a context manager: a :class:`.disk_reader.DiskReader` has all of this.

    ``path`` is its name in messages; ``is_file`` states whether that is the path of a file with all its
    sectors in their order, ``is_device`` whether it is a block device. ``failures`` has the paths of those
    of several drives of which something could not be read, each with the reason. ``notes`` are sentences about the
    state of several drives that users should know, although what is read is right; ``problems`` are about what is
    wrong with the drives.
    """

    path: str | Path

    @property
    def is_file(self) -> bool:
        """Whether ``path`` is a file with all its sectors in their order."""
        ...

    @property
    def is_device(self) -> bool:
        """Whether it is a block device."""
        ...

    @property
    def failures(self) -> Mapping[str, str]:
        """Path of a drive that could not be read, to the reason."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What should be known, and is not wrong."""
        ...

    @property
    def problems(self) -> Sequence[str]:
        """What is wrong."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...

    def close(self) -> None:
        """Closes it."""
        ...


class DiskTarget(OpenDisk, Protocol):
    """One that is written: a :class:`.disk_writer.DiskWriter` has all of this. ``sectors`` of 512 bytes is its
    size, also before ``clear()`` has given it that; ``physical`` and ``logical`` are bytes of its sectors."""

    sectors: int
    physical: int
    logical: int

    def clear(self, needed: int = 0) -> None:
        """Makes it empty; an image gets its size. ``needed`` bytes must be free on the disk of this machine."""
        ...

    def write(self, lba: int, content: bytes | memoryview) -> None:
        """Writes whole sectors from ``lba`` on."""
        ...

    def zero(self, lba: int, sectors: int) -> None:
        """Writes zeros to ``sectors`` of 512 bytes from ``lba`` on."""
        ...

    def flush(self) -> None:
        """Puts what was written on the medium."""
        ...
