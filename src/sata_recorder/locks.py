"""Locks on files that several runs must not change at the same time."""

import os
from pathlib import Path

try:
    import fcntl
except ImportError:     # a system without such locks
    fcntl = None

__all__ = ["InUse", "lock"]


class InUse(Exception):
    """Another has the lock; the text says who, as far as this system tells."""


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
