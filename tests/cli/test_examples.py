"""An example that lacks something reports it in one line, whatever its output goes through."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.wide

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "verilog_recorder.py"
WITHOUT = """
import runpy, sys
sys.modules["cocotb"] = None
sys.argv = [{path!r}]
runpy.run_path({path!r}, run_name="__main__")
"""


def refused(arguments, words, **options):
    result = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, **options)
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr.count("\n") == 1 and words in result.stderr, result.stderr


@pytest.mark.quick
def test_without_cocotb():
    refused(["-c", WITHOUT.format(path=str(EXAMPLE))], "needs the package cocotb")


def test_without_icarus(tmp_path):
    refused([str(EXAMPLE)], "needs Icarus Verilog", env={**os.environ, "PATH": str(tmp_path)})


@pytest.mark.parametrize("line, words", [
    ("litex/simulated.py nosuch.py", "nosuch.py: there is no such file"),
    ("recorders/run.py adc --folder /dev/null/x", "Invalid value for '--folder': /dev/null/x: Not a directory")])
def test_a_file_that_is_not_there(line, words):
    program, *arguments = line.split()
    result = subprocess.run([sys.executable, EXAMPLE.parent / program, *arguments], capture_output=True, text=True)
    assert result.returncode == 2 and words in result.stderr and "Traceback" not in result.stderr
