"""`sata-recorder measure`: the core against the drive model."""

import json
from dataclasses import replace

import click

from ..report import FORMATS, render_measurement
from .common import need, needs_report, simulating
from .files import check_output, refusing, written
from .job import OPTIONS, check_seeds, job_of, refusing_jobs
from .options import options
from .progress import Progress
from .screen import Screen

#: How the names of the pictures begin.
_PICTURED = "record", "play"


@click.command()
@options(**OPTIONS)
@click.option("--engine", type=click.Choice(["auto", "compiled", "cxxrtl", "icarus"]), default="auto",
              help="Simulate the core and the drive as compiled code (compiled); the core by CXXRTL and the drive in "
                   "Python (cxxrtl), another opinion, slower; or the exported Verilog in Icarus, a thousand times "
                   "slower. The trace is the same. By default the fastest that works here; a short job does not wait "
                   "until the drive is compiled.")
@click.pass_context
def measure(context, engine, **asked):
    """Measure the core against a simulated SATA drive.

    By default 4 MiB of a generated pattern are recorded in several commands, played back and
    compared. The result shows where every cycle went and who caused it. Exit status: 0 if all
    data are right and the ledgers of core and drive model agree, 1 if not, 2 for a mistake in
    the arguments.
    """
    stream, outputs = asked["stream"], asked["outputs"]
    if outputs.report is not None:
        needs_report(outputs.report)
    if outputs.plots is not None:
        need("report", f"--plots {outputs.plots}")
    to_stdout = outputs.json_file is not None and str(outputs.json_file) == "-"
    paths = {"--json": None if to_stdout else outputs.json_file, "--report": outputs.report}
    job = job_of(context, asked)
    check_seeds(job, stream.seeds, stream.find_rate)
    if outputs.plots is not None:
        _check_pictures(outputs.plots, outputs.overwrite)
    measurement = None
    try:
        with refusing_jobs(asked), written(paths, overwrite=outputs.overwrite) as contents:
            with simulating(job.image), Progress() as progress:
                measurement = _measured(job, engine, stream.find_rate, stream.seeds, progress)
            text = _fill(measurement, contents, outputs)
        if to_stdout:
            click.echo(text, nl=False)
    finally:
        # What was measured is shown even if a file fails, and the files are there even if this does.
        if measurement is not None:
            render_measurement(Screen(stderr=to_stdout, soft_wrap=True), measurement)
    _speed_up(measurement)
    context.exit(1 if measurement.problems or measurement.lost else 0)


def _speed_up(measurement):
    """What makes the next measurement faster, in one line, where the drive ran in Python."""
    from ..simulation import compile_in_background, uncompiled_reason
    if measurement.engine != "compiled" or measurement.drive_compiled:
        return
    if reason := uncompiled_reason():
        click.echo(f"The drive ran in Python. Compiled it is several times as fast: {reason}", err=True)
        return
    compile_in_background()
    click.echo("The drive ran in Python. It is being compiled in the background, for the next command.", err=True)


def _measured(job, engine, find_rate, seeds, progress):
    """The measurement, and what else is to be known of a stream that cannot wait."""
    from ..lab.measurement import (Store, execute, highest_rate, needed_fifo, spread_of_rates,
                               words_per_clock)
    from ..simulation import Rate
    store = Store() if job.input_rate is not None else None
    search = spread = None
    if seeds is not None:
        spread = spread_of_rates(job, seeds, store=store, engine=engine, progress=progress.search)
    if find_rate:
        search = highest_rate(job, store=store, engine=engine, progress=progress.search)
        rate = words_per_clock(search.rate or search.lossy, job.configuration.clock_hz)
        job = replace(job, input_rate=Rate(*rate.as_integer_ratio()))
    measurement = execute(job, engine, progress)
    measurement.search = search
    measurement.spread = spread
    if measurement.lost:
        try:
            measurement.needed_fifo = needed_fifo(job, store=store, engine=engine,
                                                  progress=progress)
        except KeyboardInterrupt:
            pass    # what has been measured is there
    return measurement


def _check_pictures(folder, overwrite):
    """Refuses to write over a file in ``folder`` that only has the name of a picture."""
    for form in FORMATS:
        for operation in _PICTURED:
            for path in folder.glob(f"{operation}-*.{form}"):
                check_output("--plots", path, overwrite)


def _fill(measurement, contents, outputs):
    """What the files have, and the pictures; returns the JSON."""
    from ..lab.measurement import as_data
    from ..report import page_text, write_pictures
    data = as_data(measurement)
    contents["--json"] = text = json.dumps(data, indent=2) + "\n"
    if outputs.report is not None:
        contents["--report"] = page_text(data)
    if outputs.plots is not None:
        with refusing("--plots", outputs.plots):
            write_pictures(data, outputs.plots, overwrite=outputs.overwrite)
    return text
