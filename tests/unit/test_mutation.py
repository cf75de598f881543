"""The mutation run: what mistakes it makes, how it judges them, what it reports."""

import ast
import json
import os
import subprocess
import sys
import tomllib
from types import SimpleNamespace

import pytest
from benchmark_modules import BENCHMARKS, importing_benchmarks
from short import short


SOURCE = '''"""A component."""
LIMIT = 5


class Gate:
    def __init__(self):
        self.width = 7

    def elaborate(self, platform):
        m = Module()
        with m.If(a == 3):
            m.d.sync += [b.eq(~c), d.eq(e & f)]
        with m.FSM():
            with m.State("ONE"):
                m.next = "TWO"
            with m.State("TWO"):
                m.d.comb += g.eq(Mux(h, i, j.any()))
        return m
'''


@pytest.fixture(scope="module")
def tool():
    """The modules of the mutation run."""
    with importing_benchmarks():
        import mutants
        import mutation
        import mutation_report
        import mutation_run
    return SimpleNamespace(mutants=mutants, mutation=mutation, report=mutation_report,
                           run=mutation_run)


def test_what_judges_is_there(tool):
    """All unit tests of a layer, those of the mutant's file first; and the later stages."""
    for layer in tool.run.LAYERS:
        assert tool.run.unit_tests(layer, "no_such_file") == [f"tests/unit/core/{layer}"]
        stages = [tests for _, tests in tool.run.later_stages([layer], last=True)]
        for tests in [tool.run.unit_tests(layer), *stages]:
            assert [name for name in tests if name.startswith("tests/") and not (tool.run.ROOT / name).exists()] == []
    assert tool.run.unit_tests("recorder", "meters") == [
        "tests/unit/core/recorder/test_meters.py", "tests/unit/core/recorder"]


def test_the_file_of_the_mutant_comes_first(tool):
    """Whatever order pytest has found the tests in; all others keep theirs."""
    names = ["recorder/test_buffers.py::test_b", "recorder/test_buffers.py::test_a", "recorder/test_meters.py::test_b",
             "recorder/test_meters.py::test_a", "recorder/test_queue.py::test_a"]
    items = [SimpleNamespace(nodeid=f"tests/unit/core/{name}") for name in names]
    plugin = tool.run.JudgingPlugin(tool.run.unit_tests("recorder", "meters"))
    plugin.pytest_collection_modifyitems(items)
    assert [item.nodeid.removeprefix("tests/unit/core/") for item in items] == [*names[2:4], *names[:2], names[4]]


def test_mistakes(tool):
    """All of those that the documentation names, and none outside of what describes hardware."""
    found = {(mutant.kind, mutant.old, mutant.new)
             for mutant in tool.mutants.mutants("gate.py", SOURCE)}
    assert found == {
        ("condition", "a == 3", "(a == 3) == 0"), ("condition", "a == 3", "0"),
        ("condition", "a == 3", "1"), ("comparison", "a == 3", "a != 3"),
        ("constant", "3", "2"), ("constant", "3", "4"),
        ("assignment", "b.eq(~c)", "[]"), ("negation", "~c", "c"),
        ("assignment", "d.eq(e & f)", "[]"), ("operator", "e & f", "(e | f)"),
        ("state", 'm.next = "TWO"', "pass"), ("state", 'm.next = "TWO"', 'm.next = "ONE"'),
        ("assignment", "g.eq(Mux(h, i, j.any()))", "[]"),
        ("choice", "Mux(h, i, j.any())", "Mux(h, j.any(), i)"),
        ("reduction", "j.any()", "j.all()"),
    }


def test_operands_stay_whole(tool):
    """Parentheses are not part of an operand: what becomes another operator needs them again."""
    source = "def elaborate(self):\n    m.d.comb += a.eq(b & (c >= d) | ~(e + f) | (~g).all())\n"
    found = {mutant.new for mutant in tool.mutants.mutants("gate.py", source)
             if mutant.kind in ("operator", "negation", "reduction")}
    assert found == {"((b & (c >= d) | ~(e + f)) & (~g).all())", "((b & (c >= d)) & ~(e + f))",
                     "(b | (c >= d))", "(e + f)", "(e - f)", "(~g).any()", "g"}


def test_mistakes_are_changes(tool):
    """Each is one change, at the place it names, after which the file is Python still."""
    for mutant in tool.mutants.mutants("gate.py", SOURCE):
        changed = mutant.apply(SOURCE)
        ast.parse(changed)
        assert SOURCE[mutant.start:mutant.end] == mutant.old != mutant.new
        assert changed == SOURCE[:mutant.start] + mutant.new + SOURCE[mutant.end:]
        assert SOURCE.splitlines()[mutant.line - 1].strip() == mutant.text
        assert SOURCE[:mutant.start].count("\n") == mutant.line - 1


def test_sample(tool):
    """The same for the same seed; each layer has its own mutants, and all of them compile."""
    link = tool.mutation.catalogue(["link"], 1)
    both = tool.mutation.catalogue(["link", "transport"], 1)
    assert list(link) == [name for name in both if name in link]
    assert list(link) == list(tool.mutation.catalogue(["link"], 1))
    assert list(link) != list(tool.mutation.catalogue(["link"], 2))
    assert {mutant.path.partition("/")[0] for mutant in both.values()} == {"link", "transport"}
    for mutant in link.values():
        ast.parse(mutant.apply((tool.run.CORE / mutant.path).read_text()))


JUDGE = """
import json, sys
from mutants import Mutant
from mutation_run import CORE, Workplace

layer, path, changes = "transport", "transport/fis_sender.py", json.loads(sys.argv[1])
source = (CORE / path).read_text()
with Workplace() as place:
    original = place.netlist(layer)
    assert original
    for old, new in changes:
        assert source.count(old) == 1, old
        start = source.index(old)
        mutant = Mutant(path, 1, start, start + len(old), "", old, new, old)
        print(json.dumps(place.judge(mutant, original)))
    assert place.netlist(layer) == original
"""


REACH = """
import sys
from mutation import catalogue
from mutation_run import LAYERS, Workplace

layer = sys.argv[1]
with Workplace() as place:
    original = place.netlist(layer)
    unseen = {}
    for mutant in catalogue([layer], 1).values():
        if mutant.kind == "assignment" and unseen.get(mutant.path, True):
            path = place.folder / "src/sata_recorder/core" / mutant.path
            source = path.read_text()
            path.write_text(mutant.apply(source))
            unseen[mutant.path] = place.netlist(layer) == original
            path.write_text(source)
    print(*(path for path, nothing in unseen.items() if nothing))
"""


@pytest.mark.wide
@pytest.mark.parametrize("layer", short(
    ["link", "transport", "command", "sequencer", "recorder"], ["command"]))
def test_each_file_is_in_the_netlists(layer):
    """Or else its mutants would all pass for equivalent."""
    done = subprocess.run([sys.executable, "-c", REACH, layer], text=True, capture_output=True,
                          env=os.environ | {"PYTHONPATH": str(BENCHMARKS)})
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


@pytest.mark.long
def test_verdicts():
    """A mistake that cannot be elaborated, two that change nothing, one that a test notices."""
    changes = [("skid = Skid(32)", "skid = Skid(None)"),
               ("skid = Skid(32)", "skid = Skid(32 + 0)"),
               ("kept_next.eq(Mux(flush, 0, kept", "kept_next.eq(Mux(~flush == 0, 0, kept"),
               ("tries.eq(tries - 1)", "tries.eq(tries - 2)")]
    # In a process that has not imported the gateware.
    done = subprocess.run([sys.executable, "-c", JUDGE, json.dumps(changes)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=os.environ | {"PYTHONPATH": str(BENCHMARKS)})
    assert done.returncode == 0, done.stderr
    stillborn, same, proved, killed = map(json.loads, done.stdout.splitlines())
    assert stillborn["verdict"] == "stillborn"
    assert same["verdict"] == proved["verdict"] == "equivalent"
    assert (killed["verdict"], killed["stage"]) == ("killed", "unit")
    assert killed["by"].startswith("tests/unit/core/transport/test_fis_sender.py::test_register_fis")


def entry(path, verdict, line=1, **fields):
    return {"path": path, "verdict": verdict, "line": line, "old": "a & b", "new": "(a | b)",
            "text": "x.eq(a & b)", "stage": "unit", "seconds": 1} | fields


def test_scores(tool):
    """Stillborn and equivalent mutants do not count."""
    header, *lines = tool.report.rows([
        entry("link/a.py", "killed"), entry("link/a.py", "stillborn"),
        entry("link/a.py", "killed"), entry("link/b.py", "survived"),
        entry("command/c.py", "equivalent")])
    assert header == ["layer", "mutants", "stillborn", "equivalent", "counted", "killed",
                      "survived", "explained", "score"]
    assert lines == [["link", 4, 1, 0, 3, 2, 1, 0, "66.7 %"], ["command", 1, 0, 1, 0, 0, 0, 0, "-"],
                     ["all", 5, 1, 1, 3, 2, 1, 0, "66.7 %"]]


def test_explanations(tool, tmp_path, monkeypatch):
    """They count for that very change of that very line, and only if it survived."""
    notes = tmp_path / "notes.toml"
    notes.write_text('[[note]]\npath = "link/a.py"\ntext = "x.eq(a & b)"\nold = "a & b"\n'
                     'new = "(a | b)"\nwhy = "because"\n')
    monkeypatch.setattr(tool.report, "NOTES", notes)
    assert tool.report.explained(entry("link/a.py", "survived")) == "because"
    for other in (entry("link/b.py", "survived"), entry("link/a.py", "survived", new="0"),
                  entry("link/a.py", "survived", text="y.eq(a & b)"), entry("link/a.py", "killed")):
        assert tool.report.explained(other) == ""
    _, line, _ = tool.report.rows([entry("link/a.py", "survived")])
    assert line == ["link", 1, 0, 0, 1, 0, 1, 1, "0.0 %"]


@pytest.mark.parametrize("others, wanted", [
    ([], "0 of 0 killed."), (["killed"], "1 of 1 killed, 100.0 %."), (["stillborn", "equivalent"], "0 of 0 killed."),
    (["killed", "killed", "survived"], "2 of 3 killed, 66.7 %."), (["survived"], "0 of 1 killed, 0.0 %.")])
def test_the_score_without_what_is_explained(tool, monkeypatch, others, wanted):
    """All other survivors count."""
    monkeypatch.setattr(tool.report, "explained", lambda entry: "because" if entry["path"] == "link/a.py" else "")
    results = [entry("link/a.py", "survived"), *(entry("link/b.py", verdict) for verdict in others)]
    assert tool.report.of_the_others(results) == f"Without the survivors that are explained: {wanted}"


def test_last_result_counts(tool, tmp_path):
    store = tmp_path / "store.jsonl"
    assert tool.mutation.stored(store) == {}
    store.write_text('{"name": "x", "verdict": "survived"}\n{"name": "y", "verdict": "killed"}\n'
                     '{"name": "x", "verdict": "killed"}\n')
    assert {name: found["verdict"] for name, found in tool.mutation.stored(store).items()} == {
        "x": "killed", "y": "killed"}


def test_notes_are_about_the_source(tool):
    """Whatever is said of a survivor is said of one mutant, and of no other one."""
    everything = tool.mutation.catalogue(list(tool.run.LAYERS), 1).values()
    for note in tomllib.loads(tool.report.NOTES.read_text()).get("note", []):
        found = [mutant for mutant in everything if tool.report.about(note, mutant._asdict())]
        assert len(found) == 1 and note["why"], note
