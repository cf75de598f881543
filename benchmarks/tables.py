"""Tables in docs/ that a benchmark writes: everything between two markers is replaced."""

import argparse
from pathlib import Path

import results

DOCS = Path(__file__).resolve().parents[1] / "docs"


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


def main(doc, page, name, header, rows):
    """The command line of a benchmark that makes one table, of ``rows()``: prints it, and with
    --markdown puts it between the markers ``name`` of docs/``page``. ``doc`` begins with what it is."""
    parser = argparse.ArgumentParser(description=doc.split("\n\n")[0])
    parser.add_argument("--markdown", action="store_true", help=f"also rewrite the table in docs/{page}")
    arguments = parser.parse_args()
    table = markdown(header, rows())
    print(table)
    if arguments.markdown:
        replace(page, name, table)


def markdown(header, rows):
    """A Markdown table: the first column is text, all others are right-aligned."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in [header, rule, *rows])
