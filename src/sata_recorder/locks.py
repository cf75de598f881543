"""Locks on files that several runs must not change at the same time."""

import os
import stat
from pathlib import Path

from . import outputs

try:
    import fcntl
except ImportError:     # a system without such locks
    fcntl = None

__all__ = ["InUse", "is_at", "lock", "open_locked"]


class InUse(Exception):
    """Another has the lock; the text names its owner, as far as this system shows it."""


def lock(handle, *, exclusive, what="user"):
    """Locks the open file ``handle`` until it is closed; does nothing where there are no locks.

    ``what`` is what another in this process would be. Raises :exc:`InUse`.
    """
    if fcntl is None:
        return
    try:
        fcntl.flock(handle, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InUse(_holder(handle, what)) from None
    except OSError:
        pass                # a file system without locks


def open_locked(path, *, writes, what="user"):
    """(handle, whether it was made) of the regular file ``path``, locked: for this one alone if it
    ``writes``, and then made where it is missing; else together with others that read.

    The file has this name when it is locked: its previous owner may have removed or
    replaced it. Symbolic links count as what they lead to, also where that is missing. ``what`` is as of
    :func:`lock`. Raises :exc:`InUse`, :exc:`.outputs.UnfitPath` and ``OSError``.
    """
    path = Path(os.path.realpath(path))     # O_EXCL refuses a link, whether or not it leads to a file
    while True:
        made = False
        try:
            if writes:
                try:
                    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
                    made = True
                except FileExistsError:
                    handle = os.open(path, os.O_RDWR)
            else:
                handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            if not writes or not path.parent.is_dir():
                raise
            continue        # it was removed since
        try:
            lock(handle, exclusive=writes, what=what)
            if is_at(path, handle):
                return handle, made
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def is_at(path, handle):
    """Whether the file of ``handle`` still has the name ``path``: somebody may have put another one there."""
    mine = os.fstat(handle)
    if not stat.S_ISREG(mine.st_mode):
        outputs.check_kind(path)
    try:
        return os.path.samestat(mine, os.stat(path))
    except FileNotFoundError:
        return False


def _holder(handle, what):
    found = os.fstat(handle)
    name = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    try:
        for line in Path("/proc/locks").read_text().splitlines():
            words = line.split()
            if len(words) > 5 and words[1] == "FLOCK" and words[5] == name and int(words[4]) > 0:
                pid = int(words[4])
                if pid == os.getpid():
                    return f"another {what} of this process"
                return f"process {pid} ({Path(f'/proc/{pid}/comm').read_text().strip()})"
    except (OSError, ValueError):
        pass
    return "another process"
