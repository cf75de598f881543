"""The timing diagrams of the manual are what the simulation gives, and each is on a page."""

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/timing"


@pytest.fixture(scope="module")
def diagrams():
    pytest.importorskip("wavedrom")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        yield import_module("timing_diagrams")


@pytest.mark.wide
def test_diagrams_are_what_the_simulation_gives(diagrams):
    """WaveJSON and pictures; seven cores are elaborated for all of them."""
    made = {one.name: diagrams.text_of(data) for one, data in diagrams.traced()}
    assert {path.stem for path in FOLDER.iterdir()} == made.keys()
    for name, text in made.items():
        again = f"run benchmarks/timing_diagrams.py {name}"
        assert (FOLDER / f"{name}.json").read_text() == text, again
        assert (FOLDER / f"{name}.svg").read_text() == diagrams.picture(text), again


def test_each_diagram_is_on_a_page():
    pages = "".join(path.read_text() for path in (ROOT / "docs").glob("*.md"))
    shown = re.findall(r"^!\[[^\]]+\]\(timing/([\w-]+)\.svg\)$", pages, re.MULTILINE)
    assert sorted(shown) == sorted(path.stem for path in FOLDER.glob("*.svg"))


@pytest.mark.parametrize("columns, clocks", [
    ("abc", [0, 1, 2]), ("aab", [0, 1, 2]), ("aaab", [0, 1, 2, 3]), ("aaaab", [0, 1, None, 4]),
    ("aaaaabbbbbc", [0, 1, None, 5, 6, None, 10])])
def test_clocks_that_are_drawn(diagrams, columns, clocks):
    """Where nothing changes there is a gap, unless it would stand for one clock only."""
    assert diagrams.kept([*columns]) == clocks


def test_waves(diagrams):
    assert diagrams.wave("a", [0, 0, 1, None, "X", "X", "Y"], [0, None, 2, 3, 4, 5, 6]) == {
        "name": "a", "wave": "0|1x=.=", "data": ["X", "Y"]}


def test_bytes_of_the_diagrams(diagrams):
    """Whoever reads the bytes of a word from bit 0 on reads what is on the disk."""
    for name, width in ("bytes", 4), ("packing", 2):
        rows = {row.get("name"): row for row in json.loads((FOLDER / f"{name}.json").read_text())["signal"]}
        words, found = rows["s_axis_tdata"]["data"], rows["on the disk"]["data"]
        assert len(words) == len(found) > 4
        for word, text in zip(words, found):
            assert int(word, 16).to_bytes(width, "little") == bytes.fromhex(text)


def test_lengths_of_lines(diagrams):
    """A line ends with its s_axis_tlast, and is as long in the log as the beats that it was given."""
    rows = {row.get("name"): row for row in json.loads((FOLDER / "lines.json").read_text())["signal"]}
    kept, found = (iter(rows[name]["data"]) for name in ("s_axis_tkeep", "in the log"))
    beats, valid = 0, "0"
    for valid_wave, last in zip(rows["s_axis_tvalid"]["wave"], rows["s_axis_tlast"]["wave"]):
        valid = valid if valid_wave == "." else valid_wave
        beats += valid == "1"
        if last == "1":
            assert int(next(found)) == 4 * (beats - 1) + next(kept).count("1")
            beats = 0
    assert not beats and next(found, None) is None


def test_packets_of_the_diagram():
    """A packet ends with its s_axis_tlast, and a PC reads it as the words up to there."""
    rows = {row.get("name"): row for row in json.loads((FOLDER / "packets.json").read_text())["signal"]}
    words, found = iter(map(int, rows["s_axis_tdata"]["data"])), iter(rows["in the frames"]["data"])
    valid, packet = "0", []
    for valid_wave, last in zip(rows["s_axis_tvalid"]["wave"], rows["s_axis_tlast"]["wave"]):
        valid = valid if valid_wave == "." else valid_wave
        packet += [next(words)] if valid == "1" else []
        if last == "1":
            assert next(found) == f"{packet[0]} to {packet[-1]}"
            packet = []
    assert not packet and next(found, None) is None
