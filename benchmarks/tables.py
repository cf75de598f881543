"""Tables in docs/ that a benchmark writes: everything between two markers is replaced."""

from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"


def replace(page, name, text):
    """Puts `text` between `<!-- NAME:begin -->` and `<!-- NAME:end -->` of docs/PAGE."""
    path = DOCS / page
    before, begin, rest = path.read_text().partition(f"<!-- {name}:begin -->\n")
    _, end, after = rest.partition(f"<!-- {name}:end -->")
    if not (begin and end):
        raise SystemExit(f"{path}: the markers {name}:begin and {name}:end are missing")
    path.write_text(f"{before}{begin}{text.rstrip()}\n{end}{after}")


def markdown(header, rows):
    """A Markdown table: the first column is text, all others are right-aligned."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in [header, rule, *rows])
