"""`sata-recorder wear`: a drive's life on the flash model."""

import json
from pathlib import Path

import click
from rich.console import Console

from .common import Refusal, need
from .files import overwrite_option, written

_FILE = click.Path(path_type=Path, readable=False)


@click.command()
@click.option("--drive", metavar="NAME|FILE", help="Drive whose inside is known, or a file of your own parameters.")
@click.option("--rate", metavar="RATE", help="At which it is written, such as 55MB/s.")
@click.option("--pattern", type=click.Choice(["sequential", "random", "ring"]), default="sequential",
              help="Filled in order, trimmed and filled again (default); units of the map at random; or overwritten in "
                   "order and never trimmed.")
@click.option("--until", default="5000", metavar="N|read-only|TIME",
              help="Mean erases of a block (default 5000), the end, or a time such as 30d.")
@click.option("--rest", metavar="TIME", help="Then it lies without power, such as 1y: what can be read after that.")
@click.option("--celsius", type=float, default=30.0, metavar="N", help="How warm it lies (default 30).")
@click.option("--template", is_flag=True, help="Print the file of the drive's parameters, to change, and end.")
@click.option("--json", "json_output", type=_FILE, metavar="FILE",
              help="Write all of it as JSON; `-` writes it to standard output.")
@click.option("--csv", "csv_output", type=_FILE, metavar="FILE",
              help="Write the log as CSV; `-` writes it to standard output.")
@click.option("--parquet", "parquet_output", type=_FILE, metavar="FILE", help="Write the log as Parquet.")
@click.option("--plot", "plot_output", type=_FILE, metavar="FILE.png|svg",
              help="Draw erases, write amplification, failed blocks, rate and errors over the life.")
@overwrite_option
@click.pass_context
def wear(context, drive, template, json_output, csv_output, parquet_output, plot_output, overwrite, **options):
    """Show what becomes of a drive while it is written, until its end.

    On a model of its flash: pages, blocks, garbage collection, cache and wear, from parameters that each have a
    source, or are named as estimates (docs/flash.md). Nothing is written to a real drive. Exit status: 0 if there is
    an answer, 1 if the drive cannot be written at that rate, 2 for a mistake in the arguments, 3 if what can be read
    after --rest is unknown.
    """
    if drive is None:
        raise Refusal(f"--drive: is missing; the inside is known of {_known()}")
    found = _drive(drive)
    if template:
        click.echo(_template(found, drive), nl=False)
        return
    if options["rate"] is None:
        raise Refusal("--rate: is missing; the rate at which it is written, such as 55MB/s")
    request = _request(found, options)
    _check_outputs(json_output, csv_output, parquet_output, plot_output)
    to_stdout = [path for path in (json_output, csv_output) if path is not None and str(path) == "-"]
    outputs = {"--json": json_output, "--csv": csv_output, "--parquet": parquet_output, "--plot": plot_output}
    outputs = {option: path for option, path in outputs.items() if path not in to_stdout}
    from ..lab.wear import wear as lived
    from .wear_text import render_wear
    with written(outputs, overwrite=overwrite) as contents:
        answer = lived(request)
        for option, path in outputs.items():
            if path is not None:
                contents[option] = _content(option, path, answer)
    if to_stdout:
        click.echo(_content("--json" if json_output in to_stdout else "--csv", None, answer), nl=False)
    render_wear(Console(stderr=bool(to_stdout)), answer)
    context.exit(3 if answer.rest_unknown else 1 if answer.too_slow else 0)


def _known():
    from ..lab.wear import flash_names
    return ", ".join(flash_names())


def _drive(name):
    from ..lab.wear import flash_drive
    from ..simulation import ProfileError
    try:
        return flash_drive(name)
    except ProfileError as error:
        text = "\n".join(error.faults)
        raise Refusal(text if text.startswith(str(name)) else f"--drive {name}: {text}") from None


def _template(drive, name):
    from ..lab.wear import flash_source
    path = Path(name)
    return path.read_text(encoding="utf-8") if path.is_file() else flash_source(drive)


def _request(drive, options):
    from ..lab.measurement import JobError
    from ..lab.wear import WearRequest
    typed = {"rate": options["rate"], "until": options["until"], "rest": options["rest"]}
    try:
        return WearRequest.of(drive, options["rate"], pattern=options["pattern"], until=options["until"],
                              rest=options["rest"], celsius=options["celsius"])
    except JobError as error:
        raise Refusal(error.told(lambda field, value=None: f"--{field}" if value is None else
                                 f"--{field} {typed.get(field) or value}")) from None


def _check_outputs(json_output, csv_output, parquet_output, plot_output):
    if json_output is not None and csv_output is not None and str(json_output) == str(csv_output) == "-":
        raise Refusal("--json -: not together with --csv -, only one of them can go to standard output")
    if parquet_output is not None:
        need("sweep", f"--parquet {parquet_output}")
    if plot_output is not None:
        need("report", f"--plot {plot_output}")
        from ..report import FORMATS
        if plot_output.suffix[1:] not in FORMATS:
            raise Refusal(f"--plot {plot_output}: must end in .png or .svg")


def _content(option, path, answer):
    from ..lab.wear import as_csv, as_parquet
    from ..report import wear_picture
    if option == "--json":
        return json.dumps(answer.as_data(), indent=2) + "\n"
    if option == "--csv":
        return as_csv(answer)
    return as_parquet(answer) if option == "--parquet" else wear_picture(answer.as_data(), path.suffix[1:])
