"""Files that a verb writes: all of them and complete, or none."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

from .common import Refusal

__all__ = ["written"]


@contextmanager
def written(paths, *, read=()):
    """Gives a dictionary; what it has in the end becomes the content (text or bytes) of the files
    ``paths``.

    ``paths`` are those to be written by the name of their options, and ``read`` pairs of option
    and path that are read; None stands for an option that was not given. The content goes to a file
    beside each path first, which is made before the body runs and renamed after it. So a file that
    cannot be written is refused at once, and nothing is touched when anything fails. ``-`` is
    refused: a verb that can write to standard output does so itself.
    """
    paths = {option: path for option, path in paths.items() if path is not None}
    seen = {path.resolve(): option for option, path in read if path is not None}
    for option, path in paths.items():
        if str(path) == "-":
            raise Refusal(f"{option} -: must be a file, it cannot go to standard output")
        other = seen.setdefault(path.resolve(), option)
        if other != option:
            raise Refusal(f"{option} {path}: the same file as {other}")
    texts, parts = {}, {}
    try:
        for option, path in paths.items():
            with _refusing(option, path):
                if path.exists() and not path.is_file():
                    raise Refusal(f"{option} {path}: cannot be written: it is no regular file")
                parts[option] = _part(path.resolve())
        yield texts
        for option, path in paths.items():
            with _refusing(option, path):
                if isinstance(texts[option], bytes):
                    parts[option].write_bytes(texts[option])
                else:
                    parts[option].write_text(texts[option])
        for option, path in paths.items():
            with _refusing(option, path):
                parts[option].replace(path.resolve())
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def _part(path):
    """A new file beside ``path`` with the permissions that a new file has."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    usual = os.umask(0)
    os.umask(usual)
    os.chmod(name, 0o666 & ~usual)
    return Path(name)


@contextmanager
def _refusing(option, path):
    try:
        yield
    except OSError as error:
        raise Refusal(f"{option} {path}: cannot be written: {error.strerror}") from None
