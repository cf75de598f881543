"""Tables in docs/ that a benchmark writes: everything between two markers is replaced."""

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.markdown import Markdown

import results

DOCS = Path(__file__).resolve().parents[1] / "docs"


class Table(NamedTuple):
    """A table that measure_table.py makes. It is found by its text: PAGE and NAME are written out, right
    after the bracket.

    ``measure(*row)`` is called for each of ``rows``, which begin with a name; ``text`` makes the block
    of what it gave. ``also`` are other pages with this block. ``options`` of the command line, their
    names to the keywords of ``add_argument``, become keywords of ``measure``.
    """

    page: str
    name: str
    rows: Iterable
    measure: Callable
    text: Callable
    also: tuple = ()
    options: dict = {}


def replaced(text, name, body):
    """``text`` with ``body`` between `<!-- NAME:begin -->` and `<!-- NAME:end -->`; None where it
    has no such markers."""
    before, begin, rest = text.partition(f"<!-- {name}:begin -->\n")
    _, end, after = rest.partition(f"<!-- {name}:end -->")
    return f"{before}{begin}{body.rstrip()}\n{end}{after}" if begin and end else None


def replace(page, name, text):
    """Puts `text` between the markers NAME of docs/PAGE, and enters it."""
    path = DOCS / page
    new = replaced(path.read_text(), name, text)
    if new is None:
        raise SystemExit(f"{path}: the markers {name}:begin and {name}:end are missing")
    path.write_text(new)
    results.enter(f"{path.name} {name}")


def output(text, *blocks):
    """Prints the Markdown ``text``, on a terminal as its readers see it, and puts it into ``blocks``,
    a page and the name of its markers each."""
    if sys.stdout.isatty():
        Console().print(Markdown(text))
    else:
        print(text)
    for page, name in blocks:
        replace(page, name, text)


def parser(doc, pages):
    """The command line of a program with this docstring, whose --markdown rewrites tables in ``pages``."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--markdown", action="store_true", help=f"also rewrite the tables in {pages}")
    return made


def markdown(header, rows, rule=None):
    """A Markdown table: the first column is text, all others are right-aligned, if no ``rule`` is given."""
    rule = rule or ["---", *["---:"] * (len(header) - 1)]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in [header, rule, *rows])
