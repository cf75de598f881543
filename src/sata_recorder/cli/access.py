"""`sata-recorder access`: small accesses anywhere on a simulated drive, through the core."""

import json

import click
from rich.console import Console

from ..lab.access import AccessOptions, AccessOutputs
from .common import Refusal, needs_report, simulating
from .files import written
from .options import options
from .progress import Progress

#: Fields of a measurement's job that have another name here.
_FIELDS = {"sectors": "span", "profile": "drive", "backend": "drive"}


@click.command()
@options(asked=AccessOptions, outputs=AccessOutputs)
@click.option("--engine", type=click.Choice(["auto", "compiled", "cxxrtl"]), default="auto",
              help="Simulate core and drive as compiled code (compiled), or the core by CXXRTL and the drive in "
                   "Python (cxxrtl). By default the fastest that works here.")
@click.pass_context
def access(context, asked, outputs, engine):
    """Measure accesses of 512 bytes to 1 MiB anywhere on a simulated drive.

    The core moves one after the other: IOPS, latencies, and where every cycle went. By default 1000 accesses read 4 KiB
    each, at random. Exit status: 0 if all data are right and the ledgers of core and drive model agree, 1 if not, 2 for
    a mistake in the arguments, 3 if the figure is unknown, because the drive's profile lacks what decides it.
    """
    from ..lab.access import as_data, execute
    job = _job(asked)
    to_stdout = outputs.json_file is not None and str(outputs.json_file) == "-"
    if outputs.report is not None:
        needs_report(outputs.report)
    paths = {"--json": None if to_stdout else outputs.json_file, "--report": outputs.report}
    with written(paths, overwrite=outputs.overwrite) as contents:
        with simulating(), Progress() as progress:
            result = execute(job, engine, progress)
        data = as_data(result)
        contents["--json"] = text = json.dumps(data, indent=2) + "\n"
        if outputs.report is not None:
            from ..report import access_page
            contents["--report"] = access_page(data)
    if to_stdout:
        click.echo(text, nl=False)
    from .access_text import render_access
    render_access(Console(stderr=to_stdout), result)
    context.exit({"wrong": 1, "unknown": 3}.get(result.verdict, 0))


def _job(asked):
    from ..lab.access import make_job
    from ..lab.measurement import JobError
    try:
        return make_job(asked)
    except JobError as error:
        raise Refusal(error.told(lambda field, value=None: _told(asked, field, value))) from None


def _told(asked, field, value):
    """An option with its value, as the user gave it."""
    name = _FIELDS.get(field, field)
    if name not in AccessOptions.model_fields:
        return field if value is None else f"{field} {value}"
    flag, given = AccessOptions.flag(name), vars(asked)[name]
    if value is None or isinstance(given, bool):
        return flag
    shown = f"{given:g}" if isinstance(given, float) else given
    return f"{flag} {value if given is None else shown}"
