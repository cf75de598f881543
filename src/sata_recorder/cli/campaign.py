"""`sata-recorder campaign`: random faults in random operations."""

import tempfile
from pathlib import Path
from typing import Annotated

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Table

from .. import outputs
from ..lab.options import Options, OptionText
from .common import Refusal, simulating
from .files import check_output, overwrite_option, written
from .options import options
from .plain_progress import PlainProgress, moves

_FILE = click.Path(path_type=Path, dir_okay=False)
#: Failures that are reported one by one.
_TOLD = 10


class CampaignOptions(Options):
    """The options of `sata-recorder campaign`."""

    runs: Annotated[int, OptionText("N", kind=click.IntRange(1, 10_000_000), flags=("-n", "--runs"), shows=True)] = 1000
    """Runs, each with a seed of its own."""
    seed: Annotated[int, OptionText("S", kind=click.IntRange(0, 1 << 60), flags=("-s", "--seed"), shows=True)] = 0
    """Seed of the first run; the others follow."""
    jobs: Annotated[int | None, OptionText("N", kind=click.IntRange(1, 1024), flags=("-j", "--jobs"))] = None
    """Processes (default: the cores of this machine)."""
    faults: Annotated[str | None, OptionText("KINDS")] = None
    """Kinds of faults, or their levels (line, frame, fis, status, link), with commas between them (default: all)."""
    cores: Annotated[str | None, OptionText("NAMES")] = None
    """Cores to run, with commas between them (default: all, see docs/campaign.md); ONE+OTHER is one of two
    options."""
    pairs: Annotated[int | None, OptionText("N", kind=click.IntRange(1, 10000))] = None
    """Run N cores of two options, drawn by the seed, besides those of --cores, or alone."""
    keep: Annotated[Path | None, OptionText("DIR", kind=click.Path(path_type=Path, file_okay=False))] = None
    """Write each failing run to a file in this folder; made if it is missing."""
    replay_path: Annotated[Path | None, OptionText("FILE", kind=_FILE, flags=("--replay",))] = None
    """Run one file of --keep again, and report all about it."""
    vcd: Annotated[Path | None, OptionText("FILE", kind=_FILE)] = None
    """With --replay: write its waves."""


@click.command()
@options(asked=CampaignOptions)
@overwrite_option
@click.pass_context
def campaign(context, asked, overwrite):
    """Run random operations with random faults and check that each ends as the core reports.

    Every run has a seed that decides core, drive, operations and faults; the same seed gives the
    same run. A failing run is made smaller and reported. Exit status: 0 all good, 1 failures, 2 for a
    mistake in the arguments.
    """
    if asked.replay_path is not None:
        others = [name for name in ("runs", "seed", "jobs", "faults", "cores", "pairs", "keep")
                  if context.get_parameter_source(name).name != "DEFAULT"]
        if others:
            raise Refusal(f"--replay: not together with --{others[0]}")
        context.exit(_replay(asked.replay_path, asked.vcd, overwrite))
    if asked.vcd is not None:
        raise Refusal(f"--vcd {asked.vcd}: only together with --replay")
    kinds = _kinds(asked.faults)
    names = _names(asked.cores, asked.pairs, asked.seed)
    if asked.keep is not None:
        try:
            context.with_resource(outputs.folder(asked.keep))
        except OSError as error:
            raise Refusal(f"--keep {asked.keep}: cannot be made: {error.strerror}") from None
        _check_kept(asked.keep, range(asked.seed, asked.seed + asked.runs), overwrite)
    summary = _campaign(asked.runs, asked.seed, asked.jobs, kinds, names)
    console = Console(soft_wrap=True)
    _table(console, summary)
    for number, failure in enumerate(summary.failures):
        _tell(console, failure, asked.keep, number < _TOLD, overwrite)
    if len(summary.failures) > _TOLD:
        console.print(f"\n... and {len(summary.failures) - _TOLD:,} more")
    _last(console, summary, asked.seed)
    context.exit(1 if summary.failures else 0)


def _names(cores, pairs, seed):
    """The cores of ``--cores`` and ``--pairs``."""
    from ..lab.campaign import CORES, core_called, drawn_pairs
    names = () if pairs else tuple(CORES)
    if cores is not None:
        names = tuple(name.strip() for name in cores.split(","))
        for name in names:
            try:
                core_called(name)
            except ValueError as error:
                raise Refusal(f"--cores {cores}: {error}") from None
    if pairs:
        try:
            names += drawn_pairs(pairs, seed)
        except ValueError as error:
            raise Refusal(f"--pairs {pairs}: {error}") from None
    return tuple(dict.fromkeys(names))


def _check_kept(folder, seeds, overwrite):
    """Refuses to write over a file in ``folder`` that only has the name of a kept run."""
    for path in folder.glob("seed-*.json"):
        number = path.stem.removeprefix("seed-")
        if number.isdecimal() and int(number) in seeds:
            check_output("--keep", path, overwrite)


def _kinds(text):
    from ..lab.campaign import kinds
    try:
        return kinds(text)
    except ValueError as error:
        raise Refusal(f"--faults {text}: {error}") from None


def _prepared(names, waves=False, progress=None):
    from ..lab.campaign import prepare
    with simulating():
        return prepare(names, waves=waves, progress=progress)


def _campaign(runs, seed, jobs, kinds, names):
    from ..lab.campaign import campaign as run
    from ..lab.campaign import run_piece
    from ..simulation import LocalWorkers, processors
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
               TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    now = [None]
    with (Bars(*columns, console=console, transient=True,
               disable=not moves(console)) as bars,
          PlainProgress(lambda: now[0], enabled=not moves(console))):
        task = bars.add_task("compiling", total=None, rate="")

        def compiling(what, done, total):
            now[0] = f"compiling the {what}, {done + 1} of {total} ..."
            bars.update(task, completed=done, total=total, description=f"compiling the {what}")

        prepared = _prepared(names, progress=compiling)

        def show(summary, failures):
            text = f"{failures} failed" if failures else "none failed"
            now[0] = f"{summary.runs:,} of {runs:,} runs, {text}"
            bars.update(task, completed=summary.runs, description=text,
                        rate=f"{summary.runs / summary.seconds:.1f} a second")

        bars.update(task, completed=0, total=runs, description="running")
        with LocalWorkers(min(jobs or processors(), runs), run_piece) as workers, simulating():
            return run(runs, seed, workers, prepared, kinds=kinds, progress=show)


def _table(console, summary):
    from ..lab.campaign import ENDINGS
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("fault")
    for ending in (*ENDINGS, "failed"):
        table.add_column(ending, justify="right")
    for kind in sorted({kind for kind, _ in summary.met} | set(summary.failed)):
        counts = [summary.met[kind, ending] for ending in ENDINGS]
        table.add_row(kind, *(f"{count:,}" if count else "-" for count in counts),
                      f"{summary.failed[kind]:,}" if summary.failed[kind] else "-")
    console.print(table)


def _tell(console, failure, keep, told, overwrite):
    if told:
        console.print(f"\n[bold red]seed {failure.seed} failed[/] on core {failure.plan.core}:")
        for text in failure.problems[:5]:
            console.print(f"  {escape(text)}")
    if keep is None:
        return
    path = keep / f"seed-{failure.seed}.json"
    try:
        outputs.write(path, failure.plan.text(), overwrite=overwrite)
    except OSError as error:
        raise click.ClickException(f"--keep {path}: {error.strerror}") from None
    if told:
        console.print(f"  sata-recorder campaign --replay {escape(str(path))}")


def _last(console, summary, seed):
    failed = len(summary.failures)
    console.print(f"\n{summary.runs:,} runs, seeds {seed:,} to {seed + summary.runs - 1:,}: "
                  + (f"[bold red]{failed:,} failed[/]" if failed else "all good")
                  + f"; {summary.clocks / 1e6:,.1f} million clocks in {summary.seconds:,.1f} s, "
                  f"{summary.runs / summary.seconds:,.1f} runs a second")


def _replay(path, vcd, overwrite):
    from ..lab.campaign import FaultPlan, FaultPlanError
    try:
        plan = FaultPlan.of_text(outputs.read_text(path))
    except OSError as error:
        raise Refusal(f"--replay {path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Refusal(f"--replay {path}: no text: {error}") from None
    except FaultPlanError as error:
        raise Refusal(f"--replay {path}: {error}") from None
    with written({"--vcd": vcd}, read=[("--replay", path)], overwrite=overwrite) as texts:
        result = _replayed(plan, vcd, texts)
    console = Console(soft_wrap=True)
    console.print(f"core {plan.core}, seed {plan.seed}")
    for text in result.steps:
        console.print(escape(text), highlight=False)
    for text in result.problems:
        console.print(f"[bold red]wrong[/]  {escape(text)}", highlight=False)
    if not result.problems:
        console.print("good   all checks passed")
    return 1 if result.problems else 0


def _replayed(plan, vcd, texts):
    """The `Result` of ``plan``; the waves go into ``texts`` if there is a file ``vcd`` for them."""
    from ..lab.campaign import replay
    if vcd is None:
        return replay(plan, _prepared((plan.core,)))
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        waves = Path(folder, "waves.vcd")
        result = replay(plan, _prepared((plan.core,), waves=True), vcd=waves)
        texts["--vcd"] = waves.read_bytes()
    return result
