"""CPU time of the simulation against an earlier state of the sources, both in one run.

The earlier state is checked out beside this one, into a temporary folder, with an environment of its own.
Both take the same C++ compiler, CXX or g++, and compile before the time counts. They take turns; the
fastest of three turns counts, less what a short job of the same kind takes, the start with it.
"""

import os
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import tables
import times

ROOT = Path(__file__).resolve().parents[1]
TURNS = 3


class Tree:
    """The sources in ``folder``, whose environment is there, and a cache of their own."""

    def __init__(self, folder, cache):
        self._program = Path(folder, ".venv/bin/sata-recorder")
        self._environment = os.environ | {"SATA_RECORDER_CACHE": str(cache), "CXX": os.environ.get("CXX", "g++")}
        # Both start as they do for their users: with their bytecode.
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def run(self, order):
        """(exit status, CPU-seconds, standard error) of the command line ``order`` of sata-recorder."""
        begin = times.children_seconds()
        reply = subprocess.run([self._program, *order.split()], env=self._environment, text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return reply.returncode, times.children_seconds() - begin, reply.stderr

    def seconds(self, order):
        """CPU-seconds of ``order``, which must succeed."""
        status, seconds, error = self.run(order)
        if status:
            raise SystemExit(f"against: {self._program} {order} ended with status {status}:\n{error}")
        return seconds

    def cores(self):
        """The names of the cores of its campaign, which it tells to who asks for another one."""
        _, _, error = self.run("campaign --runs 1 --cores none-of-them")
        told = re.search(r"they are ([\w, -]+)", " ".join(error.split()))
        if not told:
            raise SystemExit(f"against: {self._program} has no campaign that tells its cores:\n{error}")
        return told[1].split(", ")


def jobs(cores):
    """Name to (command, the same but short), for trees whose campaigns both have ``cores``. Without the second
    one the start counts."""
    def pair(order, size, long, short):
        return f"{order} {size} {long}", f"{order} {size} {short}"

    campaign = "campaign --jobs 1 --seed 1"
    return {
        "64 MiB recorded": pair("measure --operation record", "--sectors", "64MiB", "1MiB"),
        "64 MiB recorded and played back": pair("measure", "--sectors", "64MiB", "1MiB"),
        f"1,000 runs of a campaign, the {len(cores)} cores of both": pair(
            f"{campaign} --cores {','.join(cores)}", "--runs", 1050, 50),
        "1,000 runs of a campaign, all its cores": pair(campaign, "--runs", 1050, 50),
        "`sata-recorder measure`, as a whole": ("measure",),
    }


def measured(trees, found):
    """Yields (name, CPU-seconds of each of ``trees``) for the jobs ``found``."""
    for name, orders in found.items():
        print(f"against: {name} ...", file=sys.stderr, flush=True)
        for tree in trees:
            tree.seconds(orders[0])         # compiles
        turns = [[[tree.seconds(order) for order in orders] for tree in trees] for _ in range(TURNS)]
        yield name, [difference([turn[place] for turn in turns]) for place in range(len(trees))]


def difference(turns):
    """The CPU-seconds of the fastest long job, less those of the fastest short one where there is one."""
    return min(turn[0] for turn in turns) - min(sum(turn[1:]) for turn in turns)


@contextmanager
def checked_out(commit, folder):
    """The sources of ``commit`` in ``folder``, with their environment."""
    if subprocess.run(["git", "worktree", "add", "--quiet", "--detach", folder, commit], cwd=ROOT).returncode:
        raise SystemExit(f"against: git cannot check out {commit!r} (message above)")
    try:
        if subprocess.run(["make", "--silent", ".venv/ready"], cwd=folder, stdout=sys.stderr).returncode:
            raise SystemExit(f"against: {commit!r} cannot be set up (message above)")
        yield folder
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, check=True)


def main():
    parser = tables.parser(__doc__, "docs/speed.md")
    parser.add_argument("commit", help="the earlier state, as git names it")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="against-") as folder, \
            checked_out(arguments.commit, f"{folder}/then") as then:
        trees = Tree(then, f"{folder}/cache-then"), Tree(ROOT, f"{folder}/cache-now")
        both = [name for name in trees[0].cores() if name in trees[1].cores()]
        table = tables.markdown(("CPU-seconds", "then", "now", "then / now"), [
            (name, f"{old:.2f}", f"{new:.2f}", f"{old / new:.2f}")
            for name, (old, new) in measured(trees, jobs(both))])
    tables.output(table, *[("speed.md", "against")] * arguments.markdown)


if __name__ == "__main__":
    main()
