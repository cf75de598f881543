"""What somebody meets first: no arguments, `doctor`, completion, an option given twice, a closed pipe."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from sata_recorder import __version__, extras, simulation
from sata_recorder.cli.verbs import cli
from sata_recorder.simulation import compiler

PROGRAM = Path(sys.executable).with_name("sata-recorder")


def called(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], text=True, stderr=subprocess.PIPE, timeout=120, **options)


def test_without_arguments(run):
    result = run()
    assert result.exit_code == 2 and not result.stdout
    assert len(result.stderr.splitlines()) < 12 and all(len(line) <= 80 for line in result.stderr.splitlines())
    for verb in ("plan", "measure", "verilog", "doctor"):
        assert f"sata-recorder {verb}" in result.stderr
    assert "docs/README.md" in result.stderr and __version__ in result.stderr


def test_the_commands_to_start_with_are_right(run):
    offered = [line.split("   ")[0].split()[1:] for line in run().stderr.splitlines() if line.startswith("  ")]
    assert len(offered) == 3
    for arguments in offered:
        cli.make_context("sata-recorder", arguments)
        cli.commands[arguments[0]].make_context(arguments[0], arguments[1:])


@pytest.fixture
def fresh_compiler():
    compiler.forget()
    yield
    compiler.forget()


def test_doctor(run):
    result = run("doctor")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1].split()[0] == "good"
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    found = json.loads(run("doctor", "--json").stdout)
    assert found["version"] == __version__ and found["problems"] == []
    assert found["extras"].keys() == extras.EXTRAS.keys() and found["packages"]["amaranth"]
    assert found["engines"]["cxxrtl"] is None and found["compiler"] and found["cache"]
    assert set(found["compiled"]) == {"drive", "core"}


def test_doctor_is_not_good_if_no_engine_works(run, monkeypatch):
    monkeypatch.setattr(simulation, "engine_reasons", lambda: {"compiled": "no Yosys", "cxxrtl": "no Yosys"})
    result = run("doctor")
    assert result.exit_code == 1 and "good" not in result.stdout
    assert "WRONG             no engine works, so nothing can be simulated" in result.stdout


def test_each_extra_says_what_it_is_for():
    makefile = (Path(__file__).resolve().parents[2] / "Makefile").read_text()
    assert extras.ENABLES.keys() == extras.EXTRAS.keys()
    for text in extras.ENABLES.values():
        first, *rest = [word.rstrip(",:") for word in text.split()]
        assert first in cli.commands or first == "make" and f"\n{rest[0]}: " in makefile


@pytest.mark.parametrize("variables, name, words", [
    ({"CXX": "no-such-compiler"}, "compiler", "'no-such-compiler', which is not on PATH"),
    ({"CXX": '"'}, "compiler", "CXX is"), ({"CXX": "true"}, "compiler", None),
    ({"CXX": "false"}, "compiler", "failed"), ({"CXXFLAGS": "--no-such-flag"}, "compiler", "compiles no program"),
    ({"SATA_RECORDER_CACHE": "/dev/null/folder"}, "cache", "/dev/null/folder"),
    ({"SATA_RECORDER_CACHE": "a\nb/../\u00e9" + 300 * "x"}, "cache", "File name too long")])
def test_doctor_names_what_is_broken(run, monkeypatch, fresh_compiler, variables, name, words):
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    result = run("doctor", "--json")
    found = json.loads(result.stdout)
    if words is None:       # it does nothing, and reports that it has
        assert found["compiler"] and result.exit_code == 0
        return
    assert result.exit_code == 1 and words in found[f"{name}_problem"], found
    assert any(one.startswith(f"{name}: ") for one in found["problems"])
    text = run("doctor")
    assert text.exit_code == 1 and "WRONG" in text.stdout and "Traceback" not in text.output


@pytest.mark.wide
@pytest.mark.sample(3)
@pytest.mark.parametrize("package", ["amaranth", "pydantic", "platformdirs"])
def test_doctor_without_a_package(tmp_path, package):
    """It needs click alone; a verb that needs the package names it."""
    (tmp_path / f"{package}.py").write_text(
        "raise ModuleNotFoundError(f'No module named {__name__!r}', name=__name__)\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    result = called("doctor", stdout=subprocess.PIPE, env=environment)
    assert result.returncode == 1 and not result.stderr
    assert "WRONG" in result.stdout and package in result.stdout.partition("WRONG")[2]
    result = called("measure", stdout=subprocess.PIPE, env=environment)
    assert result.returncode == 1 and result.stderr == (
        f"Error: measure: needs the Python package {package}, which is not installed; `sata-recorder doctor` shows all "
        "that is missing\n")


@pytest.mark.parametrize("arguments, words", [
    ("measure --seed 1 --seed 2", "--seed"), ("sweep --size 4 --csv a --size 8", "--size"),
    ("plan --rate 1MB/s --for 1h --check --no-check", "--check/--no-check"),
    ("verilog -o a.v --output b.v", "-o/--output"), ("verilog -o a.v --fua --no-fua", "--fua/--no-fua"),
    ("console --port /dev/null --baud 3 --baud 4 status", "--baud")])
def test_an_option_given_twice(run, tmp_path, arguments, words):
    result = run(*arguments.split())
    assert result.exit_code == 2 and not [*tmp_path.iterdir()]
    assert f"{words}: is given 2 times, and takes one value" in result.stderr


def test_options_that_may_be_repeated(run):
    result = run("measure", "--hold", "drive:1/0", "--hold", "host:1/0", "--flush", "--flush", "--json", "/no/file")
    assert "times" not in result.stderr and "/no/file" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run, shell):
    script = run("completion", shell).stdout
    assert all(name in script for name in (*cli.commands, "look-every", "inc32", "x25-e"))
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize("words, offered", [
    ("me", "measure"), ("measure --look-", "--look-at --look-every --look-room"),
    ("measure --pattern ", "random inc32 dec32"), ("plan --drive x25", "x25-e")])
def test_bash_completes(run, words, offered):
    *before, last = words.split(" ")
    order = (f'COMP_WORDS=(sata-recorder {" ".join(before)} "{last}"); COMP_CWORD={1 + len(before)}\n'
             f'_shtab_sata_recorder sata-recorder "{last}" "{before[-1] if before else "sata-recorder"}"\n'
             'echo "${COMPREPLY[@]}"\n')
    found = subprocess.run(["bash"], input=run("completion", "bash").stdout + order, text=True, capture_output=True)
    assert found.stdout.split() == offered.split(), found.stderr


def test_completion_of_another_shell(run):
    result = run("completion", "csh")
    assert result.exit_code == 2 and "'bash', 'zsh', 'fish'" in result.stderr


#: Verbs that print at once.
_SHORT = ["--help", "build --list", "drives x25-e", "completion zsh"]


@pytest.mark.sample(6)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", _SHORT)
def test_a_full_device(tmp_path, arguments):
    with open("/dev/full", "w") as full:
        result = called(*arguments.split(), stdout=full, cwd=tmp_path)
    assert result.stderr == "Error: standard output cannot be written: No space left on device\n"
    assert result.returncode == 1


@pytest.mark.sample(6)
@pytest.mark.parametrize("arguments", _SHORT)
def test_a_closed_pipe(tmp_path, arguments):
    """As most programs that SIGPIPE ends: without a word."""
    read, write = os.pipe()
    os.close(read)
    with open(write, "w") as closed:
        result = called(*arguments.split(), stdout=closed, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (141, "")


@pytest.mark.wide
def test_an_error_that_cannot_be_written():
    with open("/dev/full", "w") as full:
        result = subprocess.run([PROGRAM, "drives", "no-such-drive"], stderr=full, stdout=subprocess.PIPE, timeout=60)
    assert (result.returncode, result.stdout) == (2, b"")


def test_what_completion_reads_is_click(run):
    """Each verb's options are found without being run."""
    with click.Context(cli, info_name="sata-recorder") as context:
        for name, verb in cli.commands.items():
            assert verb.get_params(context), name


@pytest.mark.wide
def test_files_are_kept_where_nobody_reads_the_output(tmp_path):
    """What was measured is not lost with the pipe."""
    read, write = os.pipe()
    os.close(read)
    with open(write, "w") as closed:
        result = called("measure", "--sectors", "1", "--json", "data.json", stdout=closed, cwd=tmp_path)
        assert result.returncode == 141
        result = called("reproduce", "--json", "tables.json", stdout=closed, cwd=tmp_path)
        assert result.returncode == 141
    assert json.loads((tmp_path / "data.json").read_text())["good"]
    assert len(json.loads((tmp_path / "tables.json").read_text())["tables"]) > 5
