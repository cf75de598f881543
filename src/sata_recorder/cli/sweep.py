"""`sata-recorder sweep`: many measurements as one table."""

import re
from pathlib import Path

import click

from .cells import Cells, show
from .common import Refusal, need, simulating
from .files import overwrite_option, written
from .options import WholeNumber

_FILE = click.Path(path_type=Path, readable=False)
#: Key of a plan: its option.
_NAMES = {"drives": "--drives", "command_sizes": "--command-sizes",
          "turnarounds_us": "--turnarounds-us", "controllers": "--controllers", "rates": "--rates",
          "fifo_words": "--fifo-words", "operations": "--operation", "lba28": "--lba28",
          "size": "--size",
          "generation": "--generation", "buffer_words": "--buffer-words", "memory": "--memory",
          "width": "--width", "source_clock": "--source-clock"}


class _Numbers(click.ParamType):
    """Numbers with commas between them."""

    name = "numbers"

    def __init__(self, kind):
        self._kind = kind

    def convert(self, value, param, ctx):
        try:
            return [self._kind(part) for part in value.split(",")]
        except ValueError:
            self.fail(f"{value!r} is no list of numbers with commas between them", param, ctx)


@click.command()
@click.argument("plan", type=_FILE, metavar="[PLAN.toml]", required=False)
@click.option("--drives", metavar="A,B,...",
              help="Drive profiles: names (see `sata-recorder drives`) or files ending in .toml "
                   "(default ideal).")
@click.option("--command-sizes", type=_Numbers(int), metavar="N,N,...",
              help="Longest command in sectors, 1 to 65536 (default 65536).")
@click.option("--turnarounds-us", type=_Numbers(float), metavar="T,T,...",
              help="Pause of the host between two commands in us (default 0).")
@click.option("--controllers", metavar="C,C,...",
              help="What runs the loop of commands: hardwired (default), or picorv32, serv or "
                   "vexriscv with firmware, with its clock in Hz as in serv@25e6.")
@click.option("--rates", metavar="R,R,...",
              help="Input rates of a sensor that cannot wait, such as 50MB/s,100MB/s; without it, "
                   "the stream is always ready.")
@click.option("--fifo-words", type=int, metavar="N",
              help="Depth of the FIFO in front of the core, with --rates (default: no end, which "
                   "shows the depth that is needed).")
@click.option("--operation", type=click.Choice(["record", "play", "both"]),
              help="Record (default), play, or a cell for each.")
@click.option("--lba28", type=click.Choice(["no", "yes", "both"]),
              help="28-bit commands: no (default), yes, or a cell for each.")
@click.option("--size", metavar="SIZE",
              help="Data of each cell: sectors, or bytes with a unit such as 64MiB (default: at "
                   "least 4 commands and 20 ms).")
@click.option("--generation", type=click.Choice(["1", "2", "3"]),
              help="Generation of the link: 1.5, 3 or 6 Gb/s (default 2), but at most the "
                   "drive's.")
@click.option("--buffer-words", type=int, metavar="WORDS",
              help="Depth of the core's own buffer, a power of two (default 4096).")
@click.option("--memory", metavar="SIZE",
              help="A memory such as 256MiB as the core's buffer, simulated as DDR3 behind its AXI4 port.")
@click.option("--width", type=click.Choice(["8", "16", "32", "64", "128"]),
              help="Bits of a beat of the stream that is recorded (default 32).")
@click.option("--source-clock", metavar="HZ",
              help="The clock of that stream, such as 100MHz (default: the core's).")
@click.option("-j", "--jobs", type=WholeNumber(1, 1024), metavar="N",
              help="Cells at the same time (default: the cores of this machine).")
@click.option("--scheduler", metavar="ADDRESS",
              help="Run on the workers of this Dask scheduler, such as tcp://HOST:8786.")
@click.option("--csv", "csv_output", type=_FILE, metavar="FILE",
              help="Write the table as CSV; `-` writes it to standard output.")
@click.option("--parquet", "parquet_output", type=_FILE, metavar="FILE",
              help="Write the table as Parquet.")
@click.option("--plot", "plot_output", type=_FILE, metavar="FILE.png|svg",
              help="Draw the rate over the command size or the turn-around, or the loss over the "
                   "input rate.")
@overwrite_option
@click.pass_context
def sweep(context, plan, jobs, scheduler, csv_output, parquet_output, plot_output, overwrite,
          **options):
    """Measure every combination of drives, command sizes, turn-arounds and rates.

    What to combine is given by options or by PLAN.toml (its keys: docs/sweep.md); options win.
    Each cell is a simulation of its own; results are kept, so the same command continues after it
    was stopped. Exit status: 0, 1 if a cell failed, 2 for a mistake in the arguments.
    """
    need("sweep", "sweep")
    if plot_output is not None:
        need("report", f"--plot {plot_output}")
    if scheduler is not None:
        need("cluster", f"--scheduler {scheduler}")
    from ..lab.sweep import is_scheduler
    from ..report import FORMATS
    if scheduler is not None and not is_scheduler(scheduler):
        raise Refusal(f"--scheduler {scheduler or repr(scheduler)}: is no address, which looks like tcp://HOST:8786")
    if jobs is not None and scheduler is not None:
        raise Refusal("--jobs: not together with --scheduler, whose workers are as many as they "
                      "are")
    if plot_output is not None and plot_output.suffix[1:] not in FORMATS:
        raise Refusal(f"--plot {plot_output}: must end in .png or .svg")
    cells, combinations = _cells(plan, options)
    to_stdout = csv_output is not None and str(csv_output) == "-"
    outputs = {"--csv": None if to_stdout else csv_output, "--parquet": parquet_output,
               "--plot": plot_output}
    with written(outputs, read=[("PLAN.toml", plan)], overwrite=overwrite) as contents:
        frame, found, failed = _run(cells, jobs, scheduler)
        for option, path in outputs.items():
            if path is not None:
                contents[option] = _content(option, path, frame)
    if to_stdout:
        click.echo(_content("--csv", csv_output, frame), nl=False)
    show(frame, _summary(len(cells), combinations, found, failed), to_stderr=to_stdout)
    context.exit(1 if failed else 0)


def _cells(path, options):
    from ..lab.sweep import Plan, PlanError
    values = {name: value for name, value in options.items() if value is not None}
    for name in ("drives", "rates", "controllers"):
        if name in values:
            values[name] = [part.strip() for part in values[name].split(",")]
    if operation := values.pop("operation", None):
        values["operations"] = ["record", "play"] if operation == "both" else [operation]
    if "lba28" in values:
        values["lba28"] = {"no": [False], "yes": [True], "both": [False, True]}[values["lba28"]]
    values |= {name: int(values[name]) for name in ("generation", "width") if name in values}
    try:
        plan = Plan.of(values, path=path, named=_NAMES)
        return plan.cells(), plan.combinations
    except PlanError as error:
        raise Refusal(_as_typed(str(error), values)) from None


def _as_typed(text, values):
    """``text`` with options in place of the keys that are given by them in ``values``."""
    for key in values:
        text = re.sub(rf"(^|\s){key} = ", rf"\1{_NAMES[key]} ", text)
    return text


def _run(cells, jobs, scheduler):
    """The table, how many cells had a result already, and how many failed."""
    from ..lab.measurement import Store
    from ..simulation import WorkerDied
    from ..lab.sweep import ClusterError, Stale, Sweep, table
    sweep = None
    try:
        with simulating("the results"):
            sweep = Sweep(cells, Store())
            try:
                if sweep.missing:
                    _measure(sweep, jobs, scheduler)
            except (Stale, WorkerDied) as error:
                raise click.ClickException(f"{error}; {_done(sweep)}") from None
    except KeyboardInterrupt:
        if sweep:
            click.echo(f"{_done(sweep)}; the same command continues from there", err=True)
        raise
    except ClusterError as error:
        raise click.ClickException(f"--scheduler {scheduler}: {error}") from None
    return table(cells, sweep.results), sweep.found, sweep.failed


def _measure(sweep, jobs, scheduler):
    from ..simulation import LocalWorkers, processors
    from ..lab.sweep import ClusterWorkers, measured, prepare
    configuration = sweep.cells[0].configuration
    waiting = sum(sweep.cells[n].clocks for n in sweep.missing)
    with Cells(len(sweep.cells), sweep.found, waiting) as progress:
        progress.building()
        if scheduler is not None:
            with ClusterWorkers(scheduler) as workers:
                workers.prepare(configuration)
                progress.begin()
                sweep.run(workers, progress)
            return
        prepare(configuration)
        progress.begin()
        processes = min(jobs or processors(), len(sweep.missing))
        with LocalWorkers(processes, measured, progress.watch) as workers:
            sweep.run(workers, progress)


def _done(sweep):
    kept = sum(result is not None and result["error"] is None for result in sweep.results)
    return f"{kept} of {len(sweep.cells)} cells are done and kept"


def _content(option, path, frame):
    from ..lab.sweep import as_csv, as_parquet, picture
    if option == "--plot":
        return picture(frame, path.suffix[1:])
    return as_csv(frame) if option == "--csv" else as_parquet(frame)


def _summary(cells, combinations, found, failed):
    parts = [f"{cells:,} {'cell' if cells == 1 else 'cells'}"]
    if combinations > cells:
        parts.append(f"{combinations - cells:,} combination{'s' * (combinations - cells > 1)} came to the same")
    if found:
        parts.append(f"{found:,} were there already")
    parts.append(f"[bold red]{failed:,} failed[/]" if failed else "none failed")
    return ", ".join(parts)
