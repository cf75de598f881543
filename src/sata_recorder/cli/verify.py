"""`sata-recorder verify`: whether a prepared drive is whole."""

import click

from .. import recordings
from .copy_progress import CopyProgress
from .drive_files import drive_argument, refusing_drives

__all__ = ["verify"]


@click.command()
@drive_argument
@click.pass_context
def verify(context, drive):
    """Check a prepared drive: its tables, its file system, and the data of each recording.

    The drive is only read. Exit status: 0 if all is well, 1 if not, 2 for a mistake in the
    arguments.
    """
    with refusing_drives(drive), recordings.Drive(drive) as opened:
        total = sum(one.bytes for one in opened.recordings if one.is_file)
        with CopyProgress(total) as progress:
            found = recordings.verify(opened, progress=progress.of_several())
    for name in found.checked:
        click.echo(f"same     {name}: its CRC-32 is the recorded one")
    for name in found.unchecked:
        click.echo(f"readable {name}: nothing to compare it with")
    for note in found.notes:
        click.echo(f"note     {note}")
    for problem in found.problems:
        click.echo(f"WRONG    {problem}")
    if not found.problems:
        click.echo("good     tables and file system agree")
    context.exit(1 if found.problems else 0)
