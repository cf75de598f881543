"""The house stays one that a newcomer finds his way in: small rooms, short files, plain wiring.

`rooms.py` states which room may use which; this is about their sizes and their insides.
"""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"src": "sata_recorder", "models": "sata_drive_model",
            "platforms": "sata_recorder_platforms"}
SUFFIXES = (".py", ".pxd", ".cc", ".h", ".html", ".css", ".js", ".toml")

FILE_LINES = 400
FUNCTION_LINES = 120
PARAMETERS = 8
#: Share of all lines that one room may have.
ROOM_SHARE = 1 / 6


def sources(*suffixes):
    """All files of the packages with these endings, relative to the repository."""
    for folder, package in PACKAGES.items():
        for path in sorted((ROOT / folder / package).rglob("*")):
            if path.suffix in suffixes and "__pycache__" not in path.parts:
                yield path.relative_to(ROOT)


def lines(path):
    return len((ROOT / path).read_text().splitlines())


def room(path):
    """The sub-package in which a file lies; files beside the rooms are one room together."""
    return "/".join(path.parts[1:3] if len(path.parts) > 3 else path.parts[1:2])


def functions(path):
    """Name with its class of each function of a file, and its node."""
    def walk(node, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                name = f"{prefix}{child.name}"
                if not isinstance(child, ast.ClassDef):
                    yield name, child
                yield from walk(child, f"{name}.")
            else:
                yield from walk(child, prefix)
    return walk(ast.parse((ROOT / path).read_text()), "")


def computed_names(source):
    """Lines of calls of getattr or setattr whose name is not written out."""
    return [node.lineno for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "setattr")
            and not isinstance(node.args[1], ast.Constant)]


def test_rooms():
    sizes = Counter()
    for path in sources(*SUFFIXES):
        sizes[room(path)] += lines(path)
    limit = ROOM_SHARE * sizes.total()
    del sizes["sata_recorder/core"]
    assert len(sizes) > 20
    assert {name: size for name, size in sizes.items() if size > limit} == {}, "only the core may be larger"


def test_files():
    assert {str(path): lines(path) for path in sources(".py", ".pxd", ".cc", ".h")
            if lines(path) > FILE_LINES} == {}


def test_functions():
    assert {f"{path}:{name}": length for path in sources(".py") for name, node in functions(path) if (
                length := node.end_lineno - node.lineno + 1) > FUNCTION_LINES} == {}


def parameters(node):
    """The names of what a function is called with, but for its object."""
    every = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
    return [argument.arg for argument in every if argument.arg not in ("self", "cls")]


def test_parameters():
    """What travels together is a part, a Signature or a frozen object. The drive model's drive has options instead."""
    assert {f"{path}:{name}": count for path in sources(".py") if path.parts[0] != "models"
            for name, node in functions(path) if (count := len(parameters(node))) > PARAMETERS} == {}


@pytest.mark.parametrize("source, found", [
    ("def f(self, a, /, b, *, c=1, **d): pass", "abc"), ("async def f(cls, *a, b): pass", "b"), ("def f(): pass", "")])
def test_parameters_are_found(source, found):
    assert parameters(ast.parse(source).body[0]) == [*found]


def test_no_name_is_computed():
    """What travels together is a Signature, not a list of names."""
    found = [f"{path}:{line}" for path in sources(".py") if path.parts[0] == "src"
             or path.parts[0] == "platforms"
             for line in computed_names((ROOT / path).read_text())]
    assert [place.partition(":")[0] for place in found] == [
        "src/sata_recorder/__init__.py", *2 * ["src/sata_recorder/bricks/stage.py"],
        "src/sata_recorder/cli/verbs.py", "src/sata_recorder/interface/face.py"], (
            "two load by name, lazily; two find the member that a group is")


@pytest.mark.parametrize("source, found", [
    ("getattr(a, name)", [1]), ("x = 1\nsetattr(a, f'{b}', 1)", [2]), ("getattr(a, 'b', None)", []),
    ("a.getattr(b, c)", [])])
def test_computed_names_are_found(source, found):
    assert computed_names(source) == found


#: What users call from Python. mypy checks the bodies of functions with types only.
TYPED = ("facts", "interface", "export", "lab/access", "lab/measurement", "lab/plan", "lab/sweep", "lab/wear", "pc")


def untyped(source, offered=None):
    """Lines of public functions and methods with a parameter, or a result, without a type; only those of the names
    ``offered``, if there are any."""
    def walk(node, names):
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            if child.name.startswith("_") and child.name != "__init__" or names is not None and child.name not in names:
                continue
            if isinstance(child, ast.ClassDef):
                yield from walk(child, None)
            elif child.returns is None or any(
                    argument.annotation is None for argument in ast.iter_child_nodes(child.args)
                    if isinstance(argument, ast.arg) and argument.arg not in ("self", "cls")):
                yield child.lineno
    return list(walk(ast.parse(source), offered))


@pytest.mark.parametrize("folder", TYPED)
def test_what_users_call_has_types(folder):
    root = ROOT / "src/sata_recorder" / folder
    # Of a measurement there is more than users call.
    offered = ast.literal_eval((root / "__init__.py").read_text().partition("__all__ = ")[2]) \
        if folder == "lab/measurement" else None
    assert [f"{path.relative_to(root)}:{line}" for path in sorted(root.rglob("*.py"))
            for line in untyped(path.read_text(), offered)] == []


@pytest.mark.parametrize("source, found", [
    ("def f(a): pass", [1]), ("def f(a: int): pass", [1]), ("def f(a: int, *b) -> int: pass", [1]),
    ("class A:\n def f(self, a: int) -> int: pass\n def _g(self): pass", []), ("class A:\n def f(self): pass", [2])])
def test_functions_without_types_are_found(source, found):
    assert untyped(source) == found
    assert untyped(source, ["other"]) == []


def reached(source):
    """The private names that ``source`` takes of other objects; those of `namedtuple` are public."""
    return [node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)
            and node.attr.startswith("_") and not node.attr.endswith("__")
            and node.attr not in ("_asdict", "_fields", "_make", "_replace")
            and getattr(node.value, "id", "") not in ("self", "cls")
            and getattr(getattr(node.value, "func", None), "id", "") != "super"]


def test_quick_is_in_a_wide_module():
    """The mark does nothing elsewhere."""
    texts = {path: path.read_text() for path in (ROOT / "tests").rglob("test_*.py")}
    marked = {path for path, text in texts.items() if "\n@pytest.mark.quick\n" in text}
    assert marked
    assert [path.name for path in marked if "\npytestmark = pytest.mark.wide\n" not in texts[path]
            and "\npytestmark = [pytest.mark.wide," not in texts[path]] == []


def test_no_mark_comes_twice():
    twice = re.compile(r"^(@pytest\.mark\.\w+)\n(?:@.*\n)*?\1$", re.M)
    assert [path.name for path in (ROOT / "tests").rglob("*.py") if twice.search(path.read_text())] == []


def test_tests_reach_no_private_names():
    """What a test needs of an object is public, or the test goes through what is."""
    found = {f"{path.relative_to(ROOT)}:{name}" for path in sorted((ROOT / "tests").rglob("*.py"))
             for name in reached(path.read_text())}
    assert found <= {
        # Amaranth has no public way to what a statement drives, and to a row of a memory.
        "tests/unit/owners.py:_lhs_signals", "tests/unit/bricks/test_stack.py:_lhs_signals",
        "tests/unit/compiled_bench.py:_memory", "tests/unit/compiled_bench.py:_index",
        "tests/unit/lab/sweep/fake.py:_exit",       # that of the module `os`
    }


@pytest.mark.parametrize("source, found", [
    ("self._a + b._c", ["_c"]), ("super()._a()", []), ("a.__init__; a._replace(b=1)", []), ("a()._b = 1", ["_b"])])
def test_private_names_are_found(source, found):
    assert reached(source) == found


def imports():
    """Module to the modules of its package that it imports when it is loaded."""
    paths = list(sources(".py"))
    modules = {}
    for path in paths:
        parts = path.with_suffix("").parts[1:]
        modules[parts[:-1] if parts[-1] == "__init__" else parts] = path
    graph = {module: set() for module in modules}
    for module, path in modules.items():
        inside = path.name == "__init__.py"
        for node in ast.parse((ROOT / path).read_text()).body:
            if not isinstance(node, ast.ImportFrom):
                continue
            base = module[:len(module) - node.level + inside] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            for alias in node.names:
                target = base + (alias.name,) if base + (alias.name,) in modules else base
                if target in modules and target != module:
                    graph[module].add(target)
    return graph


def test_no_import_circles():
    graph = imports()
    assert sum(map(len, graph.values())) > 300
    done, path = set(), []

    def visit(module):
        assert module not in path, " -> ".join(map(".".join, [*path, module]))
        if module not in done:
            path.append(module)
            for target in sorted(graph[module]):
                visit(target)
            done.add(path.pop())

    for module in graph:
        visit(module)
