"""The image file of a measurement while it is used: locked, marked, and gone if it never was."""

import os
import stat
from contextlib import contextmanager
from pathlib import Path

from .. import outputs
from ..locks import InUse, lock
from ..units import SECTOR_BYTES
from .files import check_output
from .job_error import JobError

__all__ = ["held_image"]


@contextmanager
def held_image(job):
    """Keeps the image of ``job``, if it has one, from all others while the body runs.

    Several may play an image at the same time; who records has it alone. An image that is missing
    is made, sparse, and removed where the body fails. One that is recorded is marked as this tool's
    (see :mod:`..outputs`). Raises :exc:`.job_error.JobError` for an image that is in use or that
    must not be written, and ``OSError``.
    """
    if job.image is None:
        yield
        return
    path = Path(job.image).resolve()
    handle, made = _opened(job, path)
    recording = job.operation != "play"
    try:
        if recording:
            if made:
                _grow(job, handle)
            else:
                check_output("image", job.image, job.overwrite)
            outputs.mark(path, changing=True)
        yield
    except BaseException:
        if made:
            path.unlink(missing_ok=True)
            outputs.unmark(path)
        raise
    finally:
        if recording and path.exists() and not _foreign(path):
            outputs.mark(path)
        os.close(handle)


def _foreign(path):
    try:
        outputs.check(path)
    except OSError:
        return True
    return False


def _opened(job, path):
    """(handle with the lock, whether the file was made)."""
    playing = job.operation == "play"
    while True:
        made = False
        try:
            if playing:
                handle = os.open(path, os.O_RDONLY)
            else:
                try:
                    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
                    made = True
                except FileExistsError:
                    handle = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            if playing or not path.parent.is_dir():
                raise JobError("image", job.image, os.strerror(2)) from None
            continue        # it was removed since
        try:
            _lock(job, handle, exclusive=not playing)
            if _is(path, handle):
                return handle, made
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)    # whoever had the lock has removed or replaced it


def _is(path, handle):
    """Whether the file of ``handle`` still has the name ``path``."""
    mine = os.fstat(handle)
    if not stat.S_ISREG(mine.st_mode):
        outputs.check_kind(path)
    try:
        return os.path.samestat(mine, path.stat())
    except FileNotFoundError:
        return False


def _lock(job, handle, *, exclusive):
    try:
        lock(handle, exclusive=exclusive, what="measurement")
    except InUse as error:
        raise JobError("image", job.image, f"is in use by {error}") from None


def _grow(job, handle):
    try:
        os.ftruncate(handle, SECTOR_BYTES * job.capacity)
    except OSError as error:
        raise JobError("image", job.image, f"cannot have {job.capacity} sectors: "
                                           f"{error.strerror}") from None
