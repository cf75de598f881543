"""What the documentation quotes is what its commands print; one that fails is no quotation."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def updated(monkeypatch, tmp_path):
    """`updated(commands)`: a block of these lines after its commands have run."""
    monkeypatch.syspath_prepend(str(FOLDER))
    docs = pytest.importorskip("docs")
    return lambda lines: docs.updated(f"```console\n{lines}```\n", tmp_path, [None])


def test_output(updated):
    assert updated("$ seq 2 > a\n$ cat a | tail -1\nold\n") == \
        "```console\n$ seq 2 > a\n$ cat a | tail -1\n2\n```\n"


def test_times(monkeypatch, tmp_path):
    """A time below a block is measured again where it is asked for, and else stays."""
    monkeypatch.syspath_prepend(str(FOLDER))
    docs = pytest.importorskip("docs")
    text = "```console\n$ echo a\nold\n```\n*Takes 5 min.*\nmore\n"
    assert docs.updated(text, tmp_path, [None]) == text.replace("old", "a")
    again = docs.updated(text, tmp_path, [None], timed=True)
    assert re.fullmatch(r"```console\n\$ echo a\na\n```\n\*Takes [0-9.]+ s\.\*\nmore\n", again)
    new = docs.updated(text.replace("*Takes 5 min.*\n", ""), tmp_path, [None], timed=True)
    assert re.fullmatch(r"(?s)```console.*```\n\*Takes [0-9.]+ s\.\*\nmore\n", new)


def test_table_of_times(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    times = pytest.importorskip("times")
    text = "a\n<!-- times:begin -->\n<!-- times:end -->\nb\n"
    one = times.with_row(text, "make slow", 130)
    two = times.with_row(times.with_row(one, "make fast", 0.04), "make slow", 61.4)
    assert "| `make slow` | 2 min |" in one and "cores" in one
    assert "| `make slow` | 61 s |\n| `make fast` | 0.1 s |\n<!-- times:end -->\nb\n" in two
    assert times.with_row(two) == two
    assert times.with_row("no place") is None


@pytest.mark.parametrize("commands, words", [
    ("$ cat missing\n", "status 1"), ("$ cat missing | tail -1\n", "status 1"),
    ("$ cat missing 2>/dev/null | tail -1\n", "status 1"),
    ("$ true\nold\n", "nothing was printed"), ("$ seq 2 > a\n$ true\n", "nothing was printed"),
])
def test_failures(updated, commands, words):
    with pytest.raises(SystemExit, match=words):
        updated(commands)


def test_what_was_made_stays(monkeypatch, tmp_path):
    """After each block the page is there, with what the blocks so far have printed."""
    monkeypatch.syspath_prepend(str(FOLDER))
    docs = pytest.importorskip("docs")
    kept = []
    text = "```console\n$ echo a\nold\n```\n\n```console\n$ false\nold\n```\n"
    with pytest.raises(SystemExit, match="`false` ended with status 1"):
        docs.updated(text, tmp_path, [None], keep=lambda page, block: kept.append((page, block)))
    block = "```console\n$ echo a\na\n```"
    assert kept == [(text.replace("```console\n$ echo a\nold\n```", block), block)]
