"""A Ctrl-C while modules are loaded."""

import os
import signal
import sys
from contextlib import contextmanager


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
