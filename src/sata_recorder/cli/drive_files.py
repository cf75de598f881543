"""What the verbs on prepared drives share: the argument, refusals, sizes for people."""

from contextlib import contextmanager
from pathlib import Path

import click

from ..pc import volume as recordings
from ..pc.array import members_among, open_disk
from .common import Refusal

#: One drive, or the members of an array in any order.
drives_argument = click.argument("drives", metavar="DEVICE|IMAGE...", nargs=-1, required=True,
                                 type=click.Path(path_type=Path))


@contextmanager
def opened(drives):
    """The open :class:`..pc.volume.Drive` that the paths ``drives`` are; what is refused or fails is reported in one
    line."""
    with refusing_drives(*drives), open_disk(drives) as source:
        yield recordings.Drive(source.path, source)


def sectors_of(drives):
    """The sectors of any drive, even of a member of an array, or of the array that several drives form: an
    :class:`..pc.volume.OpenDisk`. One of two mirrors has those of the array."""
    if len(drives) == 1:
        source = recordings.DiskReader(drives[0])
        if not recordings.is_mirror(source):
            return source
        source.close()
    return open_disk(drives)


def drives_and_name(words):
    """(paths of a drive or of an array's members, NAME or None) of the arguments ``words``."""
    count = members_among(words)
    members, names = words[:count], words[count:]
    if len(names) > 1:
        raise Refusal(f"{names[1]}: {' '.join(members)} is followed by one NAME at most, {names[0]} is given")
    return [Path(one) for one in members], names[0] if names else None


@contextmanager
def refusing_drives(*paths):
    """What is refused or fails with the drives ``paths`` is reported in one line."""
    try:
        yield
    except recordings.Refused as error:
        hint = "; --overwrite permits writing to it" if error.overwrite else ""
        raise Refusal(f"{error}{hint}") from None
    except OSError as error:
        raise click.ClickException(f"{' '.join(map(str, paths))}: {error.strerror or error}") from None


def is_wrong(drive):
    """Whether something is wrong with an open :class:`..pc.volume.Drive`, as far as it knows."""
    return bool(drive.changes or drive.problems or drive.source.problems or drive.source.failures)


def tell_problems(drive, *, err=False):
    """Reports what is wrong with an open :class:`..pc.volume.Drive`, and the way out."""
    for text in drive.changes:
        click.echo(f"changed  {text}", err=err)
    if drive.changes:
        click.echo(f"changed  {recordings.way_out(drive.path)}", err=err)
    for text in drive.problems:
        click.echo(f"damaged  {text}", err=err)
    tell_members(drive.source, err=err)


def tell_members(source, *, err=False):
    """Reports what is known of the members of an array, and which could not be read."""
    for text in source.notes:
        click.echo(f"note     {text}", err=err)
    for text in source.problems:
        click.echo(f"damaged  {text}", err=err)
    tell_failures(source, err=err)


def tell_failures(source, *, err=False):
    """Reports which members of an array could not be read."""
    for path, reason in source.failures.items():
        click.echo(f"damaged  {path}: {reason}: a part of it could not be read", err=err)


def amount(size):
    """Bytes for people: `20,971,520 bytes` and, from a megabyte on, what that is about."""
    for unit, factor in ("TB", 10**12), ("GB", 10**9), ("MB", 10**6):
        if size >= factor:
            return f"{size:,} bytes ({size / factor:.4g} {unit})"
    return f"{size:,} bytes"
