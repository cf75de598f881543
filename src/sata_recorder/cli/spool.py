"""Input that is no file that can be read at any place: standard input, pipes, devices."""

import errno
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from ..facts.units import SECTOR_BYTES
from .common import Refusal

#: Bytes copied at once.
_CHUNK = 1 << 20
#: Bytes of the temporary folder's disk that stay free.
_RESERVE = 64 << 20


def spooled(context, source, sectors):
    """A file with the bytes of ``source`` (a path; None stays None), for as long as ``context``.

    A regular file is itself. Of anything else, ``-`` being standard input, all is copied to a
    temporary file; where ``sectors`` are given, more than they hold is refused. Raises
    :exc:`.common.Refusal`.
    """
    if source is None or not _is_stream(source, sectors):
        return source
    folder = context.with_resource(tempfile.TemporaryDirectory(prefix="sata-recorder-"))
    path = Path(folder, "input")
    try:
        with _opened(source) as stream, open(path, "wb") as copy:
            _copy(source, stream, copy, sectors)
    except OSError as error:
        raise Refusal(f"--input {source}: {error.strerror}") from None
    return path


def _is_stream(source, sectors):
    if str(source) == "-":
        return True
    try:
        mode = os.stat(source).st_mode
    except OSError:
        return False        # the check of the files reports what is wrong
    if stat.S_ISCHR(mode) and sectors is None and not os.isatty(_number(source)):
        raise Refusal(f"--input {source}: is a character device, --sectors must state how much of "
                      "it is recorded")
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


def _number(source):
    """The descriptor of standard input where ``source`` names it, else one that is none."""
    return 0 if str(source) in ("/dev/stdin", "/dev/fd/0") else -1


def _opened(source):
    if str(source) != "-":
        return open(source, "rb", buffering=0)
    try:
        return open(os.dup(sys.stdin.fileno()), "rb", buffering=0)
    except (AttributeError, OSError, ValueError):
        raise OSError(errno.EBADF, "standard input is closed") from None


def _copy(source, stream, copy, sectors):
    limit = None if sectors is None else SECTOR_BYTES * sectors
    size = 0
    while limit is None or size <= limit:
        part = stream.read(_CHUNK if limit is None else min(_CHUNK, limit + 1 - size))
        if not part:
            return
        size += len(part)
        if shutil.disk_usage(copy.name).free < _RESERVE + len(part):
            raise Refusal(f"--input {source}: more than {size} bytes have no room in "
                          f"{tempfile.gettempdir()}; TMPDIR names another folder")
        copy.write(part)
    if not stat.S_ISBLK(os.fstat(stream.fileno()).st_mode) and \
            not stat.S_ISCHR(os.fstat(stream.fileno()).st_mode):
        raise Refusal(f"--sectors {sectors}: --input {source} has more than {limit} bytes")
    copy.truncate(limit)
