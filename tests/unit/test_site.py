"""What is made of the manual for the site, without Sphinx; tests/browser/test_site.py builds it and opens it."""

import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from unit.pages import PAGES, links

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def build(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs/site"))
    return import_module("build")


@pytest.fixture
def docstrings(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs/site"))
    return import_module("docstrings")


def test_menu_has_each_page_once(build):
    text = build.menu((ROOT / "docs/README.md").read_text())
    captions = re.findall(r":caption: (\w+)", text)
    entries = re.findall(r"^((?:docs|models|api)?/?[\w.-]+)$", text, re.MULTILINE)
    assert captions == list(build.PARTS)
    assert len(entries) == len(set(entries))
    pages = {f"docs/{path.stem}" for path in (ROOT / "docs").glob("*.md")}
    beside = {name for names in build.BESIDE.values() for name in names}
    assert set(entries) == pages | beside | {"api/index"}
    assert all((ROOT / f"{name}.md").is_file() for name in entries if not name.startswith("api/"))


def test_a_part_without_pages_is_refused(build):
    with pytest.raises(SystemExit, match="lists no page under Use"):
        build.menu("# Manual\n\n## Start\n\n- [A](a.md): b\n\n## Use\n\n")


def test_pages_of_docstrings(build):
    pages = dict(build.api_pages())
    assert pages.keys() == {*build.API, "index"}
    for name in "SataRecorder", "Configuration", "verilog":
        assert f":: sata_recorder.{name}\n" in pages["sata_recorder"]
    for module in build.API:
        assert import_module(module).__doc__ and module in pages["index"]


def test_source_of_the_site(build, tmp_path):
    """The pages as they are, but for the menu of the first one; what they link to is beside them."""
    build.stage(tmp_path / "source")
    for name in "docs/verilog.md", "CONTRIBUTING.md", "examples/verilog_recorder.v":
        assert (tmp_path / "source" / name).read_text() == (ROOT / name).read_text()
    assert (tmp_path / "source/README.md").read_text().startswith((ROOT / "README.md").read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_what_the_site_has(build, page):
    """A link to a file that is in the repository, but not in the site, is a warning of Sphinx."""
    copied = [ROOT / name for name in build.COPIED]
    assert [file for file, _ in links(page) if not any(file.is_relative_to(one) for one in copied)] == []


def test_parameters_of_docstrings(docstrings):
    """The meaning goes below its parameter, with its further lines; others stay."""
    text = ["Parameters", "----------", "a, b : int    The first", "              and more.", "c : bool",
            "    As it is."]
    assert list(docstrings.parameters(text)) == [
        "Parameters", "----------", "a, b : int", "    The first", "    and more.", "c : bool", "    As it is."]


def test_tables_of_docstrings(docstrings):
    text = ["before", "", "| a | b |", "| --- | --- |", "| 1 |  |", "", "after"]
    assert [line.strip() for line in docstrings.tables(text) if line.strip()] == [
        "before", ".. list-table::", ":header-rows: 1", "* - a", "- b", "* - 1", "-", "after"]


def test_examples_of_docstrings(docstrings):
    assert list(docstrings.examples(["An example.", "", "    a = 1", "    b = 2", "", "After."])) == [
        "An example.", "", "::", "", "    a = 1", "    b = 2", "", "After."]
    assert list(docstrings.examples(["- a", "", "    more of a"])) == ["- a", "", "    more of a"]


def test_weights_of_a_search(monkeypatch):
    """A word that few pages have counts more, and one in a short page more than one in a long one."""
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs/site"))
    weights = import_module("relevance").weights
    found = weights({"a": Counter(rare=1, often=1), "b": Counter(often=1), "c": Counter(often=1, more=50)})
    assert found["a"]["rare"] > found["a"]["often"]
    assert found["b"]["often"] > found["c"]["often"]
