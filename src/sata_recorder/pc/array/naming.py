"""Errors that name the member of an array."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from ..volume import DiskReader

__all__ = ["naming"]

_Disk = TypeVar("_Disk", bound=DiskReader)


@contextmanager
def naming(disk: _Disk) -> Iterator[_Disk]:
    """Makes an ``OSError`` name the member."""
    try:
        yield disk
    except OSError as error:
        raise OSError(error.errno, f"{disk.path}: {error.strerror}") from None
