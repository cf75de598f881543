"""The cache of what is compiled: in the user's cache folder, or where ``SATA_RECORDER_CACHE`` points.

Files appear in it complete or not at all (temporary file, then rename), so processes may share it.
A digest is next to each: what was damaged since, by a full disk or by hand, is built again.
"""

import hashlib
import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from .engine import EngineError

VARIABLE = "SATA_RECORDER_CACHE"
#: In a folder: the digests of its files.
_LIST = "digests.json"


class CacheError(EngineError):
    """The cache folder cannot be written."""


def cache_folder():
    """The folder of the cache, made if it is missing. Raises :exc:`CacheError`."""
    chosen = os.environ.get(VARIABLE)
    folder = Path(chosen) if chosen else Path(platformdirs.user_cache_dir("sata-recorder"))
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def writing(folder):
    """Raises :exc:`CacheError`, which names the ``folder``, for an ``OSError`` of the body."""
    try:
        yield
    except OSError as error:
        chosen = f" of {VARIABLE}" if os.environ.get(VARIABLE) else ""
        raise CacheError(f"the cache folder {folder}{chosen} cannot be written: "
                         f"{error.strerror or error}; set {VARIABLE} to a folder that "
                         "can") from None


def cached(target, write, whole=None):
    """``target``, which ``write(path)`` fills if it is missing or not ``whole(target)``, by default
    :func:`intact`."""
    if not (whole or intact)(target):
        publish(target, write)
    return target


def publish(target, write):
    """Lets ``write`` fill a temporary file next to ``target``, then renames it."""
    with _part(target) as part:
        write(part)
        with writing(target.parent):
            digest = _digest(part)
            os.replace(part, target)
    with _part(target) as part, writing(target.parent):
        part.write_text(digest)
        os.replace(part, _beside(target))


@contextmanager
def _part(target):
    """An empty file next to ``target``, which is removed in the end if it is still there."""
    with writing(target.parent):
        handle, name = tempfile.mkstemp(prefix=f"{target.stem}-", dir=target.parent)
        os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def intact(target):
    """Whether the file ``target`` is as it was published."""
    try:
        return _beside(target).read_bytes() == _digest(target).encode()
    except OSError:
        return False


def complete(folder):
    """Notes the digests of all files in ``folder``."""
    (folder / _LIST).write_text(json.dumps(
        {path.relative_to(folder).as_posix(): _digest(path)
         for path in sorted(folder.rglob("*")) if path.is_file()}))


def intact_folder(folder):
    """Whether all files in ``folder`` are as they were when it was :func:`complete`."""
    try:
        digests = json.loads((folder / _LIST).read_bytes())
        return len(digests) > 0 and all(_digest(folder / name) == digest
                                        for name, digest in digests.items())
    except (OSError, ValueError, AttributeError, TypeError):
        return False


def replaced_folder(folder, target):
    """Renames ``folder`` to ``target``, in place of a damaged one that is there."""
    for _ in range(2):
        try:
            os.rename(folder, target)
            return
        except OSError:
            if not target.exists():
                raise
            if intact_folder(target):       # another process was faster
                return
            with tempfile.TemporaryDirectory(prefix="damaged-", dir=target.parent) as damaged:
                os.rename(target, Path(damaged, "folder"))
                shutil.rmtree(Path(damaged, "folder"), ignore_errors=True)


def _beside(target):
    return target.with_name(f"{target.name}.sha256")


def _digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
