"""The pages of README.md and docs/ for the tests of them: their prose, and where their links lead."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md",
         *(ROOT / f"{name}.md" for name in ("CONTRIBUTING", "CHANGELOG", "SECURITY", "models/README")),
         *sorted((ROOT / "docs").glob("*.md"))]
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def prose(path):
    """The text of a page without fenced blocks."""
    return re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)


def links(path):
    """(target file, anchor) of each relative link of a page."""
    for target in _LINK.findall(prose(path)):
        if not re.match(r"[a-z]+:", target):
            file, _, anchor = target.partition("#")
            yield (path.parent / file).resolve() if file else path, anchor
