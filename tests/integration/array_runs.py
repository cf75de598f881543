"""As many operations of arrays as you like, with random faults of the drives in any lane:

    PYTHONPATH=tests .venv/bin/python -m integration.array_runs 5000

After each of them the array must have ended honestly, and work again. The first that does not ends this program, with
what makes the trial again: `--seed` and `--only`.
"""

import argparse
import functools
import sys
import time

from integration import test_array_command_random as commands
from integration import test_array_mirror_random as mirrors
from integration import test_array_next_random as nexts
from integration import test_array_random as stripes

#: Operations of a trial.
STEPS = 6


#: What a trial is called, and what makes one of a seed.
KINDS = [*((f"{shape}", functools.partial(stripes.Trial, shape)) for shape in stripes.SHAPES),
         *((f"{shape}", functools.partial(commands.CommandTrial, shape)) for shape in commands.SHAPES),
         *((f"mirrors {options}", functools.partial(mirrors.MirrorTrial, options)) for options in mirrors.SHAPES),
         *((f"{shape}", functools.partial(nexts.NextTrial, shape)) for shape in nexts.SHAPES)]


def run(operations, seed, only):
    done, begun = 0, time.monotonic()
    while done < operations:
        for number, (what, make) in enumerate(KINDS):
            if only in (None, number):
                try:
                    trial = make(seed)
                    for place in range(STEPS):
                        trial.step(place)
                except BaseException:
                    print(f"{what}: python -m integration.array_runs {STEPS} --seed {seed} --only {number}",
                          file=sys.stderr)
                    raise
                done += STEPS
        seed += 1
        print(f"\r{done:,} operations", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(f"{done:,} operations with random faults, each ended honestly; next seed {seed}; "
          f"{time.monotonic() - begun:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operations", type=int)
    parser.add_argument("--seed", type=int, default=1_000)
    parser.add_argument("--only", type=int, metavar="N", help="this kind of array only")
    given = parser.parse_args()
    run(given.operations, given.seed, given.only)


if __name__ == "__main__":
    main()
