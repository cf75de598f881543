"""`sata-recorder measure`: the core against the drive model."""

import json
import os
from pathlib import Path

import click
from rich.console import Console

from .common import Refusal
from .job import make_job
from .progress import Progress

# The checks of click would say less than those of make_job.
_FILE = click.Path(path_type=Path, readable=False)


@click.command()
@click.option("--operation", type=click.Choice(["record", "play", "both"]), default="both",
              help="Record, play what an image holds, or record and play back (default).")
@click.option("--input", "source", type=_FILE, metavar="FILE",
              help="Record this file, padded with zeros to whole sectors; with --operation play, "
                   "what the image must hold. Without it, a pattern is generated from the seed.")
@click.option("--image", type=_FILE, metavar="FILE",
              help="Keep the disk in this raw image (made sparse, or written in place); "
                   "without it, in memory.")
@click.option("--lba", type=int, default=0, metavar="N", help="First sector (default 0).")
@click.option("--sectors", type=int, metavar="N",
              help="Sectors of 512 bytes to move (default: the input file's, else 8192).")
@click.option("--capacity", type=int, metavar="SECTORS",
              help="Capacity of the drive (default 62533296 sectors, 32 GB, or the image's if "
                   "that is more; when playing, the image's).")
@click.option("--lba28", is_flag=True, help="A drive without 48-bit commands.")
@click.option("--max-command", type=int, metavar="SECTORS",
              help="Longest command, 1 to 65536 sectors (default 2048); 28-bit ones end at 256.")
@click.option("--generation", type=click.Choice(["1", "2", "3"]), default="2",
              help="Generation of the link: 1.5, 3 or 6 Gb/s (default 2).")
@click.option("--hold", "holds", multiple=True, metavar="WHO:ON/OFF",
              help="Stall periodically: `drive:64/16` lets the drive hold for 16 dwords after "
                   "every 64, `host:100/20` stops the stream for 20 clocks after every 100.")
@click.option("--hostile", is_flag=True,
              help="A drive that does all that the standard permits, at random from the seed.")
@click.option("--flush", is_flag=True, help="Let a FLUSH CACHE follow the recording.")
@click.option("--seed", type=int, default=0, metavar="N",
              help="Seed of the pattern and of a hostile drive (default 0).")
@click.option("--engine", type=click.Choice(["cxxrtl", "icarus"]), default="cxxrtl",
              help="Simulate compiled code (default), or the exported Verilog in Icarus: 200 "
                   "times slower, the same trace.")
@click.option("--config", type=_FILE, metavar="FILE.toml",
              help="Configuration of the core; --max-command wins over it.")
@click.option("--json", "json_output", type=_FILE, metavar="FILE",
              help="Write the result as JSON; `-` writes it to standard output.")
@click.option("--trace", type=_FILE, metavar="FILE",
              help="Write both 8-byte words of the dword port of every clock.")
@click.option("--vcd", type=_FILE, metavar="FILE", help="Write the waves of the whole run.")
@click.pass_context
def measure(context, engine, json_output, **options):
    """Measure the core against a simulated SATA drive.

    By default 4 MiB of a generated pattern are recorded in several commands, played back and
    compared. The result shows where every cycle went and who caused it. Exit status: 0 if all
    data are right and the ledgers of core and drive model agree, 1 if not, 2 for a mistake in
    the arguments.
    """
    job = make_job(json_output=json_output, **options)
    measurement = _run(job, engine)
    _show(measurement, json_output)
    context.exit(1 if measurement.problems else 0)


def _run(job, engine):
    """Runs the job; takes an image away again that an interrupted run has begun."""
    from ..measure import EngineError, MissingTool, Stuck, execute
    created = job.image is not None and not os.path.exists(job.image)
    try:
        with Progress() as progress:
            return execute(job, engine, progress)
    except BaseException as error:
        if created:
            Path(job.image).unlink(missing_ok=True)
        if isinstance(error, MissingTool):
            raise Refusal(str(error)) from None
        if isinstance(error, (EngineError, Stuck)):
            raise click.ClickException(str(error)) from None
        if isinstance(error, OSError) and error.strerror:
            name = error.filename or job.image
            raise click.ClickException(f"{name}: {error.strerror}") from None
        raise


def _show(measurement, json_output):
    from ..measure.report import as_data, render
    to_stdout = json_output is not None and str(json_output) == "-"
    console = Console(stderr=to_stdout, soft_wrap=True)
    render(console, measurement)
    if json_output is None:
        return
    text = json.dumps(as_data(measurement), indent=2) + "\n"
    if to_stdout:
        click.echo(text, nl=False)
    else:
        try:
            json_output.write_text(text)
        except OSError as error:
            raise click.ClickException(f"--json {json_output}: {error.strerror}") from None
