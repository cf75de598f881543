"""Independent runs on all cores: one process a run, results kept in the store.

The processes are spawned, so that each has an engine of its own and one that is stuck or killed
takes nothing with it. A run whose result is in the store is not repeated.
"""

import multiprocessing
import os
import signal
import threading
from contextlib import contextmanager
from multiprocessing.connection import wait

from ..engine import EngineError, MissingTool

__all__ = ["cores", "perform"]

_CONTEXT = multiprocessing.get_context("spawn")


def cores():
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def perform(runs, *, store, processes, fresh=False, progress=None):
    """The results of ``runs``, by run: dictionaries as ``measure.report.as_data`` makes them.

    At most ``processes`` at a time. ``fresh`` repeats what the store has. ``progress(run,
    fraction)`` is called as runs go on, with 1.0 for a run that is complete. Raises
    :exc:`MissingTool` where a tool is missing and :exc:`EngineError` where a run failed.
    """
    progress = progress or (lambda run, fraction: None)
    results, waiting, active = {}, [], {}
    for run in dict.fromkeys(runs):
        known = None if fresh else store.get(run.key())
        if known is None:
            waiting.append(run)
        else:
            results[run] = known
            progress(run, 1.0)
    # The longest first: then no core is idle for long at the end.
    waiting.sort(key=lambda run: run.clocks)
    try:
        while waiting or active:
            while waiting and len(active) < processes:
                run = waiting.pop()
                connection, process = _start(run)
                active[connection] = run, process
            for connection in wait(list(active)):
                run, process = active[connection]
                result = _message(connection, run, process, progress)
                if result is not None:
                    store.put(run.key(), result)
                    results[run] = result
                    progress(run, 1.0)
                    process.join()
                    connection.close()
                    del active[connection]
    finally:
        for connection, (_, process) in active.items():
            process.kill()
            process.join()
            connection.close()
    return results


def _start(run):
    mine, theirs = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_work, args=(run, theirs), daemon=True)
    with _deaf():
        process.start()
    theirs.close()
    return mine, process


@contextmanager
def _deaf():
    """Ctrl-C is for this process alone, which ends the others: they inherit that it is ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _message(connection, run, process, progress):
    """Takes one message; the result of the run if it was that, else None."""
    try:
        kind, content = connection.recv()
    except EOFError:
        process.join()
        raise EngineError(f"{run}: its process ended with status {process.exitcode}") from None
    if kind == "progress":
        progress(run, content)
    elif kind == "missing":
        raise MissingTool(content)
    elif kind == "failed":
        raise EngineError(f"{run}: {content}")
    return content if kind == "result" else None


def _work(run, connection):
    """In the process: does the run and reports."""
    try:
        result = run.perform(lambda fraction: connection.send(("progress", fraction)))
        connection.send(("result", result))
    except BrokenPipeError:
        pass
    except MissingTool as error:
        connection.send(("missing", str(error)))
    except Exception as error:
        connection.send(("failed", f"{type(error).__name__}: {error}"))
