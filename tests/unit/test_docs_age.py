"""Tables, outputs and pictures of the documentation are what their commands gave.

What is made in a moment is made and compared; for all else docs/results.toml has hashes. What is older
than its sources is no failure: `.venv/bin/python benchmarks/docs.py --check` reports it.
"""

import ast
import importlib
import re
import time
from pathlib import Path

import pytest

from unit.rooms import LAYERS

ROOT = Path(__file__).resolve().parents[2]

#: A small repository: a command, what it imports, and data.
FILES = {
    "Makefile": "speed: ready\n\t.venv/bin/python benchmarks/speed.py $(ARGS)\n",
    "constraints.txt": "numpy==2.0\nPyYAML==6.0\npyserial==3.5\n",
    "README.md": "",
    "docs/page.md": "<!-- speed:begin -->\n1\n<!-- speed:end -->\n\n![A](a.svg)\n\n"
                    "```console slow\n$ sata-recorder show --plot a.svg\ngood\n```\n\nmore\n",
    "docs/a.svg": "<svg/>",
    "benchmarks/speed.py": "from sata_recorder import Core\nNOTES = 'notes.toml'\n",
    "benchmarks/notes.toml": "a = 1\n",
    "src/sata_recorder/__init__.py": "HOMES = {'Core': 'sata_recorder.core', 'Other': 'sata_recorder.other'}\n",
    "src/sata_recorder/core.py": "import sata_drive_model.port as port\nx = 1\n",
    "src/sata_recorder/other.py": "y = 1\n",
    "src/sata_recorder/cli/show.py": "def show():\n    from ..report import page\n",
    "src/sata_recorder/report/__init__.py": "",
    "src/sata_recorder/report/page.py": "from . import parts\nimport serial\n",
    "src/sata_recorder/report/parts.py": "z = 1  # one\n",
    "src/sata_recorder/report/styles/page.css": "a {}\n",
    "models/sata_drive_model/__init__.py": "",
    "models/sata_drive_model/port.py": "import json\nimport numpy\n",
}
RULES = {"page.md speed": "make speed", "*.svg": "* --plot {}*"}
TABLE, OUTPUT, PICTURE = KEYS = "page.md speed", "page.md $ sata-recorder show --plot a.svg", "a.svg"


@pytest.fixture
def docs(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("docs")


@pytest.fixture
def results(docs, monkeypatch, tmp_path):
    """The module on the small repository."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    results = docs.results
    monkeypatch.setattr(results, "ROOT", tmp_path)
    monkeypatch.setattr(results, "RESULTS", tmp_path / "docs/results.toml")
    monkeypatch.setattr(results, "RULES", RULES)
    monkeypatch.setattr(results.sources, "ROOT", tmp_path)
    forget(results)
    yield results
    forget(results)


def forget(results):
    """What was read of the files."""
    for function in vars(results.sources).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


@pytest.fixture
def change(results, tmp_path):
    """`change(name, old, new)`: in a file of the small repository."""
    def change(name, old, new):
        path = tmp_path / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
        forget(results)
    return change


def older(results):
    """Blocks that are older than their sources, when nothing is wrong."""
    assert results.check() == []
    return {key for key, _, _ in results.older()}


def test_documentation(docs):
    assert docs.results.check() == []
    assert docs.wrong(docs.generated()) == []


@pytest.mark.wide
def test_what_commands_answer(docs):
    assert docs.wrong(docs.answered()) == []


def test_block_without_entry(results):
    assert results.check() == [
        f"{TABLE}: no entry says when it was made; run make speed",
        *(f"{key}: no entry says when it was made; run .venv/bin/python benchmarks/docs.py --slow page.md"
          for key in (OUTPUT, PICTURE))]
    results.enter(*KEYS)
    assert results.check() == []
    assert not list(results.older())


@pytest.mark.parametrize("name, old, new, key", [
    ("docs/page.md", "begin -->\n1", "begin -->\n2", TABLE), ("docs/page.md", "good", "bad", OUTPUT),
    ("docs/a.svg", "<svg/>", "<svg />", PICTURE)])
def test_change_by_hand(results, change, name, old, new, key):
    results.enter(*KEYS)
    change(name, old, new)
    wrong, = results.check()
    assert wrong.startswith(f"{key}: it was changed by hand; run ")
    results.enter(key)
    assert results.check() == []
    assert not list(results.older())


def test_entry_without_block(results, change):
    results.enter(*KEYS)
    change("docs/page.md", "show --plot a.svg", "show --plot a.svg --all")
    new = f"{OUTPUT} --all"
    results.RESULTS.write_text(results.RESULTS.read_text().replace("[\"a.svg\"]", "[\"gone.svg\"]"))
    wrong = results.check()
    assert {line.partition(": ")[0] for line in wrong if "has an entry" in line} == {OUTPUT, "gone.svg"}
    results.enter(new, PICTURE)         # forgets what is gone
    assert "gone.svg" not in results.RESULTS.read_text()


@pytest.mark.parametrize("old, new, words", [
    ("<!-- speed:begin -->\n1\n<!-- speed:end -->", "<!-- rate:begin -->\n1\n<!-- rate:end -->", "page.md rate"),
    ("$ sata-recorder show", "$ date", r"page.md \$ date"),
    ("$ sata-recorder show", "$ sata-recorder gone", r"page.md \$ sata-recorder gone")])
def test_unknown_command(results, change, old, new, words):
    change("docs/page.md", old, new)
    assert any(re.match(f"{words}.*: no program of this repository is in ", line)
               for line in results.check())
    with pytest.raises(LookupError, match=words):
        results.enter(*(key for key in results.blocks() if key not in KEYS))


def test_cheap_output_differs(docs, monkeypatch, capsys):
    monkeypatch.setattr(docs, "generated", lambda: [("README.md x", docs.README, "other")])
    monkeypatch.setattr(docs, "answered", list)
    monkeypatch.setattr(docs.results, "check", list)
    monkeypatch.setattr(docs.results, "older", lambda: [("a", "2026-01-01", "make a")])
    assert not docs.check()
    assert "WRONG: README.md x: it is not what the sources give" in capsys.readouterr().out
    monkeypatch.setattr(docs, "generated", list)
    assert docs.check()                 # what is older than its sources is no failure
    assert capsys.readouterr().out == "older than its sources: a, of 2026-01-01: make a\n"


def test_line_on_the_page(results, change, tmp_path):
    """Below a table, a slow output and a picture; it goes when the entry does."""
    results.enter(*KEYS)
    page = (tmp_path / "docs/page.md").read_text()
    told = rf"\*Made with version [\d.]+ on {time.strftime('%Y-%m-%d')} by `{{}}`\.\*"
    slow = told.format(".venv/bin/python benchmarks/docs.py --slow page.md")
    assert re.search(rf"speed:end -->\n{told.format('make speed')}\n\n!\[A\]\(a.svg\)\n\n{slow}\n\n```", page)
    assert re.search(rf"```\n{slow}\n\nmore\n$", page)
    assert results.annotate("page.md", page, {}) == FILES["docs/page.md"]
    change("docs/page.md", "Made with version", "Made with version 9 and")
    assert results.check() == ["page.md: a line on when something was made was changed by hand; run "
                                  ".venv/bin/python benchmarks/docs.py page.md"]
    results.enter()
    assert (tmp_path / "docs/page.md").read_text() == page


@pytest.mark.parametrize("name, old, new, late", [
    ("src/sata_recorder/core.py", "x = 1", "x = 2", {TABLE}),
    ("models/sata_drive_model/port.py", "import numpy\n", "import numpy\nx = 1\n", {TABLE}),
    ("benchmarks/notes.toml", "1", "2", {TABLE}),
    ("constraints.txt", "numpy==2.0", "numpy==2.1", {TABLE}),
    ("src/sata_recorder/report/parts.py", "z = 1", "z = 2", {OUTPUT, PICTURE}),
    ("src/sata_recorder/report/styles/page.css", "a", "b", {OUTPUT, PICTURE}),
    ("constraints.txt", "pyserial==3.5", "pyserial==3.6", {OUTPUT, PICTURE}),
    ("src/sata_recorder/report/parts.py", "# one", "# two", set()),
    ("src/sata_recorder/report/parts.py", "z = 1", '"""What."""\n\nz = 1', set()),
    ("src/sata_recorder/core.py", "import sata", "import json\nimport sata", set()),
    ("src/sata_recorder/other.py", "y = 1", "y = 2", set()),
    ("constraints.txt", "PyYAML==6.0", "PyYAML==6.1", set()),
])
def test_sources(results, change, name, old, new, late):
    results.enter(*KEYS)
    change(name, old, new)
    assert older(results) == late


def test_moved_file(results, change, tmp_path):
    """And a package with another name: the contents count, not the paths."""
    results.enter(*KEYS)
    package = tmp_path / "src/sata_recorder"
    (package / "report").rename(package / "told")
    (package / "told/parts.py").rename(package / "pieces.py")
    change("src/sata_recorder/told/page.py", "from . import parts", "from .. import pieces as parts")
    change("src/sata_recorder/cli/show.py", "..report", "..told")
    assert older(results) == set()
    change("src/sata_recorder/pieces.py", "z = 1", "z = 2")
    assert older(results) == {OUTPUT, PICTURE}


@pytest.mark.parametrize("before, after, same", [
    ("a = 1  # one\n", "a = 1\n", True), ('"""What."""\na = 1\n', "a = 1\n", True),
    ('def f():\n    """Long\n\n    text."""\n    return 1\n', "def f():\n    return 1\n", True),
    ("from a import (  # one\n    b,\n    c)\nd = 1\n", "import e\n\n\nd = 1\n", True),
    ("import a; import b; c = 1\n", "c = 1\n", True), ("import a; c = 1\n", "import a; c = 2\n", False),
    ("__all__ = ['a']\na = 1\n", "a = 1\n", True),
    ("a = '# no'\n", "a = '# yes'\n", False), ('a = """x\ny"""\n', 'a = """x\nz"""\n', False),
    ("a = 'é'  # é\n", "a = 'é'\n", True), ("a = '\\'# no'\n", "a = '\\'# yes'\n", False),
    ("a = 1\n", "a = 2\n", False), ("if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n", False),
])
def test_what_counts_in_python(docs, before, after, same):
    before, after = (docs.results.sources.content_of(text.encode(), [*ast.walk(ast.parse(text))])
                     for text in (before, after))
    assert (before == after) is same


def test_no_rule_is_left_over(docs):
    """Each rule is for a block, and what is loaded by name is there."""
    results, sources = docs.results, docs.results.sources
    blocks = results.blocks()
    for pattern in (*results.COMPARED, *results.RULES):
        assert any(results.fnmatch.fnmatchcase(key, pattern) for key in blocks), pattern
    pins = (ROOT / "constraints.txt").read_text().lower()
    for name, loaded in sources.LOADED.items():
        assert (ROOT / name).is_file()
        for what in loaded:
            assert f"\n{what[2:]}==" in pins if what.startswith("= ") else any(ROOT.glob(what)), what


def test_picture_of_the_layers():
    """Its boxes are the layers of the core, between the PHY and the drive outside of it."""
    text = (ROOT / "docs/layers.svg").read_text()
    names = re.findall(r'<text class="name"[^>]*>(\w+)</text>', text)
    assert sorted(names) == sorted([*(set(LAYERS) - {"phy"}), "PHY", "drive"])
    assert "ECP5" in text


def test_renewed_until_nothing_is_left(results, change, monkeypatch, capsys):
    """Cheap commands first, each once; one that makes nothing is named; the next run begins with what is left."""
    renew = importlib.import_module("renew")
    results.enter(*KEYS)
    change("src/sata_recorder/report/parts.py", "z = 1", "z = 2")
    change("src/sata_recorder/core.py", "x = 1", "x = 2")
    slow = ".venv/bin/python benchmarks/docs.py --slow page.md"
    assert sorted(renew.left()) == sorted([slow, "make speed"])
    assert renew.cost("make formal") > renew.cost(slow) > renew.cost(".venv/bin/python benchmarks/docs.py page.md")
    ran = []

    def run(command):
        ran.append(command)
        if command == slow:
            results.enter(OUTPUT, PICTURE)
        return int(command != slow)
    assert renew.renew(run) == ["make speed"]
    assert sorted(ran) == sorted([slow, "make speed"]) and "status 1: make speed" in capsys.readouterr().out
    assert renew.renew(lambda command: results.enter(TABLE)) == []
    assert not renew.left()
