"""Thousands of random plans on all cores of this machine, and what came of them."""

import time
from collections import Counter
from dataclasses import dataclass, field

from sata_drive_model.faults import kinds as all_kinds

from ...simulation import Translator, best_drive_model, drive_model, is_compiled, library
from .configurations import CORES, core_called
from .plan import FaultPlan, random_plan
from .run import execute
from .shrink import shrunk

#: Runs that a process takes at a time.
_PIECE = 10
#: Failures that are made small; the others are kept as they are.
_SHRUNK = 5


@dataclass(frozen=True)
class Failure:
    """A ``plan`` that fails with ``problems``; ``seed`` is that of its first, larger form."""

    seed: int
    plan: FaultPlan
    problems: list


@dataclass
class Summary:
    """``runs`` that were made in ``seconds`` with ``clocks`` simulated; ``met`` a Counter of (kind
    of fault, ending); ``failures``, and ``failed`` a Counter of the kinds in their plans."""

    runs: int = 0
    clocks: int = 0
    seconds: float = 0.0
    met: Counter = field(default_factory=Counter)
    failures: list = field(default_factory=list)
    failed: Counter = field(default_factory=Counter)


@dataclass(frozen=True)
class Piece:
    """Some seeds for one process."""

    seeds: range
    kinds: tuple
    cores: tuple
    paths: dict
    compiled: bool


def prepare(cores=tuple(CORES), *, waves=False, progress=None):
    """Compiles what a campaign needs: (name of each core to its library, whether the drive is
    compiled). With ``waves`` the cores can write VCD. ``progress`` is called with what is compiled now, how many
    are, and how many there are.

    Raises `MissingTool` without a C++ compiler.
    """
    progress = progress or (lambda name, done, total: None)
    translator, paths = Translator.WAVES if waves else Translator.NETLIST, {}
    for done, name in enumerate(cores):
        progress(f"core {name}", done, len(cores) + 1)
        paths[name] = str(library(core_called(name), translator))
    progress("drive", len(cores), len(cores) + 1)
    return paths, is_compiled(best_drive_model())


def run_piece(piece, report):
    """What came of the seeds of a piece: list of (seed, `Result`)."""
    model = drive_model(piece.compiled)
    results = []
    for done, seed in enumerate(piece.seeds):
        report("run", done, len(piece.seeds))
        plan = random_plan(seed, piece.kinds, piece.cores)
        results.append((seed, execute(plan, model, piece.paths[plan.core])))
    return results


def campaign(runs, seed, workers, prepared, *, kinds=None, shrink_seconds=20, progress=None):
    """Makes ``runs`` runs with the seeds from ``seed`` on; returns the :class:`Summary`.

    ``workers`` is a `LocalWorkers` for :func:`run_piece`, or anything that is called like it;
    ``prepared`` what :func:`prepare` gave; ``kinds`` of faults, None: all; ``progress`` is called
    with the summary as it grows. The first failures are made small in ``shrink_seconds`` each.
    """
    begin = time.monotonic()
    paths, compiled = prepared
    kinds = tuple(kinds or all_kinds(None))
    summary = Summary()
    pieces = [Piece(range(first, min(first + _PIECE, seed + runs)), kinds, tuple(paths), paths,
                    compiled) for first in range(seed, seed + runs, _PIECE)]
    found = []
    for _, results in workers(enumerate(pieces)):
        for number, result in results:
            summary.runs += 1
            summary.clocks += result.clocks
            summary.met.update(tuple(pair) for pair in result.met)
            if result.problems:
                found.append((number, result))
        summary.seconds = time.monotonic() - begin
        if progress:
            progress(summary, len(found))
    for number, result in sorted(found, key=lambda item: item[0]):
        plan = random_plan(number, kinds, tuple(paths))
        summary.failed.update({fault.kind for fault in plan.faults})
        if len(summary.failures) < _SHRUNK and shrink_seconds:
            plan, result = _small(plan, result, prepared, shrink_seconds)
        summary.failures.append(Failure(number, plan, result.problems))
    summary.seconds = time.monotonic() - begin
    return summary


def _small(plan, result, prepared, seconds):
    paths, compiled = prepared
    model = drive_model(compiled)

    def fails(simpler):
        return execute(simpler, model, paths[simpler.core]).check == result.check

    small = shrunk(plan, fails, seconds)
    return small, execute(small, model, paths[small.core])


def replay(plan, prepared, *, vcd=None):
    """The `Result` of one plan; its waves go to the file ``vcd``."""
    paths, compiled = prepared
    return execute(plan, drive_model(compiled), paths[plan.core], vcd=vcd)
