"""The entry of the command `sata-recorder`.

Nothing is imported here before :func:`main` runs: a Ctrl-C during the imports, which take their
time, ends like any other.
"""

import sys


def main(arguments=None):
    """Runs the command line; the exit status is 0, 1 (bad result), 2 (misuse) or 130 (Ctrl-C)."""
    try:
        from .verbs import run
        status = run(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        status = 130
    sys.exit(status)


def __getattr__(name):
    """``cli``, the click command of all verbs, is loaded where it is asked for."""
    if name == "cli":
        from .verbs import cli
        return cli
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
