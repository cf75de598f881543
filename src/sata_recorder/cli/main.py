"""The entry of the command `sata-recorder`.

Nothing is imported here before :func:`main` runs: a Ctrl-C during the imports, which take their
time, ends like any other.
"""

import os
import signal
import sys
import warnings
from contextlib import contextmanager


def main(arguments=None):
    """Runs the command line; the exit status is 0, 1 (bad result), 2 (misuse) or 130 (Ctrl-C)."""
    loading.leaves = True
    try:
        with loading():
            from .verbs import run
        status = run(arguments)
    except BaseException as error:
        if not _interrupted(error):
            raise
        # What is half elaborated would be complained of.
        warnings.simplefilter("ignore")
        sys.stderr.write("interrupted\n")
        status = 130
    sys.exit(status)


@contextmanager
def loading():
    """While modules are loaded in the program of the command line, a Ctrl-C ends it at once: there is nothing
    to clear up yet, and modules in C make other errors of an exception, print it, or swallow it."""
    if not loading.leaves or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


#: Whether this process is the program.
loading.leaves = False


def _leave(number, frame):
    sys.stderr.write("interrupted\n")
    sys.stderr.flush()
    os._exit(130)


def _interrupted(error):
    """Whether ``error`` comes of a Ctrl-C: Python puts another error around one that meets it in
    the body of a class, and a module may raise another one on the way out."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def __getattr__(name):
    """``cli``, the click command of all verbs, is loaded where it is asked for."""
    if name == "cli":
        from .verbs import cli
        return cli
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
