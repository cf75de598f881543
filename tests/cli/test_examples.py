"""An example that lacks something reports it in one line, whatever its output goes through."""

import os
import subprocess
import sys
from pathlib import Path

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


def test_without_cocotb():
    refused(["-c", WITHOUT.format(path=str(EXAMPLE))], "needs the package cocotb")


def test_without_icarus(tmp_path):
    refused([str(EXAMPLE)], "needs Icarus Verilog", env={**os.environ, "PATH": str(tmp_path)})
