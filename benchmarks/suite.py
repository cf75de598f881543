"""Where the processor time of the test suite goes: by room, by file and by fixture.

    python benchmarks/suite.py [--top N] [--markdown] [PYTEST ARGUMENT ...]

Runs pytest with the arguments, `-n 2 --dist worksteal` by default, and measures each test and each fixture: the
time of the worker and of the processes that it has waited for. What a fixture takes counts for the test that set it
up first, too, so the two tables overlap. `--markdown` puts the rooms of the default suite into docs/architecture.md.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

import tables

ROOT = Path(__file__).resolve().parents[1]
_FOLDER = "SATA_RECORDER_SUITE_TIMES"
#: Rows of the tables on the page.
_ROOMS = 10


def _cpu():
    return sum(os.times()[:4])


class Times:
    """A plugin of pytest: adds up the processor time of tests and fixtures, and writes it into a file of its own."""

    def __init__(self, folder):
        self._path = Path(folder, f"{os.getpid()}.json")
        self._tests, self._fixtures = Counter(), Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        begin = _cpu()
        try:
            return (yield)
        finally:
            self._tests[str(item.path.relative_to(ROOT))] += _cpu() - begin

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        begin = _cpu()
        try:
            return (yield)
        finally:
            self._fixtures[f"{fixturedef.baseid}::{fixturedef.argname}"] += _cpu() - begin

    def pytest_sessionfinish(self):
        self._path.write_text(json.dumps([self._tests, self._fixtures]))


def pytest_configure(config):
    """Called in each worker, which loads this file as a plugin."""
    config.pluginmanager.register(Times(os.environ[_FOLDER]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--top", type=int, default=30, metavar="N", help="rows of a table (default: 30)")
    parser.add_argument("--markdown", action="store_true", help="put the rooms into docs/architecture.md, too")
    chosen, arguments = parser.parse_known_args()
    if chosen.markdown and arguments:
        parser.error(f"--markdown is for the default suite, not for {' '.join(arguments)}")
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {_FOLDER: folder, "PYTHONPATH": os.pathsep.join(
            [str(ROOT / "benchmarks"), *filter(None, [os.environ.get("PYTHONPATH")])])}
        status = subprocess.call([sys.executable, "-m", "pytest", "-q", "-p", "suite",
                                  *(arguments or ["-n", "2", "--dist", "worksteal"])], cwd=ROOT, env=environment)
        tests, fixtures = Counter(), Counter()
        for path in Path(folder).iterdir():
            found = json.loads(path.read_text())
            tests.update(found[0])
            fixtures.update(found[1])
    console = Console()
    rooms = Counter()
    for name, seconds in tests.items():
        rooms["/".join(Path(name).parts[:3 if name.startswith("tests/unit") else 2])] += seconds
    for head, counts in (("room", rooms), ("file", tests), ("fixture", fixtures)):
        table = Table(head, "CPU-seconds", "share")
        for name, seconds in counts.most_common(chosen.top):
            table.add_row(name, f"{seconds:,.1f}", f"{seconds / max(tests.total(), 1e-9):.1%}")
        console.print(table)
    console.print(f"{tests.total():,.0f} CPU-seconds in {len(tests):,} files")
    if chosen.markdown and not status:
        tables.output(page_table(rooms), ("architecture.md", "suite"))
    sys.exit(status)


def page_table(rooms):
    """The largest of ``rooms``, names to CPU-seconds, as Markdown."""
    largest = rooms.most_common(_ROOMS)
    rows = [*largest, ("the others", rooms.total() - sum(seconds for _, seconds in largest)), ("all", rooms.total())]
    return tables.markdown(("room", "CPU-seconds"), [(name, f"{seconds:,.0f}") for name, seconds in rows])


if __name__ == "__main__":
    main()
