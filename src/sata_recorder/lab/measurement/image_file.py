"""The image file of a measurement while it is used: locked, marked, and gone if it never was."""

import os
from contextlib import contextmanager
from pathlib import Path

from ... import outputs
from ...locks import InUse, open_locked
from ...facts.units import SECTOR_BYTES
from .files import check_output
from .job_error import JobError


@contextmanager
def held_image(job):
    """Keeps the image of ``job``, if it has one, from all others while the body runs.

    Several may play an image at the same time; who records has it alone. An image that is missing
    is made, sparse, and removed where the body fails. One that is recorded is marked as this tool's
    (see :mod:`...outputs`). Raises :exc:`.job_error.JobError` for an image that is in use or that
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
        if recording and path.exists():
            if outputs.may_be_written(path):
                outputs.mark(path)
            else:
                outputs.unmark(path)        # a foreign one that was not changed
        os.close(handle)


def _opened(job, path):
    """(handle with the lock, whether the file was made)."""
    try:
        return open_locked(path, writes=job.operation != "play", what="measurement")
    except InUse as error:
        raise JobError("image", job.image, f"is in use by {error}") from None
    except FileNotFoundError as error:
        raise JobError("image", job.image, error.strerror) from None


def _grow(job, handle):
    try:
        os.ftruncate(handle, SECTOR_BYTES * job.capacity)
    except OSError as error:
        raise JobError("image", job.image, f"cannot have {job.capacity} sectors: "
                                           f"{error.strerror}") from None
