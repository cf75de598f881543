"""The entry of the command `sata-recorder`.

Nothing is imported here before :func:`main` runs: a Ctrl-C during the imports, which take their
time, ends like any other.
"""

import sys
import warnings


def main(arguments=None):
    """Runs the command line; the exit status is 0, 1 (bad result), 2 (misuse) or 130 (Ctrl-C)."""
    try:
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


def _interrupted(error):
    """Whether ``error`` comes of a Ctrl-C: Python puts another error around one that meets it in
    the body of a class."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None


def __getattr__(name):
    """``cli``, the click command of all verbs, is loaded where it is asked for."""
    if name == "cli":
        from .verbs import cli
        return cli
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
