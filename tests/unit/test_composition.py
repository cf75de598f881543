"""The core composes: each signal has one owner, and no part knows what comes between two commands, or which
stages stand round it."""

import ast

import pytest
from amaranth.hdl import Elaboratable, Module, Signal

from sata_recorder.bricks.stack import STAGES
from sata_recorder.lab.campaign import CORES
from sata_recorder.core.sequencer.between import TABLE
from sata_recorder.core.states import OneHotStates
from sata_recorder.export.top import top
from sata_recorder.interface.configuration import NAMED, Configuration
from unit import owners
from unit.owners import shared_by_files, shared_by_functions

CORE = owners.PACKAGE / "core"
#: Dictionaries of members that only some configurations have, in all of the package.
MOST_CONDITIONAL_MEMBERS = 10
#: Conditions of Python's in the sequencer, which decide what hardware there is.
MOST_CONDITIONS = 14
DESIGNS = {name: Configuration.from_toml(name) for name in NAMED} | CORES | {
    "source": Configuration(source_width=8, source_clock=True, source_waits=False, extents="modes", files=True)}


@pytest.mark.sample(48)
@pytest.mark.parametrize("name", DESIGNS)
def test_one_owner(name):
    component, _ = top(DESIGNS[name])
    assert list(shared_by_files(component)) == []
    assert list(shared_by_functions(component)) == []


def test_two_owners_are_found(tmp_path, monkeypatch):
    """Of two files, and of two functions."""
    (tmp_path / "other.py").write_text("def drive(m, a):\n    m.d.comb += a.eq(1)\n")
    (tmp_path / "part.py").write_text('''
from other import drive
class Part:
    def elaborate(self, platform):
        m = Module()
        one, two, three = Signal(name="one"), Signal(name="two"), Signal(2, name="three")
        m.d.comb += [one.eq(0), two.eq(0), three[0].eq(1)]
        drive(m, one)
        self.more(m, two)
        self.rest(m, three)
        return m
    def more(self, m, two):
        m.d.comb += two.eq(1)
    def rest(self, m, three):
        m.d.comb += three[1].eq(1)
''')
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(owners, "PACKAGE", tmp_path)
    space = {"Module": Module, "Signal": Signal}
    exec(compile((tmp_path / "part.py").read_text(), tmp_path / "part.py", "exec"), space)
    part = type("Part", (Elaboratable, space["Part"]), {})()
    assert list(shared_by_files(part)) == [("", "one", ("other.py", "part.py"))]
    assert list(shared_by_functions(part)) == [("part.py", "one"), ("part.py", "two")]


def test_states_of_a_machine_exclude_each_other(tmp_path, monkeypatch):
    """Functions may assign a signal in different states; in the same one, or outside, they may not."""
    (tmp_path / "machine.py").write_text('''
class Machine:
    def elaborate(self, platform):
        m = Module()
        one, two, three = Signal(name="one"), Signal(name="two"), Signal(name="three")
        states = OneHotStates(m, "FIRST", "SECOND")
        with states.state("FIRST"):
            m.d.comb += [one.eq(1), two.eq(1), three.eq(1)]
            states.enter("SECOND")
        self.more(m, states, one, two, three)
        return m
    def more(self, m, states, one, two, three):
        with states.state("FIRST"):
            m.d.comb += two.eq(0)
        with m.If(states.ongoing("SECOND")):
            m.d.comb += one.eq(1)
        with m.Else():
            m.d.comb += three.eq(1)
''')
    monkeypatch.setattr(owners, "PACKAGE", tmp_path)
    space = {"Module": Module, "Signal": Signal, "OneHotStates": OneHotStates}
    exec(compile((tmp_path / "machine.py").read_text(), tmp_path / "machine.py", "exec"), space)
    part = type("Part", (Elaboratable, space["Machine"]), {})()
    assert list(shared_by_functions(part)) == [("machine.py", "two"), ("machine.py", "three")]


def conditional_members(tree):
    """The expressions in ``tree`` that are members in some configurations only: a dictionary display with an
    `In` or `Out` among its values that is one branch of a conditional expression, and a dictionary
    comprehension with an `if` whose values are an `In` or `Out`."""
    def is_member(value):
        return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("In", "Out")

    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp):
            if any(isinstance(branch, ast.Dict) and any(map(is_member, branch.values))
                   for branch in (node.body, node.orelse)):
                yield node
        elif isinstance(node, ast.DictComp) and is_member(node.value) and any(one.ifs for one in node.generators):
            yield node


def test_few_members_depend_on_the_configuration():
    """A part has the same members in all configurations; those that do not count stay undriven. What has
    others is the face of a core, of a PHY or of what is exported."""
    found = [f"{path.relative_to(owners.PACKAGE)}:{node.lineno}" for path in sorted(owners.PACKAGE.rglob("*.py"))
             for node in conditional_members(ast.parse(path.read_text()))]
    assert len(found) <= MOST_CONDITIONAL_MEMBERS, found


def conditions(tree):
    """The conditions of Python's in ``tree``: what hardware there is follows from them. Not those of hardware, and not
    of what kind something is."""
    for node in ast.walk(tree):
        found = [node.test] if isinstance(node, (ast.If, ast.IfExp)) else getattr(node, "ifs", [])
        for test in found:
            if not (isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance"):
                yield test


def test_an_option_is_known_in_one_place():
    """A part of the sequencer whose trigger never comes folds to nothing: nobody else need ask whether it is there."""
    folder = CORE / "sequencer"
    found = [f"{path.relative_to(folder)}:{test.lineno}: {ast.unparse(test)}" for path in sorted(folder.rglob("*.py"))
             for test in conditions(ast.parse(path.read_text()))]
    assert len(found) <= MOST_CONDITIONS, found


@pytest.mark.parametrize("source, count", [
    ("if self._queued:\n    m.d.comb += a.eq(b)\nelif c:\n    pass", 2), ("a.eq(b if c else d)", 1),
    ("{a: b for a in c if d}", 1), ("with m.If(a):\n    pass", 0), ("if isinstance(a, B):\n    pass", 0)])
def test_conditions_are_found(source, count):
    assert len(list(conditions(ast.parse(source)))) == count


def identifiers(path):
    """The words of the names in a file: those of `trim_due` are `trim` and `due`."""
    tree = ast.parse(path.read_text())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))
              for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {word for name in names for word in name.replace(".", "_").lower().split("_")}


#: FLUSH CACHE is an operation's own end, too, the account of the ledger has its name, and so has a timeout.
EXCEPTED = {"flush"}
PARTS = [CORE / "core.py", *(CORE / "ledger").glob("*.py"), *(CORE / "sequencer/recovery").glob("*.py"),
         *(CORE / f"sequencer/{name}.py" for name in ("operation", "task_file", "silence_timer"))]


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.name)
def test_no_part_knows_an_interjection(path):
    names = {word for kind in TABLE for word in (kind.name, *(
        [kind.group.name] if kind.group else []))} - EXCEPTED
    assert identifiers(path) & names == set()


@pytest.mark.sample(3)
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.row.name)
def test_no_stage_knows_another(stage):
    """Nor does the core know one."""
    folders = {one.row.name: owners.PACKAGE / "bricks" / one.row.name for one in STAGES}
    assert all(folder.is_dir() for folder in folders.values())
    others = {name: folder for name, folder in folders.items() if name != stage.row.name}
    classes = {one.__name__ for one in STAGES if one is not stage}
    for path in folders[stage.row.name].glob("*.py"):
        tree = ast.parse(path.read_text())
        used = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
        modules = {part for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
                   for part in (node.module or "").split(".") if node.level > 1}
        assert not used & classes and not modules & others.keys(), path
    assert not {"bricks"} & {word for path in CORE.rglob("*.py") for word in identifiers(path)}


def test_the_order_of_the_tables_is_stated_once():
    assert len({kind.name for kind in TABLE}) == len(TABLE)
    assert all("_" not in kind.name for kind in TABLE), "the test that nobody knows them takes words"
    assert [kind.on_failure.name for kind in TABLE] == sorted(
        (kind.on_failure.name for kind in TABLE), key="REPEATS GOES_ON".split().index)
