"""Independent pieces of work on all processors of this machine."""

import multiprocessing
import os
import signal
import threading
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

_WATCH_SECONDS = 0.2


class WorkerDied(RuntimeError):
    """A process of the pool ended without a result: it was killed, or memory ran out."""


def processors():
    """How many processors of this machine this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


class LocalWorkers:
    """``jobs`` processes. Leaving the context ends them at once, whatever they do.

    Call it with pairs of an index and a piece of work; it yields pairs of an index and a result as
    they come. ``function(piece, report)`` makes a result, and may report its progress by
    ``report(phase, done, total)``. ``watch`` is called several times a second with pairs of a piece
    and the share of it that is done, for those that run. Raises :exc:`WorkerDied`.
    """

    def __init__(self, jobs, function, watch=None):
        self._function = function
        self._watch = watch
        self._before = set(multiprocessing.active_children())
        self._jobs = jobs
        self._pool = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if self._pool is None:
            return
        own = set(multiprocessing.active_children()) - self._before
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in own:
            process.terminate()
        for process in own:
            process.join()

    def __call__(self, items):
        # Spawned: a fork would share the threads and locks of libraries in this process.
        context = multiprocessing.get_context("spawn")
        pieces = dict(items)
        if not pieces:
            return
        # Each worker writes the share of its piece that is done, without a lock, since a worker may
        # end at any time.
        shares = context.RawArray("d", 1 + max(pieces))
        self._pool = ProcessPoolExecutor(self._jobs, context, _begin, (self._function, shares))
        with _deaf():
            futures = {self._pool.submit(_work, index, piece): index
                       for index, piece in pieces.items()}
        try:
            while futures:
                ended, _ = wait(futures, _WATCH_SECONDS, FIRST_COMPLETED)
                for future in ended:
                    index = futures.pop(future)
                    yield index, future.result()
                if self._watch:
                    self._watch([(pieces[index], shares[index]) for index in futures.values()
                                 if shares[index]])
        except BrokenProcessPool:
            raise WorkerDied("a worker process ended without a result: it was killed, or memory "
                             "ran out") from None


@contextmanager
def _deaf():
    """Ctrl-C is for this process alone, which ends the others: they inherit that they ignore it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _begin(function, shares):
    """In a new worker: Ctrl-C is for the parent, whose end is this process' end, too."""
    global _function, _shares
    _function, _shares = function, shares
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent():
    multiprocessing.parent_process().join()
    os._exit(1)


def _work(index, piece):
    def report(phase, done, total):
        if total:
            _shares[index] = done / total
    return _function(piece, report)
