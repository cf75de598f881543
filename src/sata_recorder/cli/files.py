"""Files that a verb writes: all of them and complete, or none; and none that is not this tool's."""

import os
from contextlib import contextmanager

import click

from .. import outputs
from .common import Refusal

#: For every verb that writes files.
overwrite_option = click.option(
    "--overwrite", is_flag=True,
    help="Also write to files that are there already and that sata-recorder has not made.")


def check_outputs(paths, *, read=(), overwrite=False, where=""):
    """Those of ``paths``, by the name of their options, that are not None; ``read`` as :func:`written` has it. Refuses
    standard output (``where`` states with what), a file with two purposes, and one that is not this
    tool's."""
    paths = {option: path for option, path in paths.items() if path is not None}
    seen = {path.resolve(): option for option, path in read if path is not None}
    for option, path in paths.items():
        if str(path) == "-":
            raise Refusal(f"{option} -: must be a file, it cannot go to standard output{where}")
        other = seen.setdefault(path.resolve(), option)
        if other != option:
            raise Refusal(f"{option} {path}: the same file as {other}")
        check_output(option, path, overwrite)
    return paths


@contextmanager
def written(paths, *, read=(), overwrite=False):
    """Gives a dictionary; what it has in the end becomes the content (text or bytes) of the files
    ``paths``.

    ``paths`` are those to be written by the name of their options, and ``read`` pairs of option
    and path that are read; None stands for an option that was not given. The content goes to a file
    next to each path first, which is made before the body runs and renamed after it. So a file that
    cannot be written, or must not be (see :mod:`..outputs`), is refused at once, and nothing is
    touched when anything fails. ``-`` is refused: a verb that can write to standard output does so
    itself.
    """
    paths = check_outputs(paths, read=read, overwrite=overwrite)
    texts, parts = {}, {}
    try:
        for option, path in paths.items():
            with refusing(option, path):
                parts[option] = outputs.part(path)
        yield texts
        for option, path in paths.items():
            with refusing(option, path):
                outputs.fill(parts[option], texts[option])
        for option, path in paths.items():      # a long run may have passed since
            check_output(option, path, overwrite)
        for option, path in paths.items():
            with refusing(option, path):
                outputs.place(parts[option], path, overwrite=overwrite)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def check_output(option, path, overwrite, read=None):
    """Refuses a ``path`` that must not be written, such as the one that is ``read``."""
    if read is not None and path.exists() and os.path.samefile(path, read):
        raise Refusal(f"{option} {path}: the same file as {read}, which is read")
    with refusing(option, path):
        outputs.check(path, overwrite=overwrite)


@contextmanager
def refusing(option, path):
    """An error with the file ``path`` of ``option`` is reported in one line."""
    try:
        yield
    except outputs.ForeignFile as error:
        raise Refusal(f"{option} {path}: it {error.strerror}; --overwrite permits writing to "
                      "it") from None
    except outputs.UnfitPath as error:
        raise Refusal(f"{option} {path}: cannot be written: it {error.strerror}") from None
    except OSError as error:
        raise Refusal(f"{option} {path}: cannot be written: {error.strerror}") from None
