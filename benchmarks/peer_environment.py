"""LiteSATA's Verilog, from an environment of its own under build/peer that is made when needed."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sata_recorder.export import yosys

HERE = Path(__file__).parent
FOLDER = HERE.parent / "build" / "peer"
CONSTRAINTS = HERE / "peer-constraints.txt"
EXPORT = HERE / "peer_export.py"

#: What another active environment would leak into this one.
_FOREIGN = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")


@dataclass(frozen=True)
class Peer:
    """The exported core: ``core`` and ``fifo`` are the Verilog texts of the modules ``litesata``
    and ``fifo``; ``versions`` of the packages by name."""

    core: str
    fifo: str
    versions: dict


def peer():
    """The :class:`Peer`; installs it where build/peer does not have it as pinned.

    Ends the program with one line where the packages cannot be installed or do not work.
    """
    python = FOLDER / "venv" / "bin" / "python"
    stamp = FOLDER / "installed"
    wanted = hashlib.sha256(CONSTRAINTS.read_bytes() + sys.version.encode()
                            + str(FOLDER).encode()).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"compare: installing LiteSATA into {FOLDER.relative_to(HERE.parent)} ...",
              file=sys.stderr, flush=True)
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        _run("making the environment", sys.executable, "-m", "venv", python.parents[1])
        _run("installing LiteSATA", python, "-m", "pip", "install", "--quiet", "--no-input",
             "--disable-pip-version-check", "--requirement", CONSTRAINTS)
        stamp.write_text(wanted)
    _run("exporting LiteSATA", python, EXPORT, FOLDER)
    versions = json.loads((FOLDER / "versions.json").read_text())
    pinned = CONSTRAINTS.read_text().splitlines()
    if wrong := {name for name, version in versions.items() if f"{name}=={version}" not in pinned}:
        raise SystemExit(f"compare: not the pinned version: {', '.join(sorted(wrong))}")
    return Peer(*((FOLDER / f"{name}.v").read_text() for name in ("litesata", "fifo")), versions)


def rtlil(verilog, top, name):
    """RTLIL text of the Verilog text ``verilog``, whose top module is ``top``; there it is called
    ``name``. It depends on the content only, not on comments and line numbers."""
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        Path(folder, "top.v").write_text(verilog)
        yosys.run(["read_verilog -sv top.v", f"hierarchy -check -top {top}",
                   "setattr -unset src", "setattr -mod -unset src",
                   *([f"rename {top} {name}"] if top != name else []), "write_rtlil top.il"],
                  folder)
        return Path(folder, "top.il").read_text()


def _run(what, *command):
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    reply = subprocess.run([str(word) for word in command], env=environment, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if reply.returncode:
        last = (reply.stdout.strip().splitlines() or ["no message"])[-1]
        raise SystemExit(f"compare: {what} failed: {last}")


def in_icarus(test):
    """Runs the cocotb tests of the file ``test`` on LiteSATA's core, the module ``litesata``."""
    from cocotb_tools.runner import get_runner
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "litex.v").write_text(peer().core)
        # Icarus hangs in LiteX's own always @(*).
        yosys.run(["read_verilog litex.v", "proc", "write_verilog litesata.v"], folder)
        runner = get_runner("icarus")
        runner.build(sources=[f"{folder}/litesata.v"], hdl_toplevel="litesata", build_dir=folder,
                     timescale=("1ns", "1ps"))
        runner.test(test_module=Path(test).stem, hdl_toplevel="litesata",
                    test_dir=Path(test).resolve().parent, results_xml=f"{folder}/results.xml")
