"""What the distributions require, and what a verb reports where an extra of it is not installed."""

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from short import short

from sata_recorder import extras
from sata_recorder.cli.verbs import cli
from sata_recorder.simulation import drive_package

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = {folder: tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
            for folder in (".", "models")}
OWN = {project["name"] for project in PROJECTS.values()}

#: What is imported under another name than its distribution's, or comes with another one.
DISTRIBUTION = {"serial": "pyserial", "cocotb_tools": "cocotb", "find_libpython": "cocotb",
                "markupsafe": "jinja2"}

PINS = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines()
            if not line.startswith("#"))
PINS = {canonicalize_name(name): version for name, version in PINS.items()}


def distribution(package):
    return DISTRIBUTION.get(package, canonicalize_name(package))


def names(requirements):
    return {canonicalize_name(Requirement(text).name) for text in requirements}


REQUIREMENTS = [
    pytest.param(Requirement(text), id=f"{folder}-{extra}-{Requirement(text).name}")
    for folder, project in PROJECTS.items()
    for extra, texts in {"": project["dependencies"], **project["optional-dependencies"]}.items()
    for text in texts]


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_range(requirement):
    assert sorted(one.operator for one in requirement.specifier) == ["<", ">="]
    if requirement.name not in OWN:
        pin = PINS[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(pin), f"constraints.txt has {pin}"
    else:
        version = next(project.get("version") for project in PROJECTS.values()
                       if project["name"] == requirement.name)
        assert requirement.specifier.contains(version)


def test_extras_are_those_of_the_project():
    required = PROJECTS["."]["optional-dependencies"]
    assert set(extras.EXTRAS) == set(required)
    for extra, packages in extras.EXTRAS.items():
        assert set(map(canonicalize_name, packages.values())) <= names(required[extra])
        for name, package in packages.items():
            assert distribution(name) == canonicalize_name(package)


def imported():
    """Pairs of a file and a package that it imports, of neither ours nor the standard library."""
    for folder in ("src", "platforms"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    found = [alias.name for alias in node.names]
                else:
                    found = [node.module] if isinstance(node, ast.ImportFrom) and not node.level \
                        else []
                for name in found:
                    root = name.partition(".")[0]
                    if root not in sys.stdlib_module_names and not root.startswith("sata_"):
                        yield path.relative_to(ROOT), root


def test_each_import_is_required():
    project = PROJECTS["."]
    base = names(project["dependencies"])
    extra = set().union(*map(names, project["optional-dependencies"].values()))
    found = list(imported())
    assert ("amaranth" in (package for _, package in found)) and len(found) > 100
    for path, package in found:
        assert distribution(package) in base | extra, f"{path} imports {package}"


def test_no_hint_names_a_package_index():
    """The distributions are not on an index: nothing states `pip install sata-recorder`."""
    texts = [path for folder in ("src", "models", "platforms", "docs", "examples", "benchmarks")
             for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md")]
    texts += ROOT.glob("*.md")
    assert len(texts) > 200
    for path in texts:
        found = re.search(r"pip install ['\"]?sata-(recorder|drive-model)\b|"
                          r"install ['\"]?sata-recorder\[", path.read_text())
        assert not found, f"{path.relative_to(ROOT)}: {found[0]}"


class Finder:
    """Finds all but the ``hidden`` packages."""

    def __init__(self, finder, hidden):
        self._finder, self._hidden = finder, hidden

    def find_spec(self, name, *rest):
        return None if name.partition(".")[0] in self._hidden else self._finder.find_spec(name, *rest)

    def __getattr__(self, name):
        return getattr(self._finder, name)


def hide(patch, package):
    """As if ``package`` were not installed."""
    patch.setattr(drive_package, "loaded", drive_package.loaded.__wrapped__)      # it may be loaded
    patch.setattr(sys, "meta_path", [Finder(finder, {package}) for finder in sys.meta_path])
    for name in [*sys.modules]:
        if name.partition(".")[0] == package:
            patch.delitem(sys.modules, name)


#: Runs the command line where some packages are not installed.
_SCRIPT = f"""
import sys
{inspect.getsource(Finder)}
hidden = set(sys.argv[1].split(","))
sys.meta_path = [Finder(finder, hidden) for finder in sys.meta_path]
if __name__ == "__main__":
    from sata_recorder.cli.main import main
    main(sys.argv[2:])
"""


def run(folder, hidden, *arguments):
    (folder / "script.py").write_text(_SCRIPT)
    reply = subprocess.run([sys.executable, "script.py", ",".join(hidden), *arguments], cwd=folder,
                           capture_output=True, text=True, timeout=300)
    return reply, sorted(path.name for path in folder.iterdir() if path.name != "script.py")


#: One of each extra.
_TRIED = [
    ("report", "measure --sectors 1 --image disk.img --report r.html"),
    ("sweep", "sweep --size 8 --csv table.csv"), ("console", "console --port /dev/ttyUSB1 status"),
    ("cluster", "sweep --size 8 --csv table.csv --scheduler tcp://127.0.0.1:9"),
    ("panel", "panel --no-browser"), ("build", "build --board ecpix5-85f -o folder"),
    ("fast", "measure --sectors 1 --image disk.img --engine compiled"),
]


@pytest.mark.parametrize("extra, arguments", short([
    ("report", "measure --sectors 1 --image disk.img --report r.html"),
    ("report", "measure --sectors 1 --image disk.img --plots pictures"),
    ("report", "sweep --size 8 --csv table.csv --plot sweep.png"),
    ("report", "reproduce all --json data.json --plot pictures"),
    ("sweep", "sweep --size 8 --csv table.csv"),
    ("cluster", "sweep --size 8 --csv table.csv --scheduler tcp://127.0.0.1:9"),
    ("console", "console --port /dev/ttyUSB1 status"),
    ("panel", "panel --no-browser"),
    ("console", "panel --no-browser"),
    ("console", "qualify --port /dev/ttyUSB1 --erase -o drive.toml"),
    ("build", "build --board ecpix5-85f -o folder"),
    ("fast", "measure --sectors 1 --image disk.img --engine compiled"),
    ("test", "measure --sectors 1 --image disk.img --engine icarus"),
], _TRIED))
def test_refusal(tmp_path, monkeypatch, extra, arguments):
    monkeypatch.chdir(tmp_path)
    for name, package in extras.EXTRAS[extra].items():
        if name == "jinja2":    # Amaranth needs it, too
            continue
        with monkeypatch.context() as patch:
            hide(patch, name)
            reply = CliRunner().invoke(cli, arguments.split())
        if extra == "test" and "Icarus Verilog" in reply.stderr:
            pytest.skip("Icarus Verilog is not installed")
        assert reply.exit_code == 2, reply.stderr
        assert reply.stderr.count("\n") == 1 and extras.hint(extra) in reply.stderr, reply.stderr
        assert package in reply.stderr and not reply.stdout and not [*tmp_path.iterdir()]


@pytest.mark.wide
@pytest.mark.sample(10)
@pytest.mark.parametrize("arguments, files", [
    ("verilog -o core.v --json core.json", ["core.json", "core.v"]),
    ("measure --sectors 1 --json data.json", ["data.json"]),
    ("drives x25-e", []),
    ("reproduce", []),
    ("campaign --runs 1 --jobs 1 --cores single", []),
    ("build --list", []),
    ("sweep --help", []),
    ("console --help", []),
])
def test_without_any_extra(tmp_path, arguments, files):
    hidden = {name for packages in extras.EXTRAS.values() for name in packages} - {"jinja2"}
    reply, found = run(tmp_path, hidden, *arguments.split())
    assert reply.returncode == 0, reply.stderr
    assert found == files
