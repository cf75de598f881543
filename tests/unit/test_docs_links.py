"""README.md and docs/: links and anchors lead somewhere, paths and imports exist, each page is in the manual."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from unit.pages import PAGES, links, prose
from unit.rooms import FACTS, GATEWARE, MAY_USE

ROOT = Path(__file__).resolve().parents[2]
README, MANUAL = ROOT / "README.md", ROOT / "docs/README.md"

#: Pages that quote a run: another test compares their paths with those of now.
GENERATED = ("formal-results.md",)

#: Where a path in the text may begin.
BASES = [ROOT, ROOT / "src/sata_recorder", ROOT / "models/sata_drive_model",
         ROOT / "platforms/sata_recorder_platforms", ROOT / "tests", ROOT / "docs"]
FOLDERS = ("src", "models", "platforms", "tests", "benchmarks", "docs", "examples", "tools",
           *(path.name for path in (ROOT / "src/sata_recorder").iterdir() if path.is_dir()))

CODE = re.compile(r"`([^`\n]+)`")
SOURCE = re.compile(r"^[\w./*-]+\.(?:py|pxd|cc|h)(?=$|:|#)")
IMPORT = re.compile(r"^ +from (sata_\S+) import (.+?)(?: *#.*)?$", re.MULTILINE)


def anchors(path):
    """The anchors of the headings of a page, as GitHub makes them."""
    found = set()
    for title in re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        name = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        while name in found:
            name += "-1"
        found.add(name)
    return found


def lost_links(path):
    for file, anchor in links(path):
        if not file.exists():
            yield f"{path.name}: {file} does not exist"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{path.name}: {file.name} has no heading #{anchor}"


def lost_paths(text):
    """What is written as code in `text`, looks like a path of this repository and is none."""
    for code in CODE.findall(text):
        word = code.split()[0] if code.split() else ""
        source = SOURCE.match(word)
        name = source[0] if source else word.rstrip("/")
        if not source and not ("/" in word and word.split("/")[0] in FOLDERS
                               and re.fullmatch(r"[\w./*-]+", word)):
            continue
        if not ("/" in name and any(any(base.glob(name)) for base in BASES)
                or "/" not in name and any(ROOT.glob(f"[a-z]*/**/{name}"))
                or (ROOT / name).exists()):
            yield name


def lost_imports(text):
    for module, names in IMPORT.findall(text):
        for name in names.split(","):
            if not hasattr(import_module(module), name.strip()):
                yield f"{module}.{name.strip()}"


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_page(path):
    text = path.read_text()
    lost = [*lost_links(path), *lost_imports(text)]
    if path.name not in GENERATED:
        lost += lost_paths(prose(path))
    assert lost == []


def test_parts_of_the_manual():
    """README.md leads to the manual, which has each page in exactly one part; the page leads back to it."""
    assert MANUAL in [file for file, _ in links(README)]
    parts = {}
    for part in ("Start", "Use", "Reference", "Develop"):
        body = MANUAL.read_text().partition(f"\n## {part}\n")[2].partition("\n## ")[0]
        for name in re.findall(r"^- \[[^\]]*\]\(([^)]+)\):", body, re.MULTILINE):
            assert name not in parts, name
            parts[name] = part.lower()
    pages = {path.name: path.read_text() for path in PAGES if path.parent == MANUAL.parent and path != MANUAL}
    assert parts.keys() == pages.keys()
    for name, part in parts.items():
        assert pages[name].splitlines()[2] == f"[Manual](README.md): [{part}](README.md#{part})", name


def files_and_words(text, heading, first):
    """(what, files, words) of each row under a heading whose first cell begins like that."""
    part = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in part.splitlines() if re.match(rf"\| (?:{first})", line)]
    return [(what, CODE.findall(files), CODE.findall(words)) for what, files, words in rows]


def lost_words(files, words):
    """The words that their files lack. All are for the only file, or each is for one of them."""
    assert len(files) in (1, len(words)), f"{files}: not a word for each"
    for name, word in zip(files * len(words) if len(files) == 1 else files, words):
        source = next((base / name).read_text() for base in BASES if (base / name).is_file())
        if not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", source):
            yield f"{name}: {word}"


@pytest.mark.parametrize("heading, first, least", [
    ("Where is ...?", "Where|How", 20), ("Through the layers", "the |gates", 8)])
def test_where_is(heading, first, least):
    """The tables name files, and for each what stands in it."""
    rows = files_and_words((ROOT / "docs/architecture.md").read_text(), heading, first)
    assert len(rows) >= least
    assert [lost for _, files, words in rows for lost in lost_words(files, words)] == []


def test_layer_table():
    """The table of the layers states for each what it may use, as the test of the imports does."""
    text = (ROOT / "docs/architecture.md").read_text()
    table = text.partition("## The layers of the core")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)/` \| [^|]+ \| ([^|]+) \| [^|]+ \|$", table, re.MULTILINE)
    told = {f"core.{name}": {f"core.{one}" for one in re.findall(r"`(?:core/)?(\w+)(?:/|\.py)`", used)}
            for name, used in rows}
    assert told == {name: MAY_USE[name] - set(FACTS) for name in GATEWARE}


@pytest.mark.parametrize("text, lost", [
    ("`core/link/link.py` and `src/sata_recorder/core/core.py`", []), ("`gone.py`", ["gone.py"]),
    ("`core/link/gone.py: x`", ["core/link/gone.py"]), ("`tests/gone/`", ["tests/gone"]),
    ("`link_up/down`", []), ("`tests/unit/core/sequencer/test_recovery*.py`", []),
    ("`tests/unit/gone*.py`", ["tests/unit/gone*.py"]),
])
def test_checker_finds_paths(text, lost):
    assert list(lost_paths(text)) == lost


def test_checker_finds_links_and_imports(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A: `b`, c\n[x](gone.md) [y](page.md#a-b-c) [z](page.md#a-b)\n")
    assert len(list(lost_links(page))) == 2
    assert list(lost_imports("    from sata_recorder import SataRecorder, Gone\n")) == \
        ["sata_recorder.Gone"]


def test_checker_finds_words():
    """A word in another file of the row, or inside a longer word, is none."""
    files = ["core/link/link.py", "core/core.py"]
    assert list(lost_words(files, ["Link", "SataRecorder"])) == []
    assert list(lost_words(files, ["SataRecorder", "Link"])) == ["core/link/link.py: SataRecorder"]
    assert list(lost_words(files[1:], ["SataRecorder", "SataRecord"])) == ["core/core.py: SataRecord"]
    with pytest.raises(AssertionError):
        list(lost_words(files, ["Link"]))
