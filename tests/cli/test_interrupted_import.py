"""Ctrl-C while the program is still being loaded ends it in one line."""

import signal
import subprocess
import sys

import pytest
from short import short

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


NAMING = """
import signal
from sata_recorder.cli import main, verbs

class Named:
    def __set_name__(self, owner, name):
        signal.raise_signal(signal.SIGINT)

def run(arguments):
    class Class:
        member = Named()

verbs.run = run
main.main([])
"""


def test_interrupted_while_a_class_is_made():
    """Python makes a RuntimeError of it."""
    done = subprocess.run([sys.executable, "-c", NAMING], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


UNUSED = """
from sata_recorder.cli import main, verbs

def run(arguments):
    from amaranth.lib.memory import Memory
    memory = Memory(shape=8, depth=4, init=[])
    raise KeyboardInterrupt

verbs.run = run
main.main([])
"""


def test_interrupted_elaboration_says_nothing_of_what_is_left_of_it():
    done = subprocess.run([sys.executable, "-c", UNUSED], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


SWALLOWING = """
import sys, time, traceback

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            print("importing", flush=True)
            try:
                time.sleep(60)
            except BaseException:
                traceback.print_exc()
                {then}

sys.meta_path.insert(0, Slow())
from sata_recorder.cli.main import main
main(["drives"])
"""


@pytest.mark.parametrize("then", ["raise ImportError('failed to import') from None", "pass"])
@pytest.mark.parametrize("module", ["click", "sata_recorder.cli.verbs", "sata_recorder.cli.drives"])
def test_interrupted_in_a_module_that_makes_something_else_of_it(module, then):
    """As modules in C do, which print the error, raise another one, or continue."""
    program = SWALLOWING.format(module=module, then=then)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout.readline() == "importing\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")


@pytest.mark.wide
@pytest.mark.parametrize("module", short(
    ["click", "rich", "pydantic", "numpy", "sata_recorder.lab.measurement.run", "sata_recorder.cli.verbs"],
    ["click", "numpy", "sata_recorder.cli.verbs"]))
def test_interrupted_import(module):
    with subprocess.Popen([sys.executable, "-c", PROGRAM.format(module=module)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "importing\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")
