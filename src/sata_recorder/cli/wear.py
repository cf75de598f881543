"""`sata-recorder wear`: a drive's life on the flash model, or a real one's on a board (:mod:`.wear_board`)."""

import json
from pathlib import Path

import click
from rich.console import Console

from .common import Refusal, need
from .files import overwrite_option, written
from .options import Number
from .options import options as options_of
from .wear_board import BoardOptions, wear_on_board

_FILE = click.Path(path_type=Path, readable=False)


@click.command()
@click.option("--drive", metavar="NAME|FILE", help="Drive whose inside is known, or a file of your own parameters.")
@click.option("--rate", metavar="RATE", help="At which it is written, such as 55MB/s. With --port by default as fast "
                                             "as it goes.")
@click.option("--pattern", type=click.Choice(["sequential", "random", "ring"]),
              help="Filled in order, trimmed and filled again (default); units of the map at random; or overwritten in "
                   "order and never trimmed.")
@click.option("--until", metavar="N|read-only|TIME|SIZE",
              help="Mean erases of a block (default 5000), the end, a time such as 30d, or, with --port, written bytes "
                   "such as 100TB.")
@click.option("--rest", metavar="TIME",
              help="Then leave it without power for so long, such as 1y, and show what can be read after that.")
@click.option("--celsius", type=Number(), metavar="N", help="How warm it is during --rest (default 30).")
@click.option("--template", is_flag=True, help="Print the file of the drive's parameters, for you to change, and end.")
@click.option("--json", "json_output", type=_FILE, metavar="FILE",
              help="Write all of it as JSON; `-` writes it to standard output.")
@click.option("--csv", "csv_output", type=_FILE, metavar="FILE",
              help="Write the log as CSV; `-` writes it to standard output.")
@click.option("--parquet", "parquet_output", type=_FILE, metavar="FILE", help="Write the log as Parquet.")
@click.option("--plot", "plot_output", type=_FILE, metavar="FILE.png|svg",
              help="Draw erases, write amplification, failed blocks, rate and errors over the life.")
@options_of(board=BoardOptions)
@overwrite_option
@click.pass_context
def wear(context, json_output, csv_output, parquet_output, plot_output, overwrite, board, **options):
    """Show what becomes of a drive while it is written, until its end.

    With --drive on a model of its flash: pages, blocks, garbage collection, cache and wear, from parameters that each
    have a source, or are named as estimates (docs/flash.md). Nothing is written to a real drive. Exit status: 0 if
    there is an answer, 1 if the drive cannot be written at that rate, 2 for a mistake in the arguments, 3 if what can
    be read after --rest is unknown.

    With --port on a real drive, by the console of a board (docs/wear.md): IT IS OVERWRITTEN AND WORN OUT. Exit status:
    0 at the end, 1 if the drive fails before, 2 for a mistake, or if the board does not answer any more, 130 after
    Ctrl-C; --resume goes on after the last two.
    """
    drive, template = options.pop("drive"), options.pop("template")
    outputs = {"--json": json_output, "--csv": csv_output, "--parquet": parquet_output, "--plot": plot_output}
    if board.port is not None:
        given = {"--drive": drive, "--template": template or None, "--rest": options["rest"],
                 "--celsius": options["celsius"]}
        context.exit(wear_on_board(board, options, given, outputs, overwrite))
    board.refuse_alone()
    options |= {"until": options["until"] or "5000", "celsius": 30.0 if options["celsius"] is None else
                options["celsius"], "pattern": options["pattern"] or "sequential"}
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
