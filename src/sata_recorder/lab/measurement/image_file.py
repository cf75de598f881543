"""The image files of a measurement while they are used: locked, marked, and removed if they came to nothing."""

import os
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ... import outputs
from ...locks import InUse, open_locked
from ...facts.units import SECTOR_BYTES
from .array_images import make_members
from .files import check_output
from .job_error import JobError


@contextmanager
def held_image(job):
    """Keeps the images of ``job``, if it has any, from all others while the body runs.

    Several may play an image at the same time; a recording has it alone. An image that is missing
    is made, sparse, and removed if the body fails. One that is recorded is marked as this tool's
    (see :mod:`...outputs`). Raises :exc:`.job_error.JobError` for an image that is in use or that
    must not be written, and ``OSError``.
    """
    with ExitStack() as stack:
        made = [image for image in job.kept_images if stack.enter_context(_held(job, image))]
        if 0 < len(made) < len(job.kept_images):
            raise JobError("image", made[0], "no such file any more")
        if made and job.images:
            make_members(job)
        yield


@contextmanager
def _held(job, image):
    """Keeps one of them; gives whether it was made."""
    path = Path(image).resolve()
    handle, made = _opened(job, image, path)
    recording = job.operation != "play"
    try:
        if recording:
            if made:
                _grow(job, image, handle)
            else:
                check_output("image", image, job.overwrite)
            outputs.mark(path, changing=True)
        yield made
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


def _opened(job, image, path):
    """(handle with the lock, whether the file was made)."""
    try:
        return open_locked(path, writes=job.operation != "play", what="measurement")
    except InUse as error:
        raise JobError("image", image, f"is in use by {error}") from None
    except FileNotFoundError as error:
        raise JobError("image", image, error.strerror) from None


def _grow(job, image, handle):
    try:
        os.ftruncate(handle, SECTOR_BYTES * job.capacity)
    except OSError as error:
        raise JobError("image", image, f"cannot have {job.capacity} sectors: "
                                       f"{error.strerror}") from None
