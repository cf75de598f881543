"""The files of a measurement: whether they can be read and written before anything is done."""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from ... import outputs
from ...facts.units import SECTOR_BYTES
from .job_error import JobError


def check_files(read: Mapping[str, str | None], written: Mapping[str, str | None], *, folders: Iterable[str] = (),
                overwrite: bool = False) -> None:
    """Refuses files that cannot be used: those read must exist, none may have two purposes, and those
    written must be free or, without ``overwrite``, this tool's (see :mod:`...outputs`).

    ``read`` and ``written`` are paths by a name for each, None for one that is not used; a name in
    both is a file that is made if it is missing. ``folders`` are the names of those that are
    folders. Raises :exc:`.job_error.JobError` with the name in place of the field.
    """
    seen: dict[Path, str] = {}
    for name, path in [*read.items(), *written.items()]:
        if path is None:
            continue
        other = seen.setdefault(Path(path).resolve(), name)
        if other != name:
            raise JobError(name, path, "the same file as ", (other,))
        try:
            writes = written.get(name) is not None
            _check(name, Path(path), writes, name in folders)
            if writes and name not in folders:
                check_output(name, path, overwrite)
        except OSError as error:
            raise JobError(name, path, error.strerror) from None


def check_output(name: str, path: str, overwrite: bool) -> None:
    """Refuses a file that must not be written. Raises :exc:`.job_error.JobError`."""
    try:
        outputs.check(path, overwrite=overwrite)
    except outputs.ForeignFile as error:
        raise JobError(name, path, f"it {error.strerror}; ", ("overwrite",),
                       " permits writing to it") from None


def _check(name, path, written, folder):
    if written and str(path) == "-":
        raise JobError(name, path, "must be a file, it cannot go to standard output")
    if folder:
        if path.exists() and not path.is_dir():
            raise JobError(name, path, "is no folder")
    elif path.exists():
        outputs.check_kind(path)
    if written:
        _check_writable(name, path)
    elif not path.exists():
        raise JobError(name, path, "no such file")
    elif not os.access(path, os.R_OK):
        raise JobError(name, path, "cannot be read: permission denied")


def _check_writable(name, path):
    parent = path.resolve().parent
    if not parent.is_dir():
        raise JobError(name, path, f"there is no folder {parent}")
    if not os.access(path if path.exists() else parent, os.W_OK):
        raise JobError(name, path, "cannot be written: permission denied")


def check_room(images: Mapping[str, int]) -> None:
    """Refuses ``images`` for which this machine has no room when so many sectors are written to each.

    Raises :exc:`.job_error.JobError`, which names the first one that does not fit.
    """
    left: dict[int, int] = {}       # of each file system
    for image, sectors in images.items():
        path = Path(image)
        folder = path.resolve().parent
        where = folder.stat().st_dev
        room = left.setdefault(where, shutil.disk_usage(folder).free)
        held = path.stat().st_blocks * 512 if path.exists() else 0
        if SECTOR_BYTES * sectors > room + held:
            raise JobError("image", image, f"{SECTOR_BYTES * sectors} bytes are to be written, and "
                                           f"{room + held} are free")
        left[where] -= max(0, SECTOR_BYTES * sectors - held)
