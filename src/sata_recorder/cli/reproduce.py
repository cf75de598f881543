"""`sata-recorder reproduce`: published measurements next to simulated ones."""

import json
import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated

import click
from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

from ..interface.faults import nearest
from ..lab.options import Options, OptionText
from .common import Refusal, need, simulating
from .files import check_output, overwrite_option, refusing, written
from .live_progress import LiveProgress
from .options import options

_FILE = click.Path(path_type=Path, readable=False)
_FOLDER = click.Path(path_type=Path, readable=False)


class ReproduceOptions(Options):
    """The options of `sata-recorder reproduce`."""

    loops: Annotated[int | None, OptionText("N")] = None
    """Loops or blocks of 32 MiB to run (default: by the table, 2 to 8)."""
    full: bool = False
    """Run all of it: 512 loops and 16 GiB, or the whole drive. Takes hours."""
    fit: bool = False
    """Fit the drives' parameters again to the cells marked `fitted`, and print the values for the profile files."""
    jobs: Annotated[int | None, OptionText("N")] = None
    """Runs at a time (default: one a core)."""
    fresh: bool = False
    """Run again what an earlier call has kept."""
    json_output: Annotated[Path | None, OptionText("FILE", kind=_FILE, flags=("--json",))] = None
    """Write the result as JSON; `-` writes it to standard output."""
    plot_folder: Annotated[Path | None, OptionText("DIR", kind=_FOLDER, flags=("--plot",))] = None
    """Write a picture of each table into this folder."""


@click.command()
@options(asked=ReproduceOptions)
@click.argument("tables", nargs=-1, metavar="[TABLE]...")
@overwrite_option
@click.pass_context
def reproduce(context, asked, tables, overwrite):
    """Repeat published measurements in simulation, exact to the clock.

    Without TABLE the tables are listed; `all` means all of them. Results are kept, so that a run
    that was stopped continues where it was. Exit status: 0 if everything ran (differences are
    results), 1 if core and drive model disagreed or a fit failed, 2 for a mistake in the
    arguments.
    """
    if asked.plot_folder is not None:
        need("report", f"--plot {asked.plot_folder}")
    from ..simulation import processors
    from ..lab.studies import Portion, table_names
    chosen = _chosen(tables, table_names())
    _check(asked, chosen)
    portion = Portion(asked.loops, asked.full)
    processes = asked.jobs or processors()
    to_stdout = asked.json_output is not None and str(asked.json_output) == "-"
    console = Console(stderr=to_stdout)
    with written({"--json": None if to_stdout else asked.json_output}, overwrite=overwrite) as contents:
        if asked.plot_folder is not None:
            _prepare(asked.plot_folder, chosen, overwrite)
        if not chosen:
            data, problems, show = _list(console)
        elif asked.fit:
            data, problems, show = _fit(console, chosen, processes)
        else:
            data, problems, show = _reproduce(console, chosen, portion, processes, asked.fresh, asked.plot_folder,
                                          overwrite)
        contents["--json"] = text = json.dumps(data, indent=2) + "\n"
    show()
    if to_stdout:
        click.echo(text, nl=False)
    context.exit(1 if problems else 0)


def _chosen(tables, names):
    if "all" in tables:
        if len(tables) > 1:
            raise Refusal("all: is given together with single tables")
        return names
    for table in tables:
        if table not in names:
            raise Refusal(f"{table or repr('')}: no such table; there are {', '.join(names)}, and all"
                          f"{nearest(table, names)}")
    return list(dict.fromkeys(tables))


def _check(asked, chosen):
    loops, jobs, plot_folder = asked.loops, asked.jobs, asked.plot_folder
    if loops is not None and not 1 <= loops <= 955:
        raise Refusal(f"--loops {loops}: must be 1 to 955")
    if loops is not None and asked.full:
        raise Refusal(f"--loops {loops}: not together with --full")
    if jobs is not None and not 1 <= jobs <= 256:
        raise Refusal(f"--jobs {jobs}: must be 1 to 256")
    given = [option for option, value in (("--loops", loops is not None), ("--full", asked.full),
                                          ("--fresh", asked.fresh), ("--plot", plot_folder is not None)) if value]
    if asked.fit and given:
        raise Refusal(f"{given[0]}: not together with --fit")
    if not chosen and (asked.fit or given):
        raise Refusal("TABLE: is missing; without options, the tables are listed")
    if plot_folder is not None and plot_folder.exists() and not plot_folder.is_dir():
        raise Refusal(f"--plot {plot_folder}: is no folder")


def _prepare(folder, tables, overwrite):
    """Makes the folder of the pictures; refuses one that cannot be written."""
    from ..report import FORMATS
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise Refusal(f"--plot {folder}: cannot be written: {error.strerror}") from None
    for table in tables:
        for form in FORMATS:
            check_output("--plot", folder / f"{table}.{form}", overwrite)


def _list(console):
    from ..lab.studies import Portion, listing, load_table, table_names
    rows = []
    for name in table_names():
        table = load_table(name)
        clocks = [_clocks(table, portion) for portion in (Portion(), Portion(full=True))]
        rows.append((name, table.title, str(table.source), *clocks))
    return {"tables": [{"table": name, "title": title, "source": source, "clocks": clocks,
                        "clocks_full": full} for name, title, source, clocks, full in rows]}, False, \
        partial(listing, console, rows)


def _clocks(table, portion):
    """About how many clocks the runs of a table take."""
    from ..lab.studies import planned
    runs, own = planned(table, portion)
    return sum(run.clocks for run in dict.fromkeys((*runs.values(), *own.values())))


def _reproduce(console, chosen, portion, processes, fresh, plot_folder, overwrite):
    from ..lab.measurement import Store
    from ..lab.studies import render, reproduce
    with simulating(), _Bar() as bar:
        found = reproduce(chosen, portion, store=Store(), processes=processes, fresh=fresh,
                          progress=bar)
    if plot_folder is not None:
        _plot(found, plot_folder, overwrite)

    def show():
        for number, one in enumerate(found):
            if number:
                console.print()
            render(console, one)
    return {"reproductions": [one.as_data() for one in found]}, any(one.problems for one in found), show


def _fit(console, chosen, processes):
    from dataclasses import asdict

    from ..lab.measurement import Store
    from ..lab.studies import NotConverged, fits, render_fits
    done = []
    try:
        with simulating(), _Bar() as bar:
            for one in fits(chosen, store=Store(), processes=processes, progress=bar):
                done.append(one)
    except NotConverged as error:
        if done:
            render_fits(console, done)
        raise click.ClickException(str(error)) from None
    return {"fits": [asdict(one) for one in done]}, False, partial(render_fits, console, done)


class _Bar(LiveProgress):
    """Called with a run and a fraction: one bar over all runs, by the clocks they take."""

    def __init__(self):
        super().__init__(TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(),
                         TimeRemainingColumn())
        self._fractions = {}

    def __enter__(self):
        super().__enter__()
        self._task = self.bars.add_task("simulating", total=None)
        return self

    def text(self):
        """How far it is in one line."""
        total = sum(run.clocks for run in list(self._fractions))
        done = sum(run.clocks * part for run, part in list(self._fractions.items()))
        return f"simulating: {done / total:.0%} of what has begun".replace("%", " %") \
            if total else "compiling the core ..."

    def __call__(self, run, fraction):
        self._fractions[run] = fraction
        total = sum(run.clocks for run in self._fractions)
        done = sum(run.clocks * part for run, part in self._fractions.items())
        through = sum(part == 1.0 for part in self._fractions.values())
        self.bars.update(self._task, total=total, completed=done,
                          description=f"{through} of {len(self._fractions)} runs")


def _plot(found, folder, overwrite):
    from ..report import Curves, Ratios, write_curves, write_ratios
    with refusing("--plot", folder):
        for one in found:
            title = f"{one.table.name}: {one.table.title}"
            rows = [(cell.row if len(one.table.columns) == 1 else f"{cell.row}, {cell.column}",
                     cell.simulated / cell.published, cell.mark)
                    for cell in one.cells if cell.simulated and cell.published]
            if not one.series and rows:
                write_ratios(Ratios(rows, title), folder / one.table.name, overwrite=overwrite)
            elif one.series:
                xlabel, ylabel = one.axes
                curves = Curves(one.series, title, xlabel, ylabel, one.points,
                                one.levels, one.table.kind == "loops")
                write_curves(curves, folder / one.table.name, overwrite=overwrite)
