"""Both distributions as wheels, unpacked where nothing else of the repository is."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from sata_recorder import __version__

ROOT = Path(__file__).resolve().parents[2]
#: What a distribution is built from.
SOURCES = "pyproject.toml", "README.md", "LICENSE", "src", "platforms", "models"
PROGRAM = "from sata_recorder.cli.main import main; main()"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of what both are built from, with their wheels in `wheels`."""
    tree = tmp_path_factory.mktemp("tree")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name,
                            ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
        else:
            shutil.copy(ROOT / name, tree)
    wheels_of(tree / "wheels", tree / "models", tree)
    return tree


def wheels_of(folder, *sources):
    """Makes the wheels of these folders, or sdists, in ``folder``."""
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
                    "--no-index", "--wheel-dir", folder, *sources], check=True)


@pytest.fixture(scope="module")
def unpacked(tree, tmp_path_factory):
    """A folder with the packages of both wheels."""
    folder = tmp_path_factory.mktemp("packages")
    wheels = sorted((tree / "wheels").glob("*.whl"))
    assert [wheel.name.split("-")[0] for wheel in wheels] == ["sata_drive_model", "sata_recorder"]
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    return folder


@pytest.fixture
def recorder(unpacked, tmp_path):
    """`recorder("measure", ...)` in an empty folder, of the unpacked packages: the finished process."""
    def recorder(*arguments, program=PROGRAM):
        return subprocess.run([sys.executable, "-c", program, *arguments], cwd=tmp_path, text=True,
                              capture_output=True, env=os.environ | {"PYTHONPATH": str(unpacked)})
    return recorder


def test_they_are_the_unpacked_ones(recorder, unpacked):
    names = "sata_recorder", "sata_recorder_platforms", "sata_drive_model"
    found = recorder(program=f"import {', '.join(names)}; print({', '.join(f'{name}.__file__' for name in names)})")
    assert [Path(path).parents[1] for path in found.stdout.split()] == 3 * [unpacked], found


@pytest.mark.wide
@pytest.mark.sample(6)
@pytest.mark.parametrize("arguments", [
    ("measure", "--sectors", "8", "--drive", "x25-e"), ("plan", "--rate", "100MB/s", "--for", "1h", "--no-check"),
    ("verilog", "--config", "minimal", "-o", "core.v", "--bench", "sim"),
    ("drives",),
    ("prepare", "drive.img", "--size", "64MiB", "--recordings", "2")], ids=lambda arguments: arguments[0])
def test_a_verb(recorder, arguments):
    """Each needs files that are no Python: headers for the compiler, profiles, configurations."""
    done = recorder(*arguments)
    assert done.returncode == 0, done


def contents(folder):
    """Path to content of each file in the wheels of ``folder``, without their lists of files."""
    found = {}
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            found |= {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}
    return found


@pytest.mark.long
def test_sdists(tree, tmp_path):
    """A wheel that is made of an sdist is that of the tree. Long: four builds."""
    for source in tree / "models", tree:
        program = f"from hatchling import build; build.build_sdist({str(tmp_path)!r})"
        subprocess.run([sys.executable, "-c", program], cwd=source, check=True, capture_output=True)
    sdists = sorted(tmp_path.glob("*.tar.gz"))
    assert [sdist.name.rpartition("-")[0] for sdist in sdists] == ["sata_drive_model", "sata_recorder"]
    wheels_of(tmp_path / "wheels", *sdists)
    mine, theirs = contents(tmp_path / "wheels"), contents(tree / "wheels")
    assert mine.keys() == theirs.keys()
    assert [name for name in mine if mine[name] != theirs[name]] == []


@pytest.mark.long
def test_every_extra_can_be_installed(tree):
    """pip finds packages for all extras together, in the ranges of the wheel. Long: it asks a registry."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    result = subprocess.run([sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet",
                             "--find-links", tree / "wheels", "--report", tree / "report.json",
                             f"sata-recorder[{','.join(extras)}]=={__version__}", "sata-drive-model[cocotb]"],
                            text=True, capture_output=True)
    assert result.returncode == 0, result.stderr
    chosen = {one["metadata"]["name"].lower(): one for one in json.loads((tree / "report.json").read_text())["install"]}
    for name in "sata-recorder", "sata-drive-model":
        assert chosen[name]["download_info"]["url"].startswith(f"file://{tree}")
    assert len(chosen) > 100
