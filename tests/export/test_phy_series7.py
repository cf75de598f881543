"""Core and PHY for the GTP or the GTX in one file: ports, linters, constraints and script in Tcl, Yosys' mapping."""

import json
import re

import pytest
from click.testing import CliRunner
from export.frozen_phy import with_phy
from export.test_ports import modules, ports
from short import short
from unit.core.phy.test_series7_cells import cell

from sata_recorder.cli.verilog import verilog as command
from sata_recorder.export import BACK_ENDS, INSTANCE, description, verilog, yosys
from sata_recorder.interface.configuration import Configuration

# The one of the ECP5 runs by default.
pytestmark = pytest.mark.wide
PADS = "B6,A6,B10,A10"
#: Back end, control, clock, and options of the PHY.
CASES = {
    "array": ("gtp", "axi-lite", 150e6, {"generation": 3, "lanes": 2, "pads": "B4,A4,B8,A8,D5,C5,D11,C11,F6,E6"}),
    "quad": ("gtp", "axi-lite", 150e6, {"generation": 3, "lanes": 4,
                                        "pads": "B4,A4,B8,A8,D5,C5,D11,C11,B6,A6,B10,A10,D7,C7,D9,C9,F6,E6"}),
    "pads": ("gtp", "pins", 150e6, {"generation": 3, "pads": f"{PADS},F6,E6"}),
    "pll": ("gtp", "axi-lite", 100e6, {"reference": "pll", "reference_hz": 200e6, "pads": PADS}),
    "gtx": ("gtx", "pins", 150e6, {"generation": 3, "pads": "H2,H1,G4,G3,G8,G7"}),
    "gtx-pll": ("gtx", "axi-lite", 100e6, {"generation": 1, "reference": "pll", "reference_hz": 200e6}),
    "gtx-array": ("gtx", "axi-lite", 150e6, {"generation": 3, "lanes": 4}),
}
KINDS = "GTPE2_CHANNEL", "GTPE2_COMMON", "GTXE2_CHANNEL", "MMCME2_BASE", "BUFG", "BUFGCE", "IBUFDS_GTE2"


class Series7Export:
    def __init__(self, name):
        kind, control, clock_hz, options = CASES[name]
        self.configuration = Configuration(clock_hz=clock_hz, buffer_words=256, max_command_sectors=16,
                                           control=control, drives=options.get("lanes", 1))
        self.back_end = BACK_ENDS[kind](**options)
        self.text = verilog(self.configuration, self.back_end)
        self.ports = with_phy(control, self.back_end.reference, self.back_end.lanes)


@pytest.fixture(scope="module", params=short(CASES, ["array", "gtx"]))
def case(request):
    return Series7Export(request.param)


def declarations():
    """The cells without a body, for linters; what their own text does wrong is not looked at."""
    bodies = [re.sub(r"\(\*.*?\*\)|assign .*|specify.*endspecify", "", cell(kind), flags=re.S if kind == "BUFG" else 0)
              for kind in KINDS if kind != "BUFG"]
    return "\n".join(["/* verilator lint_off UNDRIVEN */", "/* verilator lint_off UNUSED */",
                      "/* verilator lint_off DECLFILENAME */", "/* verilator lint_off MULTITOP */",
                      "module BUFG(output O, input I); endmodule", *bodies, ""])


def test_ports_are_frozen(case):
    assert ports(case.text) == case.ports
    described = description(case.configuration, case.back_end)
    assert [(port["direction"], port["name"], port["width"]) for port in described["ports"]] == case.ports
    assert all(port["meaning"] for port in described["ports"])
    assert described["phy"]["name"] == case.back_end.name and json.loads(json.dumps(described)) == described


def test_the_head_names_the_options(case):
    options = json.loads(re.search(r"^// PHY: (.*)$", case.text, re.M)[1])
    assert BACK_ENDS[options.pop("name")](**options) == case.back_end


def test_no_name_can_clash(case):
    assert all(name == "sata_recorder" or name.startswith("sata_recorder_") for name in modules(case.text))


def test_cells(case):
    kinds = {kind: len(re.findall(rf"^  {kind} ", case.text, re.M)) for kind in KINDS}
    pll = case.back_end.reference == "pll"
    lanes = case.back_end.lanes
    # A lane is a module of its own.
    if case.back_end.name == "gtx":
        half = case.back_end.generation == 1
        assert kinds == {"GTPE2_CHANNEL": 0, "GTPE2_COMMON": 0, "GTXE2_CHANNEL": lanes, "MMCME2_BASE": pll,
                         "BUFG": 2 * lanes + pll + half, "BUFGCE": 0, "IBUFDS_GTE2": not pll}
    else:
        assert kinds == {"GTPE2_CHANNEL": lanes, "GTPE2_COMMON": 1, "GTXE2_CHANNEL": 0, "MMCME2_BASE": lanes + pll,
                         "BUFG": 4 * lanes + pll, "BUFGCE": lanes, "IBUFDS_GTE2": not pll}


def test_verilator(case, verilator, tmp_path):
    (tmp_path / "recorder.v").write_text(case.text)
    (tmp_path / "cells.v").write_text(declarations())
    assert verilator(tmp_path / "recorder.v", "cells.v", "--top-module", "sata_recorder") == (0, "")


def test_yosys(case, tmp_path):
    (tmp_path / "recorder.v").write_text(case.text)
    (tmp_path / "buffer.v").write_text("(* blackbox *) module BUFG(output O, input I); endmodule\n")
    log = yosys.run(["read_verilog -lib +/xilinx/cells_xtra.v", "read_verilog buffer.v recorder.v",
                     "hierarchy -check -top sata_recorder", "proc", "check -assert"], tmp_path)
    # Yosys has no floating point; the vendor's cell has it.
    warnings = [line for line in log.splitlines()
                if "Warning" in line and "Replacing floating point parameter" not in line]
    assert "Found and reported 0 problems." in log and warnings == []


def test_constraints_in_tcl(case, tmp_path):
    """They run; every pin that they name is in the netlist below the instance; each pair of clocks that exchange words
    is bounded both ways by the shorter period."""
    tcl = pytest.importorskip("tkinter").Tcl()
    (tmp_path / "core.xdc").write_text(case.back_end.constraints(INSTANCE, case.configuration.clock_hz))
    tcl.eval("""
        foreach name {create_clock create_generated_clock set_max_delay set_property} {
            proc $name args "lappend ::calls \\[linsert \\$args 0 $name\\]"
        }
        proc get_pins pin { lappend ::pins $pin; return $pin }
        proc get_ports port { lappend ::ports $port; return $port }
        proc get_drc_checks name { return $name }
        proc get_clocks args { return clock:[lindex $args end] }
        proc get_property {name of} { return [expr {[string match *second* $of] ? 6.6 : 5.0}] }
        set ports {}
    """)
    tcl.eval((tmp_path / "core.xdc").read_text())
    calls = [tcl.splitlist(call) for call in tcl.splitlist(tcl.eval("set calls"))]
    word = 1e9 / (37.5e6 * (1 << case.back_end.generation - 1))
    periods = {call[call.index("-name") + 1]: float(call[call.index("-period") + 1])
               for call in calls if call[0] == "create_clock"}
    halved = case.back_end.name == "gtp"
    lanes = ["", *(f"_lane{lane}" for lane in range(1, case.back_end.lanes))]
    for lane in lanes:
        for way in "tx", "rx":
            assert periods.pop(f"{INSTANCE}{lane}_{way}outclk") == pytest.approx(word / (2 if halved else 1), abs=1e-3)
    assert periods == ({f"{INSTANCE}_reference": pytest.approx(6.667)} if case.back_end.reference == "pads" else {})
    halves = [call for call in calls if call[0] == "create_generated_clock"]
    assert [half[half.index("-edges") + 1] for half in halves] == ["1 2 5"] * len(lanes) * halved
    bounds = [call for call in calls if call[0] == "set_max_delay"]
    pairs = {(call[call.index("-from") + 1], call[call.index("-to") + 1]) for call in bounds}
    assert len(bounds) == len(pairs) == (6 if halved else 4) * len(lanes)
    assert all(call[1] == "-datapath_only" for call in bounds)
    assert {(second, first) for first, second in pairs} == pairs
    located = {call[-1]: call[2] for call in calls if call[:2] == ("set_property", "PACKAGE_PIN")}
    assert located == case.back_end.sites() and (not case.back_end.pads or set(located) == {
        name for _, name, _ in case.ports if name.startswith("sata")})
    checks = [call[-1] for call in calls if call[:2] == ("set_property", "SEVERITY")]
    assert checks == ([case.back_end.reference_check] if case.back_end.reference == "pll" else [])
    # The pins.
    (tmp_path / "core.v").write_text(case.text)
    (tmp_path / "buffer.v").write_text("(* blackbox *) module BUFG(output O, input I); endmodule\n")
    yosys.run(["read_verilog -lib +/xilinx/cells_xtra.v", "read_verilog buffer.v core.v",
               "hierarchy -check -top sata_recorder", "proc", "flatten -separator /", "write_json flat.json"], tmp_path)
    cells = json.loads((tmp_path / "flat.json").read_text())["modules"]["sata_recorder"]["cells"]
    for pin in set(tcl.splitlist(tcl.eval("set pins"))) - {f"{INSTANCE}/clk"}:
        name, _, port = pin.removeprefix(f"{INSTANCE}/").rpartition("/")
        assert port in cells[name]["connections"], pin


@pytest.mark.parametrize("kind, part", [("gtp", "xc7a200tfbg484-3"), ("gtx", "xc7k325tffg900-2")])
def test_project_in_tcl(kind, part, tmp_path):
    """The script runs as far as Tcl goes: the user's files, the core's after them, and a slack that is missed."""
    tcl = pytest.importorskip("tkinter").Tcl()
    (tmp_path / "core.tcl").write_text(BACK_ENDS[kind](part=part).project("core.v", "core.xdc"))

    def run(slack, *arguments):
        tcl.eval(f"""
            set calls {{}}
            set argv {{{' '.join(arguments)}}}
            set argc {len(arguments)}
            foreach name {{read_verilog read_xdc synth_design report_utilization opt_design place_design
                           phys_opt_design route_design report_timing_summary report_clock_interaction report_drc
                           write_bitstream}} {{
                proc $name args "lappend ::calls \\[linsert \\$args 0 $name\\]"
            }}
            proc get_timing_paths args {{ return path }}
            proc get_property args {{ return {slack} }}""")
        tcl.eval(f"source {{{tmp_path / 'core.tcl'}}}")
        return [tcl.splitlist(call) for call in tcl.splitlist(tcl.eval("set calls"))]

    calls = run(0.1, "top", "top.v", "more.sv", "top.xdc")
    read = [call[1:] for call in calls if call[0].startswith("read_")]
    assert read == [(str(tmp_path / "core.v"),), ("top.v",), ("-sv", "more.sv"), ("top.xdc",),
                    (str(tmp_path / "core.xdc"),)]
    assert ("synth_design", "-top", "top", "-part", part) in calls and calls[-1][0] == "write_bitstream"
    for slack, arguments, words in ((-0.2, ("top", "top.v"), "set-up: -0.2 ns are missing"), (0, (), "no top level"),
                                    (0, ("top", "top.vhd"), "it must be .v, .sv or .xdc")):
        with pytest.raises(Exception, match=words):
            run(slack, *arguments)


@pytest.mark.parametrize("arguments, words", [
    (["--project", "p.tcl"], "--project p.tcl: it needs --phy"),
    (["--phy", "gtp", "--project", "p.tcl"], "--project p.tcl: it needs --constraints"),
    (["--phy", "gtp", "--project", "p.tcl", "--constraints", "c.xdc"], "--phy gtp: part is empty, it must name"),
    (["--phy", "ecp5", "--project", "p.tcl", "--constraints", "c.lpf"], "there is no project script for ecp5"),
    (["--phy", "gtp", "--phy-option", "generation=3"], "clock_hz is 7.5e+07, at Gen3 it must be at least 150e6"),
    (["--phy", "gtp", "--phy-option", "generation=0"], "--phy-option generation=0: it must be 1, 2 or 3"),
    (["--phy", "gtp", "--phy-option", "reference_hz=100e6"],
     "--phy-option reference_hz=100e6: the GTP's PLL makes no 3 GHz of it"),
    (["--phy", "gtp", "--phy-option", "reference=pll", "--phy-option", "reference_hz=13e6"], "no MMCM makes 1.5e+08"),
    (["--phy", "gtp", "--phy-option", "reference=fabric"], "--phy-option reference=fabric: it must be pll or pads"),
    (["--phy", "gtp", "--phy-option", "pads=B6,A6"],
     "--phy-option pads=B6,A6: 2 pins; with reference = pads it must be 6"),
    (["--phy", "gtp", "--phy-option", "pads=B6,A6,B6,C1,C2,C3"], "pads has B6 more than once"),
    (["--phy", "gtp", "--phy-option", "pads=6B,A6,B10,C1,C2,C3"], "pads has '6B', it must be a package pin"),
    (["--phy", "gtx", "--phy-option", "reference_hz=125e6"],
     "--phy-option reference_hz=125e6: the GTX's PLL makes no 3 GHz of it"),
    (["--phy", "gtx", "--phy-option", "generation=1", "--phy-option", "reference_hz=250e6"],
     "the circuit that recognises OOB signals takes half of it, and at Gen1 at most 1e+08"),
    (["--phy", "gtx", "--phy-option", "part=xc7a200tfbg484-3"],
     "part=xc7a200tfbg484-3: it must be a Kintex-7, Virtex-7 or Zynq-7000 with GTX with package and speed, such as "
     "xc7k325tffg900-2"),
    (["--phy", "gtx", "--phy-option", "part=xc7z020clg400-1"], "part=xc7z020clg400-1: it must be a Kintex-7"),
    (["--phy", "gtx", "--drives", "5"], "--phy gtx: drives is 5, it must be 1 to 4: a Quad has four channels"),
    (["--phy", "gtp", "--drives", "5"], "--phy gtp: drives is 5, it must be 1 to 4: a Quad has four channels"),
    (["--phy", "ecp5", "--clock-hz", "150e6", "--drives", "3"], "--phy ecp5: drives is 3, it must be 1 to 2"),
    (["--phy", "gtp", "--drives", "2", "--phy-option", "pads=B6,A6,B10,C1,C2,C3"],
     "pads=B6,A6,B10,C1,C2,C3: 6 pins; with reference = pads it must be 10: sata_tx_p, "),
    (["--phy", "gtp", "--phy-option", "part=xc7k325t"], "--phy-option part=xc7k325t: it must be an Artix-7"),
    (["--phy", "gtp", "--clock-hz", "150e6", "--phy-option", "generation=3", "--phy-option", "part=xc7a200tsbg484-1"],
     "part=xc7a200tsbg484-1: speed grade -1 has no 6 Gb/s"),
])
def test_refused(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(command, ["-o", "core.v", *arguments])
    assert result.exit_code == 2 and words in result.output
    assert list(tmp_path.iterdir()) == [], "nothing is left half done"


@pytest.mark.long
@pytest.mark.parametrize("name", ["quad", "pll", "gtx-array"])
def test_synth_xilinx_maps_it(name, tmp_path):
    """Yosys' flow for the 7-series knows each cell and each port; it prints the count of cells with -s."""
    (tmp_path / "core.v").write_text(Series7Export(name).text)
    log = yosys.run(["read_verilog core.v", "read_verilog -lib +/xilinx/cells_xtra.v",
                     "synth_xilinx -family xc7 -top sata_recorder -flatten", "hierarchy -check", "check -assert",
                     "stat"], tmp_path)
    counts = log.rpartition("Printing statistics")[2]
    print(counts)
    for kind, count in {"gtp": {"GTPE2_COMMON": 1}, "gtx": {}}[CASES[name][0]].items() | {
            f"{CASES[name][0].upper()}E2_CHANNEL": CASES[name][3].get("lanes", 1)}.items():
        assert re.search(rf"\b{count}   {kind}\n", counts), kind
