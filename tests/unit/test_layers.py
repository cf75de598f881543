"""The imports of every source file keep to the layers of the design.

The whole tree is read, not imported: an import inside a function counts like any other.
"""

import ast
import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from unit.rooms import (BUILDINGS, FACTS, FOREIGN, GATEWARE, LAYERS, LEVELS, MAY_USE, OWN_FILES, PACKAGES, TOOLS)

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "models", "platforms")


def room(module, names=()):
    """The rooms of the module ``module``, a list of names below `sata_recorder`; of the package itself or
    of a building each of ``names`` may be one."""
    alone = [one for one in OWN_FILES if one in (".".join(module[:2]), *(".".join([*module, name]) for name in names))]
    if alone:
        return alone
    if not module or len(module) == 1 and module[0] in BUILDINGS:
        parts = [".".join([*module, name]) for name in names]
        return [part if part in MAY_USE else ".".join(module) for part in parts] or [".".join(module)]
    return [".".join(module[:2]) if module[0] in BUILDINGS else module[0]]


@functools.cache
def public_names(room):
    """What the package ``room`` of `sata_recorder` has in its ``__all__``."""
    source = (ROOT / "src/sata_recorder" / room.replace(".", "/") / "__init__.py").read_text()
    found = [node.value for node in ast.parse(source).body if isinstance(node, ast.Assign)
             and node.targets[0].id == "__all__"]
    return set(ast.literal_eval(found[0]))


def violations(path, source):
    """What `source`, the text of the file `path` (relative to the repository), must not do."""
    folder, package, *inner = Path(path).with_suffix("").parts
    module = [package, *inner]
    is_package = module[-1] == "__init__"
    if is_package:
        module.pop()
    part = room(module[1:])[0] if folder == "src" else folder
    level = module[1] if folder == "models" and len(module) > 1 else ""
    foreign = LEVELS[level] if folder == "models" else FOREIGN[part]
    found = []

    def check(imported, names, line):
        def complain(why):
            found.append(f"{path}:{line}: {imported} ({', '.join(names) or 'module'}): {why}")

        root, *rest = imported.split(".")
        own = root == package
        if module[1:] == ["pc", "console", "grammar"] and root not in sys.stdlib_module_names:
            complain("the grammar is plain data")
        if not own and root not in sys.stdlib_module_names and root not in foreign:
            complain(f"{part or package} may not use {root}")
        if root == "importlib" and part in (*GATEWARE, "core.core", "models"):
            complain("imports must be plain")
        if part == "platforms" and root == "sata_recorder":
            if not rest or room(rest)[0] in (*TOOLS, "cli"):
                complain("platforms use the gateware and export")
            if rest[:2] == ["pc", "console"] and rest[2:] != ["grammar"]:
                complain("platforms use the grammar of the console only")
        if own and folder == "models":
            for used in rest[:1] or [name if name in LEVELS else "" for name in names]:
                if used != level and used not in LEVELS[level]:
                    complain(f"{level or package} may not use {used or package}")
        if not (own and folder == "src"):
            return
        # `from .. import x` may mean a part as well as a name of the package.
        for used in room(rest, names):
            if used == part or used in FACTS:
                continue
            if used not in MAY_USE[part]:
                complain(f"{part or package} may not use {used or package}")
            elif len(rest) > 1 + used.count(".") and used in PACKAGES:
                complain(f"{used} is used through its package only")
            elif used in TOOLS and not (rest and public_names(used).issuperset(names)):
                complain(f"{used} is used by its public names only")
            elif part in GATEWARE and used in GATEWARE and used.rpartition(".")[2].capitalize() in names:
                complain("only core.py stacks the layers")

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                check(alias.name, [], node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = module[:len(module) - node.level + is_package] if node.level else []
            names = [alias.name for alias in node.names]
            check(".".join([*base, *([node.module] if node.module else [])]), names, node.lineno)
        if "Instance" in (getattr(node, "id", None), getattr(node, "attr", None)) or (
                isinstance(node, ast.alias) and node.name == "Instance"):
            if part not in ("core.phy", "export.litex", "firmware", "platforms", "simulation"):
                found.append(f"{path}:{node.lineno}: Instance outside phy/, litex.py, firmware/, platforms/, "
                             "simulation/")
    return found


def test_tree():
    paths = [path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    seen = {path.parts[3] for path in paths if path.parts[:3] == ("src", "sata_recorder", "core")}
    assert seen.issuperset(LAYERS), "the tree is not where this test looks for it"
    found = [line for path in sorted(paths) for line in violations(path, (ROOT / path).read_text())]
    assert not found, "\n".join(found)


def floors(uses):
    """How many rooms stand above one another in ``uses``, what each room uses; a circle raises ValueError."""
    heights = {}

    def height(room, way=()):
        if room in way:
            raise ValueError(" -> ".join([*way[way.index(room):], room]))
        if room not in heights:
            heights[room] = 1 + max((height(used, (*way, room)) for used in uses.get(room, ())), default=0)
        return heights[room]
    return max(map(height, uses))


def rooms_used():
    """What each room of `sata_recorder` really uses."""
    found = {}
    for path in (ROOT / "src/sata_recorder").rglob("*.py"):
        module = ("sata_recorder", *path.relative_to(ROOT / "src/sata_recorder").with_suffix("").parts)
        is_package = module[-1] == "__init__"
        module = module[:-1] if is_package else module
        part = room(list(module[1:]))[0]
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                target = [*module[:len(module) - node.level + is_package],
                          *(node.module.split(".") if node.module else [])]
                found.setdefault(part, set()).update(
                    used for used in room(target[1:], [alias.name for alias in node.names]) if used != part)
    return found


def test_floors():
    """No circle of rooms, nor of folders at the top; no more floors, and no more entries at the top, than can be
    kept in mind."""
    uses = {one: {used for used in those if used} for one, those in rooms_used().items() if one}
    floors(uses)
    folders = {}
    for one, those in uses.items():
        top = one.partition(".")[0]
        folders.setdefault(top, set()).update({used.partition(".")[0] for used in those} - {top})
    assert floors(folders) <= 10
    entries = [path for path in (ROOT / "src/sata_recorder").iterdir() if path.name not in ("__pycache__", "py.typed")]
    assert len(entries) <= 16


def files_used():
    """What each file of `sata_recorder` imports of the others, also inside a function."""
    root = ROOT / "src/sata_recorder"
    names = {tuple(path.relative_to(root).with_suffix("").parts): path for path in root.rglob("*.py")}
    names = {name[:-1] if name[-1] == "__init__" else name: path for name, path in names.items()}
    found = {".".join(name): set() for name in names}
    for name, path in names.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                package = name if path.stem == "__init__" else name[:-1]
                base = package[:len(package) - node.level + 1] + tuple(node.module.split(".") if node.module else ())
                found[".".join(name)].update(".".join((*base, alias.name) if (*base, alias.name) in names else base)
                                             for alias in node.names)
    return {name: {one for one in used if one and one != name} for name, used in found.items() if name}


def test_no_circle_of_files():
    floors(files_used())


def test_a_circle_is_found():
    with pytest.raises(ValueError, match="a -> b -> a"):
        floors({"a": {"b"}, "b": {"a"}})
    assert floors({"a": {"b"}, "b": {"c"}, "c": set()}) == 3


@pytest.mark.parametrize("name", ["facts", "pc"])
def test_a_pc_needs_no_gateware(name):
    """Rooms for whom no gateware and no simulation are loaded."""
    folder = ROOT / "src/sata_recorder" / name
    modules = [".".join(path.relative_to(ROOT / "src").with_suffix("").parts) for path in sorted(folder.rglob("*.py"))]
    program = ("import importlib, sys\n"
               f"for name in {modules}: importlib.import_module(name.removesuffix('.__init__'))\n"
               "print(*sorted(sys.modules))")
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                            env=os.environ | {"PYTHONPATH": str(ROOT / "src")}).stdout.split()
    allowed = {"sata_recorder", *(f"sata_recorder.{one}" for one in ("extras", "locks", "outputs"))}
    ours = {one for one in loaded if one.split(".")[0] in ("sata_recorder", "sata_drive_model")}
    assert {one for one in ours if one.split(".")[1:2] not in (["facts"], ["pc"])} <= allowed
    assert not {"amaranth", "pyosys", "pydantic"} & set(loaded)


@pytest.mark.parametrize("path, source", [
    ("src/sata_recorder/core/phy/ecp5.py", "from ..link import Frame"),
    ("src/sata_recorder/core/link/link.py", "from ..transport import Transport"),
    ("src/sata_recorder/core/link/link.py", "from ..phy.port import DwordPort"),
    ("src/sata_recorder/core/link/rx/crc.py", "from ...command import Kind"),
    ("src/sata_recorder/core/link/link.py", "import sata_recorder.core.transport.fis"),
    ("src/sata_recorder/core/link/__init__.py", "from .. import transport"),
    ("src/sata_recorder/core/link/link.py", "from ...report import page"),
    ("src/sata_recorder/core/link/link.py", "import numpy"),
    ("src/sata_recorder/core/link/link.py", "def f():\n    from importlib import import_module"),
    ("src/sata_recorder/core/link/link.py", "from amaranth.hdl import Instance"),
    ("src/sata_recorder/core/link/link.py", "import amaranth.hdl as h\nx = h.Instance"),
    ("src/sata_recorder/core/transport/fis_sender.py", "from ..link import Link"),
    ("src/sata_recorder/core/transport/fis_sender.py", "from ..phy import DwordPort"),
    ("src/sata_recorder/core/sequencer/sequencer.py", "from ..transport import FisType"),
    ("src/sata_recorder/core/recorder/recorder.py", "from ..command import Kind"),
    ("src/sata_recorder/core/recorder/recorder.py", "from ..sequencer import SequencerActivity"),
    ("src/sata_recorder/core/recorder/recorder.py", "import sata_drive_model"),
    ("src/sata_recorder/core/drive_port.py", "from .command import Protocol"),
    ("src/sata_recorder/core/core.py", "from ..simulation import Session"),
    ("src/sata_recorder/core/core.py", "from ..export import verilog"),
    ("src/sata_recorder/core/core.py", "from sata_recorder_platforms import out_of_context"),
    ("src/sata_recorder/export/netlist.py", "from ..simulation import Session"),
    ("src/sata_recorder/lab/sweep/cell.py", "from ..studies import runs"),
    ("src/sata_recorder/lab/sweep/cell.py", "from ..measurement.job import Job"),
    ("src/sata_recorder/lab/sweep/cell.py", "from ..measurement import job_checks"),
    ("src/sata_recorder/lab/sweep/cell.py", "from .. import measurement"),
    ("src/sata_recorder/lab/sweep/cell.py", "import sata_drive_model"),
    ("src/sata_recorder/lab/studies/runs.py", "from ...report import render_measurement"),
    ("src/sata_recorder/lab/campaign/run.py", "from ...core.ledger.accounts import Account"),
    ("src/sata_recorder/cli/measure.py", "from ..report import page"),
    ("src/sata_recorder/lab/measurement/data.py", "from ...report import FORMATS"),
    ("src/sata_recorder/simulation/session.py", "from ..lab.measurement import Job"),
    ("src/sata_recorder/export/netlist.py", "import sata_drive_model.link"),
    ("src/sata_recorder/export/netlist.py", "from litex.gen import LiteXModule"),
    ("src/sata_recorder/export/__init__.py", "from .litex import LiteXRecorder"),
    ("src/sata_recorder/export/litex.py", "from .netlist import TOP"),
    ("src/sata_recorder/cli/verilog.py", "from ..export import litex"),
    ("src/sata_recorder/cli/measure.py", "from ..core import SataRecorder"),
    ("src/sata_recorder/cli/measure.py", "import sata_drive_model"),
    ("src/sata_recorder/__init__.py", "from .core import SataRecorder"),
    ("models/sata_drive_model/link/link.py", "import amaranth"),
    ("models/sata_drive_model/link/link.py", "import pydantic"),
    ("models/sata_drive_model/link/link.py", "from ..device import Drive"),
    ("models/sata_drive_model/monitor/side.py", "from ..link.states import IDLE"),
    ("models/sata_drive_model/protocol/fis.py", "from .. import Drive"),
    ("models/sata_drive_model/port.py", "from .monitor import Monitor"),
    ("models/sata_drive_model/port.py", "import cocotb"),
    ("models/sata_drive_model/__init__.py", "from .cocotb import DriveBus"),
    ("models/sata_drive_model/link/link.py", "from sata_recorder.core.link import crc"),
    ("src/sata_recorder/pc/volume/drive.py", "from ...lab.measurement import parse_size"),
    ("src/sata_recorder/pc/volume/exfat/fat.py", "from ....core import SataRecorder"),
    ("src/sata_recorder/pc/volume/drive.py", "import amaranth"),
    ("src/sata_recorder/bricks/files/controller.py", "from ...core import SataRecorder"),
    ("src/sata_recorder/bricks/files/controller.py", "from ...pc.volume import Log"),
    ("src/sata_recorder/bricks/files/controller.py", "from ..modes import RecordingController"),
    ("src/sata_recorder/bricks/frames/frame_stage.py", "from ..stack import STAGES"),
    ("src/sata_recorder/bricks/files/controller.py", "from ...core.link import linear"),
    ("src/sata_recorder/cli/verify.py", "from ..pc.volume.exfat import Volume"),
    ("src/sata_recorder/pc/console/grammar.py", "from .client import Client"),
    ("src/sata_recorder/pc/console/grammar.py", "import serial"),
    ("src/sata_recorder/board/panel/page.py", "from ...lab.measurement import Job"),
    ("src/sata_recorder/board/panel/page.py", "from ..station import Station"),
    ("src/sata_recorder/board/panel/page.py", "from ...report.drawing import COLOURS"),
    ("src/sata_recorder/board/station/station.py", "import sata_drive_model"),
    ("src/sata_recorder/board/station/station.py", "from ..panel import run_panel"),
    ("src/sata_recorder/pc/console/client.py", "from ...board.panel import run_panel"),
    ("platforms/sata_recorder_platforms/a.py", "import sata_drive_model"),
    ("platforms/sata_recorder_platforms/a.py", "from sata_recorder.pc.console import client"),
    ("platforms/sata_recorder_platforms/a.py", "from sata_recorder.pc.console.client import Client"),
    ("platforms/sata_recorder_platforms/a.py", "from sata_recorder.simulation import Session"),
])
def test_checker_finds(path, source):
    assert violations(path, source)


@pytest.mark.parametrize("path, source", [
    ("src/sata_recorder/core/link/link.py", "from ..phy import DwordPort\nfrom .crc import Crc"),
    ("src/sata_recorder/core/link/rx/crc.py", "from ..frame import Frame\nimport functools"),
    ("src/sata_recorder/core/transport/fis_sender.py", "from ..link import SendSignature"),
    ("src/sata_recorder/core/core.py", "from .link import Link\nfrom ..interface.configuration import Configuration"),
    ("src/sata_recorder/core/phy/ecp5.py", "from amaranth.hdl import Instance"),
    ("src/sata_recorder/simulation/run.py", "import sata_drive_model\nfrom ..core import SataRecorder"),
    ("src/sata_recorder/cli/main.py", "from .. import __version__\nfrom ..lab.measurement import Job"),
    ("src/sata_recorder/export/litex.py", "from migen import Instance\nfrom . import verilog"),
    ("models/sata_drive_model/link/link.py", "import zlib\nfrom ..protocol.crc import crc_dwords"),
    ("models/sata_drive_model/cocotb.py", "import cocotb\nfrom . import Drive, DrivePort"),
    ("platforms/sata_recorder_platforms/a.py", "from sata_recorder.export import yosys"),
    ("platforms/sata_recorder_platforms/a.py", "from sata_recorder.pc.console.grammar import VERBS"),
])
def test_checker_accepts(path, source):
    assert not violations(path, source)
