"""How long the commands of README.md take: a line below each block, and a table of long ones."""

import os
import re
import resource
import time
from pathlib import Path

import tables

#: The block of README.md with the machine and the table.
BLOCK = "times"
_ROW = re.compile(r"^\| `(.+)` \| ([^|]+) \|$", re.MULTILINE)


def children_seconds():
    """CPU-seconds of the programs that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class StopWatch:
    """How long the programs take that are run from now on: their processor time, which other work on
    this machine does not lengthen, or the time by the clock where they are faster by more cores."""

    def __init__(self):
        self._begin = self._now()

    @staticmethod
    def _now():
        return children_seconds(), time.monotonic()

    def seconds(self):
        return min(after - before for before, after in zip(self._begin, self._now(), strict=True))


def duration(seconds):
    """Seconds as people say them."""
    if seconds < 10:
        return f"{max(seconds, 0.1):.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def with_row(text, order=None, seconds=None):
    """README's ``text`` with the machine of now, and the time of the command ``order`` in its
    table. None where it has no place for it."""
    rows = dict(_ROW.findall(text.partition(f"<!-- {BLOCK}:begin -->")[2]
                             .partition(f"<!-- {BLOCK}:end -->")[0]))
    if order is not None:
        rows[order] = duration(seconds)
    told = (f"Measured on {_machine()}, with all packages installed and the core\n"
            "already compiled; only the first line was measured with an empty cache, as at the first use. A time is\n"
            "processor time, or wall-clock time if that is less: other work does not count.\n\n")
    return tables.replaced(text, BLOCK, told + tables.markdown(
        ("command", "takes"), ((f"`{name}`", took) for name, took in rows.items())))


def processor():
    """The name of the processor; "" where the system does not tell it."""
    try:
        found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return " ".join(found[1].split()) if found else ""


def _machine():
    cores = os.cpu_count()
    return f"a machine with {cores} cores" + (f" ({name})" if (name := processor()) else "")
