"""Ctrl-C while the program is still being loaded ends it in one line."""

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import sys, time

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            print("importing", flush=True)
            time.sleep(60)

sys.meta_path.insert(0, Slow())
from sata_recorder.cli.main import main
main(["measure", "--sectors", "1"])
"""


@pytest.mark.parametrize("module", ["click", "rich", "pydantic", "numpy",
                                    "sata_recorder.measurement.run", "sata_recorder.cli.verbs"])
def test_interrupted_import(module):
    with subprocess.Popen([sys.executable, "-c", PROGRAM.format(module=module)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "importing\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")
