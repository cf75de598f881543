"""What the framer of VITA 49 costs on an ECP5: its area, and with --clock its clock.

    .venv/bin/python benchmarks/vita49_area.py [--clock] [--markdown]

The area is from one synthesis of each; the clock from three placements of each, which take some
minutes.
"""

import argparse

from area import FREQUENCY, SEEDS
from area_table import show
from sata_recorder.bricks.frames import VrlFramer
from sata_recorder_platforms import out_of_context

#: The frames as they are by default, and those of one sector.
_FRAMERS = {
    "a source that waits": {}, "one that does not": {"waits": False},
    "one that does not, frames of 1 sector": {"waits": False, "payload": 114}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--markdown", action="store_true",
                        help="also rewrite the table in docs/vita49.md")
    parser.add_argument("--clock", action="store_true", help="the clock, too")
    arguments = parser.parse_args()
    rows = [(name, *out_of_context.measure(VrlFramer(**options), seeds=SEEDS if arguments.clock else (),
                                           frequency=FREQUENCY))
            for name, options in _FRAMERS.items()]
    show([(name, area) for name, area, _ in rows], "vita49.md" if arguments.markdown else None,
         clocks=[[timing.fmax for timing in timings] for *_, timings in rows] if arguments.clock else None)


if __name__ == "__main__":
    main()
