"""Independent runs on several cores, with their results kept in the store, so that none is repeated."""

from ..measurement import JobError
from ...simulation import EngineError, LocalWorkers, MissingTool, WorkerDied


def perform(runs, *, store, processes, fresh=False, progress=None):
    """The results of ``runs``, by run: dictionaries as :func:`..measurement.as_data` makes them.

    At most ``processes`` at a time. ``fresh`` repeats what the store has. ``progress(run,
    fraction)`` is called as runs continue, with 1.0 for a run that is complete. Raises
    :exc:`MissingTool` if a tool is missing and :exc:`EngineError` if a run failed.
    """
    progress = progress or (lambda run, fraction: None)
    results, waiting = {}, []
    for run in dict.fromkeys(runs):
        known = None if fresh else store.get(_key(run))
        if known is None:
            waiting.append(run)
        else:
            results[run] = known
            progress(run, 1.0)
    # The longest first, so that no core is idle for long at the end.
    waiting.sort(key=lambda run: -run.clocks)

    def watch(shares):
        for run, share in shares:
            progress(run, share)
    with LocalWorkers(max(1, min(processes, len(waiting))), _performed, watch) as workers:
        try:
            for index, (fault, result) in workers(list(enumerate(waiting))):
                run = waiting[index]
                if fault is not None:
                    raise fault
                store.put(run.key(), result)
                results[run] = result
                progress(run, 1.0)
        except WorkerDied as error:
            raise EngineError(str(error)) from None
    return results


def _key(run):
    try:
        return run.key()
    except JobError as error:
        raise EngineError(f"{run}: {error}") from None


def _performed(run, report):
    """(the fault that ends everything or None, the result of the run or None), in a worker process."""
    try:
        return None, run.perform(lambda fraction: report("run", fraction, 1))
    except MissingTool as error:
        return MissingTool(str(error)), None
    except Exception as error:
        return EngineError(f"{run}: {type(error).__name__}: {error}"), None
