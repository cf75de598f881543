"""What the documentation quotes is what its commands print; one that fails is no quotation."""

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


@pytest.mark.parametrize("commands, words", [
    ("$ cat missing\n", "status 1"), ("$ cat missing | tail -1\n", "status 1"),
    ("$ cat missing 2>/dev/null | tail -1\n", "status 1"),
    ("$ true\nold\n", "nothing was printed"), ("$ seq 2 > a\n$ true\n", "nothing was printed"),
])
def test_failures(updated, commands, words):
    with pytest.raises(SystemExit, match=words):
        updated(commands)
