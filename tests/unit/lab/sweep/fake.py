"""Stand-ins for what a sweep measures, where the point is not the result."""

import os
import time
from dataclasses import dataclass

from sata_recorder.lab.measurement import SOURCES


@dataclass(frozen=True)
class FakeCell:
    """A cell with a number; ``clocks`` is how long it takes."""

    number: int
    clocks: int = 1

    @property
    def key(self):
        return f"cell{self.number}"


def result(cell, error=None, sources=SOURCES):
    return {"number": cell.number, "error": error, "sources": sources}


def measured(cell, report=None):
    """Sleeps for a while; number 13 takes its process with it."""
    if cell.number == 13:
        os._exit(1)
    for step in range(10):
        report("record", step, 10)
        time.sleep(0.05)
    return result(cell)


def endless(cell, report=None):
    """Writes a file, then never ends."""
    open(f"{cell.number}.pid", "w").write(str(os.getpid()))
    time.sleep(1000)
