"""Both distributions as wheels, unpacked where nothing else of the repository is."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: What a distribution is built from.
SOURCES = "pyproject.toml", "README.md", "LICENSE", "src", "platforms", "models"
PROGRAM = "from sata_recorder.cli.main import main; main()"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """A folder with the packages of both wheels."""
    tree, folder = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("packages")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name,
                            ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
        else:
            shutil.copy(ROOT / name, tree)
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
                    "--no-index", "--wheel-dir", tree / "wheels", tree / "models", tree], check=True)
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


@pytest.mark.parametrize("arguments", [
    ("measure", "--sectors", "8", "--drive", "x25-e"), ("plan", "--rate", "100MB/s", "--for", "1h", "--no-check"),
    ("verilog", "--config", "minimal", "-o", "core.v"),
    ("drives",),
    ("prepare", "drive.img", "--size", "64MiB", "--recordings", "2")], ids=lambda arguments: arguments[0])
def test_a_verb(recorder, arguments):
    """Each needs files that are no Python: headers for the compiler, profiles, configurations."""
    done = recorder(*arguments)
    assert done.returncode == 0, done
