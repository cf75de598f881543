"""The disk image of a station while it runs: locked, and marked as this tool's."""

import os
from contextlib import contextmanager
from pathlib import Path

from ... import outputs
from ...locks import InUse, open_locked
from ...facts.units import SECTOR_BYTES
from .station import StationError


@contextmanager
def held_image(path, *, overwrite=False):
    """Keeps the disk image ``path`` from all others while the body runs; gives its sectors.

    It must be there, be whole sectors, and be this tool's (see :mod:`...outputs`), but with
    ``overwrite``. Raises :class:`.station.StationError`.
    """
    path = Path(path).resolve()
    try:
        size = path.stat().st_size
        outputs.check(path, overwrite=overwrite)
        if not size or size % SECTOR_BYTES:
            raise StationError(f"image = {path}: has {size} bytes, it must be whole sectors of "
                               f"{SECTOR_BYTES}")
        handle, _ = open_locked(path, writes=True, what="station")
    except InUse as error:
        raise StationError(f"image = {path}: is in use by {error}") from None
    except outputs.ForeignFile as error:
        raise StationError(f"image = {path}: it {error.strerror}; --overwrite permits writing to "
                           "it") from None
    except OSError as error:
        raise StationError(f"image = {path}: {error.strerror}") from None
    try:
        _mark(path, changing=True)
        yield size // SECTOR_BYTES
    finally:
        try:
            # While it is locked: the next owner marks it itself.
            if path.exists():
                _mark(path)
        finally:
            os.close(handle)


def _mark(path, **options):
    try:
        outputs.mark(path, **options)
    except OSError as error:
        raise StationError(f"image = {path}: cannot be marked as sata-recorder's: "
                           f"{error.strerror}") from None
