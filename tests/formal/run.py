#!/usr/bin/env python3
"""Proves all proofs, reaches all covers and finds all planted faults; prints a table.

    python tests/formal/run.py [-j PROCESSES] [-k TEXT] [--docs]

The status is 1 if a check is not proved, a cover not reached or a fault not found.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table

TESTS = Path(__file__).resolve().parents[1]
SOURCE = TESTS.parent / "src" / "sata_recorder"
PAGE = TESTS.parent / "docs" / "formal-results.md"
#: Parts of the package that no proof needs.
TOOLS = ("board", "cli", "lab", "pc", "report", "simulation")

BEGIN, END = "<!-- proofs:begin -->\n", "<!-- proofs:end -->"

sys.path.insert(0, str(TESTS))
from formal.catalog import PROOFS  # noqa: E402


def changed(changes, folder):
    """A copy of the package with ``changes`` in ``folder``, to be put on the path."""
    package = Path(folder, "sata_recorder")
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__", *TOOLS))
    for change in changes:
        path = package / change.file
        text = path.read_text()
        if text.count(change.old) != 1:
            raise ValueError(f"{change.file}: {text.count(change.old)} places, not 1, have:"
                             f" {change.old}")
        path.write_text(text.replace(change.old, change.new))
    return folder


def ask(proof, what, changes=(), hint=""):
    """The verdicts of a worker as dicts, and the seconds that it took."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="formal-") as folder:
        path = changed((*proof.abstractions, *changes), folder)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(path), str(TESTS)]),
                                    "PYTHONDONTWRITEBYTECODE": "1"}
        result = subprocess.run([sys.executable, "-m", "formal.worker", proof.name, what, hint],
                                env=environment, text=True, capture_output=True)
    if result.returncode != 0:
        raise ValueError(f"{what}: {result.stderr}")
    return [json.loads(line) for line in result.stdout.splitlines()], time.monotonic() - begun


def rows(proof):
    """(kind, name, outcome, whether it is as it must be, seconds) of all there is to a proof."""
    found = []
    try:
        for row in outcomes(proof):
            found.append(row)
    except ValueError as error:
        found.append(("error", "", str(error), False, 0))
    return found


def outcomes(proof):
    """See :func:`rows`. Raises ValueError."""
    verdicts, _ = ask(proof, "prove")
    for verdict in verdicts:
        clauses = f", {verdict['clauses']} clauses" if verdict["method"] == "PDR" else ""
        bounded = verdict["method"].startswith("the first")
        outcome = {True: f"{'holds in' if bounded else 'proved:'} {verdict['method']}{clauses}",
                   False: f"FAILS in clock {verdict['frame']}",
                   None: "NOT DECIDED"}[verdict["proved"]]
        yield "check", verdict["name"], outcome, verdict["proved"] is True, verdict["seconds"]
    verdicts, _ = ask(proof, "cover")
    for verdict in verdicts:
        reached = verdict["frame"] is not None
        yield ("cover", verdict["name"],
               f"reached in clock {verdict['frame']}" if reached else "NOT REACHED",
               reached, verdict["seconds"])
    for fault in proof.faults:
        [verdict], seconds = ask(proof, "fault", [fault], fault.hint)
        found = verdict["proved"] is False
        yield ("fault", fault_name(fault),
               f"fails in clock {verdict['frame']}: {verdict['name']}" if found else "NOT FOUND",
               found, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-j", type=int, default=os.cpu_count(), metavar="PROCESSES")
    parser.add_argument("-k", default="", metavar="TEXT", help="only proofs with TEXT in the name")
    parser.add_argument("--docs", action="store_true",
                        help="also rewrite these proofs in docs/formal-results.md, if all is well")
    arguments = parser.parse_args()

    begun, good, sections = time.monotonic(), True, {}
    selected = [proof for proof in PROOFS if arguments.k in proof.name]
    if not selected:
        parser.error(f"no proof has {arguments.k!r} in its name")
    console = Console(width=None if sys.stdout.isatty() else 160)
    table = Table("proof", "", "what", "outcome", "seconds", highlight=False)
    with ThreadPoolExecutor(max(1, arguments.j)) as pool:
        for proof, found in zip(selected, pool.map(rows, selected)):
            good &= all(row[3] for row in found)
            sections[proof.name] = section(proof, found)
            for index, (kind, name, outcome, right, seconds) in enumerate(found):
                table.add_row(proof.name if index == 0 else "", kind, name, outcome,
                              f"{seconds:.1f}", style=None if right else "bold red")
            table.add_section()
    console.print(table, markup=False)
    if arguments.docs and good:
        PAGE.write_text(page(PAGE.read_text(), sections))
    print(f"{'All as it must be' if good else 'NOT ALL AS IT MUST BE'}:"
          f" {len(selected)} proofs in {time.monotonic() - begun:.0f} s.")
    return 0 if good else 1


def fault_name(fault):
    """What stands in the table for the planted ``fault``."""
    return f"{fault.file}: {' '.join(fault.new.split())}"


def section(proof, found):
    """The rows of a proof as a Markdown section."""
    lines = [f"### {proof.name}", "", "| | what | outcome |", "| --- | --- | --- |"]
    for kind, name, outcome, _, _ in found:
        name = f"`{name}`".replace("|", "\\|") if kind == "fault" else name
        lines.append(f"| {kind} | {name} | {outcome} |")
    return "\n".join(lines) + "\n\n"


def sections_of(text):
    """The sections between the markers of the page ``text``, by the name of the proof."""
    _, begin, rest = text.partition(BEGIN)
    body, end, _ = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{PAGE}: the markers proofs:begin and proofs:end are missing")
    found = {}
    for part in body.split("### ")[1:]:
        found[part.partition("\n")[0]] = f"### {part}"
    return found


def page(text, sections):
    """The page ``text`` with new ``sections``; the others stay, those of no proof are left out."""
    sections = sections_of(text) | sections
    body = "".join(sections[proof.name] for proof in PROOFS if proof.name in sections)
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    return f"{before}{BEGIN}\n{body}{END}{after}"


if __name__ == "__main__":
    sys.exit(main())
