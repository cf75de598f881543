"""`sata-recorder verify`: whether a prepared drive is whole."""

from pathlib import Path

import click

from .. import outputs
from ..pc import volume as recordings
from ..pc.array import MirrorReader, compare_mirrors
from .common import Refusal
from .copy_progress import CopyProgress
from .drive_files import drives_argument, opened, tell_failures


@click.command()
@drives_argument
@click.option("--sidecar", "paths", multiple=True, metavar="FILE",
              type=click.Path(path_type=Path, readable=False),
              help="Compare with the digest in this file, which `extract` has written; can be "
                   "given several times.")
@click.pass_context
def verify(context, drives, paths):
    """Check a prepared drive: its tables, its file system, and the data of each recording.

    The drive is only read. Several drives are the members of one array, in any order; two mirrors
    are compared, sector by sector. Exit status: 0 if all is well, 1 if not, 2 for a mistake in the
    arguments.
    """
    sidecars = [_sidecar(path) for path in paths]
    with opened(drives) as drive:
        total = sum(one.bytes for one in drive.recordings if one.is_file)
        both = isinstance(drive.source, MirrorReader) and len(drive.source.disks) > 1
        with CopyProgress(total + both * drive.source.size) as progress:
            found = recordings.verify(drive, sidecars=sidecars,
                                      progress=progress.of_several())
            compare_mirrors(drive, found, lambda done: progress(total + done))
    for text in found.checked:
        click.echo(f"same     {text}")
    for name in found.unchecked:
        click.echo(f"readable {name}: nothing to compare it with")
    for note in found.notes:
        click.echo(f"note     {note}")
    for problem in found.problems:
        click.echo(f"WRONG    {problem}")
    tell_failures(drive.source)
    if not found.problems:
        click.echo("good     tables and file system agree")
    context.exit(1 if found.problems else 0)


def _sidecar(path):
    try:
        return recordings.parse_sidecar(outputs.read_text(path))
    except OSError as error:
        raise Refusal(f"--sidecar {path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        text = "is no text" if isinstance(error, UnicodeDecodeError) else error
        raise Refusal(f"--sidecar {path}: {text}") from None
