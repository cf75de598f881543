"""Does the accesses of a job on an engine."""

import gc
import time
from collections.abc import Callable
from functools import partial

from ...facts.units import SECTOR_WORDS
from ...simulation import (Compiled, MissingTool, Translator, available_engines, drive_model, drive_model_for,
                           engine_reasons, is_compiled, library)
from .doubts import caveats, doubts
from .job import AccessJob
from .result import AccessResult
from .run import AccessRun

__all__ = ["execute"]

#: Engines that have the pins of the queue.
_ENGINES = ("compiled", "cxxrtl")


def execute(job: AccessJob, engine: str = "auto", progress: Callable[[str, int, int], object] | None = None, *,
            shorten: bool = True) -> AccessResult:
    """Does ``job`` on the engine "compiled" or "cxxrtl", or for "auto" the fastest one; without ``shorten`` the waits
    for the drive are simulated clock by clock, too (:mod:`.waits`).

    ``progress`` is called with the name of a phase ("drive" and "build" while drive and core are compiled, "read",
    "write"), the words that are through and the words in all. Raises :exc:`...simulation.MissingTool` if a tool is
    missing, :exc:`...simulation.EngineError` if the simulation failed, :exc:`...simulation.Stuck` if the core
    made no progress.
    """
    progress = progress or (lambda phase, done, total: None)
    found = [name for name in available_engines() if name in _ENGINES]
    if not found or engine not in ("auto", *found):
        reasons = engine_reasons()
        raise MissingTool(str(reasons[_ENGINES[1] if engine == "auto" else engine]))
    # For "auto" the drive is in Python if it cannot be compiled, or not in time.
    name = "compiled" if engine == "auto" else engine
    progress("drive", 0, 0)
    model = drive_model_for(_clocks(job)) if engine == "auto" else drive_model(compiled=name == "compiled")
    progress("build", 0, 0)
    translator = Translator.CXXRTL if name == "cxxrtl" else Translator.NETLIST
    library(job.configuration, translator)
    result = _done(partial(Compiled, translator=translator), job, progress, model, shorten)
    result.engine, result.drive_compiled = name, is_compiled(model)
    return result


def _clocks(job):
    """The fewest clocks that the job can take."""
    words = SECTOR_WORDS * job.size * (job.commands or 1)
    return words if job.commands else round((job.seconds or 0) * job.configuration.clock_hz)


def _done(open_engine, job, progress, model, shorten):
    begun = time.monotonic()
    run = AccessRun(job, progress, model, shorten)
    # What lives now lives on: the garbage collector need not scan it again and again.
    gc.freeze()
    try:
        with open_engine(job.configuration, run.port) as engine:
            drive = run.perform(engine)
            state = engine.state()
    finally:
        gc.unfreeze()
    first = run.spans[0][0] if run.spans else 0
    result = AccessResult(
        job, **drive, lbas=run.lbas, starts=[begin - first for begin, _ in run.spans],
        latencies=[end - begin for begin, end in run.spans], ledger=run.ledger, between=run.between,
        problems=run.problems, clocks=state.cycle, skipped=run.skipped, hash=state.hash, commands=run.commands,
        wall_seconds=time.monotonic() - begun)
    result.doubts, result.caveats = doubts(result), caveats(result)
    return result
