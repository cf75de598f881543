"""The disk image of a station while it runs: locked, and marked as this tool's."""

import os
from contextlib import contextmanager
from pathlib import Path

from ... import outputs
from ...locks import InUse, open_locked
from ...facts.units import SECTOR_BYTES
from .station import StationError


def image_sectors(image, *, overwrite=False):
    """The sectors of the disk image ``image``, which must exist, be whole sectors, and, without ``overwrite``, be
    this tool's (see :mod:`...outputs`). Raises :class:`.station.StationError`."""
    try:
        size = Path(image).stat().st_size
        outputs.check(image, overwrite=overwrite)
    except outputs.ForeignFile as error:
        raise StationError(f"image = {image}: it {error.strerror}; --overwrite permits writing to "
                           "it") from None
    except OSError as error:
        raise StationError(f"image = {image}: {error.strerror}") from None
    if not size or size % SECTOR_BYTES:
        raise StationError(f"image = {image}: has {size} bytes, it must be whole sectors of "
                           f"{SECTOR_BYTES}")
    return size // SECTOR_BYTES


@contextmanager
def held_image(image, *, overwrite=False):
    """Keeps the disk image ``image`` from all others while the body runs; gives its sectors.

    Raises :class:`.station.StationError`, as :func:`image_sectors` does, and if somebody else has it.
    """
    sectors = image_sectors(image, overwrite=overwrite)
    path = Path(image).resolve()
    try:
        handle, _ = open_locked(path, writes=True, what="station")
    except InUse as error:
        raise StationError(f"image = {image}: is in use by {error}") from None
    except OSError as error:
        raise StationError(f"image = {image}: {error.strerror}") from None
    try:
        _mark(path, changing=True)
        yield sectors
    finally:
        try:
            # While it is locked: the next owner marks it itself.
            if path.exists():
                if outputs.may_be_written(path):
                    _mark(path)
                else:
                    outputs.unmark(path)    # a foreign one that was not changed
        finally:
            os.close(handle)


def _mark(path, **options):
    try:
        outputs.mark(path, **options)
    except OSError as error:
        raise StationError(f"image = {path}: cannot be marked as sata-recorder's: "
                           f"{error.strerror}") from None
