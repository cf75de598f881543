#!/usr/bin/env python3
"""Makes again what README.md and docs/ quote, as far as it is older than its sources.

    make docs-tables                        # stop it at any time: the next one continues with what is left
    make docs-tables ARGS=--background      # the same, detached from the terminal; its log is in build/
    make docs-tables ARGS=--list            # the commands that are left, in their order

What takes seconds comes first, what takes an hour last. Everything runs at a low priority. A command that fails,
and one that leaves its output as old as it was, is reported at the end and not tried again in the same run: the
status is 1 then.
"""

import argparse
import os
import subprocess
import sys

import results
from sata_recorder.locks import InUse, open_locked

LOG = results.ROOT / "build" / "docs-tables.log"
_NICE = 10
#: Parts of a command, and how late it comes; 0 without any of them.
_COSTS = {"--hours": 4, "make mutation": 4, "make formal": 3, "make compare": 3, "capabilities": 3, "make": 2,
          "--slow": 2, "measure_table": 1}


def cost(command):
    """Where ``command`` has its place: less comes first."""
    return next((cost for part, cost in _COSTS.items() if part in command), 0)


def left(done=()):
    """The commands that make what is older than its sources, each once, without those that are ``done``."""
    commands = dict.fromkeys(command for _, _, command in results.older())
    return sorted((command for command in commands if command not in done), key=cost)


def renew(run):
    """Runs what is left by ``run``, a function that returns the status of a command, until nothing is. Returns the
    commands that did not make what they are there for."""
    done = []
    while commands := left(done):
        command = commands[0]
        done.append(command)
        print(f"{command} ({len(commands) - 1} more)", flush=True)
        if status := run(command):
            print(f"status {status}: {command}", flush=True)
    return left()


def shell(command):
    """Runs ``command`` in the repository; returns its status."""
    return subprocess.run(["bash", "-c", command], cwd=results.ROOT).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="only print the commands that are left")
    parser.add_argument("--background", action="store_true", help=f"go on detached, and write {LOG.name}")
    arguments = parser.parse_args()
    if arguments.list:
        print("".join(f"{command}\n" for command in left()), end="")
        return 0
    LOG.parent.mkdir(exist_ok=True)
    if arguments.background:
        with LOG.open("a") as log:
            subprocess.Popen([sys.executable, __file__], start_new_session=True, stdin=subprocess.DEVNULL, stdout=log,
                             stderr=subprocess.STDOUT)
        print(f"{len(left())} commands; see {LOG}")
        return 0
    try:
        open_locked(LOG.with_suffix(".lock"), writes=True)      # until the process ends
    except InUse as error:
        raise SystemExit(f"docs-tables: one is running already: {error}") from None
    os.nice(_NICE)
    failed = renew(shell)
    for command in failed:
        print(f"did not make it: {command}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
