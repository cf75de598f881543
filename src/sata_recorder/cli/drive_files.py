"""What the verbs on prepared drives share: the argument, refusals, sizes for people."""

from contextlib import contextmanager
from pathlib import Path

import click

from ..pc import volume as recordings
from .common import Refusal

drive_argument = click.argument("drive", metavar="DEVICE|IMAGE", type=click.Path(path_type=Path))


@contextmanager
def refusing_drives(path):
    """What is refused or fails with the drive ``path`` is reported in one line."""
    try:
        yield
    except recordings.Refused as error:
        hint = "; --overwrite permits writing to it" if error.overwrite else ""
        raise Refusal(f"{error}{hint}") from None
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror or error}") from None


def is_wrong(opened):
    """Whether something is wrong with an open :class:`.recordings.Drive`, as far as it knows."""
    return bool(opened.changes or opened.problems)


def tell_problems(opened, *, err=False):
    """Reports what is wrong with an open :class:`.recordings.Drive`, and the way out."""
    for text in opened.changes:
        click.echo(f"changed  {text}", err=err)
    if opened.changes:
        click.echo(f"changed  {recordings.way_out(opened.path)}", err=err)
    for text in opened.problems:
        click.echo(f"damaged  {text}", err=err)


def amount(size):
    """Bytes for people: `20,971,520 bytes` and, from a megabyte on, what that is about."""
    for unit, factor in ("TB", 10**12), ("GB", 10**9), ("MB", 10**6):
        if size >= factor:
            return f"{size:,} bytes ({size / factor:.4g} {unit})"
    return f"{size:,} bytes"
