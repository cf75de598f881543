"""Core and PHY for the ECP5 in one file: ports, linters, template, constraints, and a link."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner
from export.ecp5_cells import declarations, stand_ins
from export.frozen_phy import with_phy
from export.test_ports import modules, ports
from short import short

from sata_recorder.interface.configuration import Configuration
from sata_recorder.export import BACK_ENDS, INSTANCE, description, template, verilog, yosys

pytestmark = pytest.mark.wide

ECP5 = BACK_ENDS["ecp5"]
#: Control, and options of the PHY.
CASES = {
    "pll": ("pins", {"dual": 1, "package": "CABGA554"}),
    "pads": ("pins", {"channel": 1, "package": "CABGA381", "reference": "pads"}),
    "axi-lite": ("axi-lite", {"rx_inverted": True, "select_dual": True}),
    "array": ("axi-lite", {"dual": 1, "package": "CABGA381", "lanes": 2}),
}


class PhyExport:
    def __init__(self, name):
        control, options = CASES[name]
        self.configuration = Configuration(clock_hz=100e6, buffer_words=256,
                                           max_command_sectors=16, control=control,
                                           drives=options.get("lanes", 1))
        self.back_end = ECP5(**options)
        self.text = verilog(self.configuration, self.back_end)
        self.ports = with_phy(control, self.back_end.reference, self.back_end.lanes)


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return PhyExport(request.param)


@pytest.mark.sample(6)
def test_ports_are_frozen(case):
    assert ports(case.text) == case.ports
    described = description(case.configuration, case.back_end)
    assert [(port["direction"], port["name"], port["width"])
            for port in described["ports"]] == case.ports
    assert all(port["meaning"] for port in described["ports"])
    assert described["phy"]["name"] == "ecp5" and json.loads(json.dumps(described)) == described


def test_the_head_names_the_options(case):
    line = re.search(r"^// PHY: (.*)$", case.text, re.M)[1]
    options = json.loads(line)
    assert BACK_ENDS[options.pop("name")](**options) == case.back_end


def test_no_name_can_clash(case):
    assert all(name == "sata_recorder" or name.startswith("sata_recorder_")
               for name in modules(case.text))
    assert "/home" not in case.text and ".py" not in case.text


@pytest.mark.parametrize("case", short(CASES, ["pll"]), indirect=True)
def test_same_text_again(case):
    assert verilog(case.configuration, case.back_end) == case.text


def test_cells(case):
    """A DCU for each drive at its place, one channel of it, and the way of its reference."""
    kinds = {kind: len(re.findall(rf"^  {kind} ", case.text, re.M))
             for kind in ("DCUA", "DCCA", "EHXPLLL", "EXTREFB")}
    pll = case.back_end.reference == "pll"
    lanes = case.back_end.lanes
    assert kinds == {"DCUA": lanes, "DCCA": pll * lanes, "EHXPLLL": pll * lanes, "EXTREFB": (not pll) * lanes}
    assert re.findall(r'LOC = "DCU(.)"', case.text) == [str((case.back_end.dual + lane) % 2) for lane in range(lanes)]
    assert f'(* CHAN = "CH{case.back_end.channel}" *)' in case.text
    assert f"CH{1 - case.back_end.channel}_" not in case.text


@pytest.mark.sample(6)
def test_verilator(case, verilator, tmp_path):
    """With the ports of all cells, as a vendor's library has them."""
    (tmp_path / "recorder.v").write_text(case.text)
    (tmp_path / "cells.v").write_text(declarations())
    assert verilator(tmp_path / "recorder.v", "cells.v", "--top-module", "sata_recorder") == \
        (0, "")


@pytest.mark.sample(6)
def test_yosys(case, tmp_path):
    (tmp_path / "recorder.v").write_text(case.text)
    log = yosys.run(["read_verilog recorder.v", "read_verilog -lib +/ecp5/cells_bb.v",
                     "read_verilog -lib +/ecp5/cells_sim.v",
                     "hierarchy -check -top sata_recorder", "proc", "check -assert"], tmp_path)
    assert "Found and reported 0 problems." in log and "Warning" not in log


@pytest.mark.sample(3)
def test_template_compiles(case, verilator, tmp_path):
    """With the stand-ins, in Icarus; and no input is left out."""
    (tmp_path / "core.v").write_text(case.text)
    (tmp_path / "cells.v").write_text(stand_ins(case.back_end.channel))
    (tmp_path / "core.vh").write_text(template(case.configuration, case.back_end))
    user = tmp_path / "user.v"
    user.write_text('module user(input clk, input rst);\n`include "core.vh"\nendmodule\n')
    result = subprocess.run(["iverilog", "-g2005", "-s", "user", "-o", "user.out", "user.v",
                             "core.v", "cells.v"], cwd=tmp_path, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert (result.returncode, result.stdout) == (0, "")
    connected = re.findall(r"^  \.(\w+)", template(case.configuration, case.back_end), re.M)
    assert connected == [name for _, name, _ in case.ports]


def test_constraints(case):
    text = case.back_end.constraints(INSTANCE, 100e6)
    clocks = dict(re.findall(r'^FREQUENCY NET "(\S+)" ([\d.]+) HZ;$', text, re.M))
    lanes = ["", *map(str, range(1, case.back_end.lanes))]
    nets = {"clk": 100e6, **{f"phy.serdes{lane}.serdes_{way}_clk": 150e6 for lane in lanes for way in ("tx", "rx")}}
    if case.back_end.reference == "pll":
        nets["reference_clk"] = 100e6
    assert {name: float(hz) for name, hz in clocks.items()} == {
        f"{INSTANCE}.{name}": hz for name, hz in nets.items()}
    sites = dict(re.findall(r'^LOCATE COMP "(\S+)" SITE "(\w+)";$', text, re.M))
    assert sites == case.back_end.sites()
    names = {name for _, name, _ in case.ports if name.startswith("sata")}
    assert set(sites) == (names if case.back_end.package else set())
    # Each pair of the clocks of words and core, in both directions.
    clocks = 1 + 2 * len(lanes)
    assert len(re.findall(r'^BLOCK PATH FROM CLKNET "\S+" TO CLKNET "\S+";$', text, re.M)) == clocks * (clocks - 1)


@pytest.mark.parametrize("case", short(CASES, ["pll", "array"]), indirect=True)
def test_constrained_nets_survive(case, tmp_path):
    """In a flat netlist of a user's design the nets still have the names that are constrained."""
    (tmp_path / "core.v").write_text(case.text)
    (tmp_path / "core.vh").write_text(template(case.configuration, case.back_end))
    (tmp_path / "user.v").write_text(
        'module user(input clock, input rst);\nwire clk = clock;\n`include "core.vh"\nendmodule\n')
    yosys.run(["read_verilog -lib +/ecp5/cells_bb.v", "read_verilog core.v user.v",
               "hierarchy -check -top user", "proc", "flatten", "opt_clean -purge", "write_json flat.json"], tmp_path)
    names = json.loads((tmp_path / "flat.json").read_text())["modules"]["user"]["netnames"]
    text = case.back_end.constraints(INSTANCE, 100e6)
    wanted = re.findall(r'^FREQUENCY NET "(\S+)"', text, re.M)
    assert wanted and [name for name in wanted if name not in names] == []


def simulate(case, tmp_path, until):
    (tmp_path / "recorder.v").write_text(case.text)
    (tmp_path / "cells.v").write_text(stand_ins(case.back_end.channel))
    runner = get_runner("icarus")
    runner.build(sources=[tmp_path / "cells.v", tmp_path / "recorder.v"],
                 hdl_toplevel="sata_recorder", build_dir=tmp_path / "build",
                 timescale=("1ps", "1ps"))
    results = runner.test(test_module="export.phy_bench", hdl_toplevel="sata_recorder",
                          build_dir=tmp_path / "build", test_dir=Path(__file__).parent,
                          results_xml=tmp_path / "results.xml",
                          extra_env={"UNTIL": until, "REFERENCE": case.back_end.reference})
    assert get_results(results) == (1, 0)


@pytest.mark.parametrize("name", short(["pll", "pads"], ["pll"]))
def test_identifies_a_drive(name, tmp_path):
    """In Icarus, from power-on to the first IDENTIFY DEVICE, with nothing but the exported file,
    the stand-ins for the cells and a drive behind them."""
    simulate(PhyExport(name), tmp_path, "identify")
