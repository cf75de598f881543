"""The entry of the command `sata-recorder`.

Nothing that takes its time is imported here before :func:`main` runs: a Ctrl-C during the imports
ends like any other.
"""

import sys
import warnings

from .loading import loading
from .streams import OutputFailed, guard, report


def main(arguments=None):
    """Runs the command line; the exit status is 0, 1 (bad result), 2 (misuse), 130 (Ctrl-C) or 141 (standard output
    was closed)."""
    loading.leaves = True
    guard()
    try:
        with loading():
            from .verbs import run
        status = run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except OutputFailed as error:
        status = report(error)
    except BaseException as error:
        if not _interrupted(error):
            raise
        # What is half elaborated would be complained of.
        warnings.simplefilter("ignore")
        sys.stderr.write("interrupted\n")
        status = 130
    sys.exit(status)


def _interrupted(error):
    """Whether ``error`` comes of a Ctrl-C: Python puts another error around one that meets it in
    the body of a class, and a module may raise another one on the way out."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
