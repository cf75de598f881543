"""The examples for boards with a 7-series: what they write for Vivado, as far as other tools can tell."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sata_recorder.export import yosys

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: Name of a board to the part, and how many there are of each cell.
BOARDS = {"acorn": ("xc7a200tfbg484-3", {"GTPE2_CHANNEL": 1, "GTPE2_COMMON": 1, "MMCME2_BASE": 3}),
          "kc705": ("xc7k325tffg900-2", {"GTXE2_CHANNEL": 1, "MMCME2_BASE": 2})}


def script(name):
    return EXAMPLES / name / f"{name}_recorder.py"


def example(name):
    spec = importlib.util.spec_from_file_location(f"{name}_recorder", script(name))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.BOARD


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("generation", [1, 2, 3])
def test_pins(name, generation):
    """Every port has a pin of its own, and the pads of the PHY are among them."""
    board = example(name)
    located = re.findall(r"PACKAGE_PIN (\w+) \[get_ports (\w+)\]", board.pins())
    assert [port for _, port in located] == [*board.ports] and len({pin for pin, _ in located}) == len(located)
    back_end = board.back_end(generation)
    assert {pin.name for pin in back_end.pins()} <= {*board.ports}
    back_end.check(board.core_hz[generation])


@pytest.mark.long
@pytest.mark.parametrize("name", BOARDS)
def test_files(name, tmp_path):
    """The ports are those with pins, every pin that a constraint names is in the netlist, and that has no problem."""
    board = example(name)
    names = board.write(tmp_path, 3)
    assert {*names} <= {path.name for path in tmp_path.iterdir()}
    (tmp_path / "buffer.v").write_text("(* blackbox *) module BUFG(output O, input I); endmodule\n")
    yosys.run(["read_verilog -lib +/xilinx/cells_xtra.v", f"read_verilog buffer.v {name}.v",
               f"hierarchy -check -top {name}", "proc", "check -assert", "flatten -separator /",
               "write_json flat.json"], tmp_path)
    module = json.loads((tmp_path / "flat.json").read_text())["modules"][name]
    assert {port: told["direction"] for port, told in module["ports"].items()} == {
        port: direction for port, (direction, _, _) in board.ports.items()}
    pins = re.findall(r"\[get_pins (\S+?)\]", (tmp_path / f"{name}_phy.xdc").read_text())
    assert len(pins) >= 5
    for pin in pins:
        cell, _, port = pin.rpartition("/")
        assert port in module["cells"][cell]["connections"], pin
    assert f"-part {BOARDS[name][0]}" in (tmp_path / f"{name}.tcl").read_text()


@pytest.mark.wide
@pytest.mark.parametrize("name", BOARDS)
def test_a_folder_that_is_there_is_left_alone(name, tmp_path):
    told = subprocess.run([sys.executable, str(script(name)), str(tmp_path)], capture_output=True, text=True)
    assert told.returncode == 1 and told.stderr == f"{tmp_path}: cannot be made: File exists\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize("name", BOARDS)
def test_synth_xilinx_maps_it(name, tmp_path):
    """Yosys knows each cell and each port; it prints the count of cells with -s."""
    example(name).write(tmp_path, 3)
    log = yosys.run([f"read_verilog {name}.v", "read_verilog -lib +/xilinx/cells_xtra.v",
                     f"synth_xilinx -family xc7 -top {name} -flatten", "hierarchy -check", "check -assert", "stat"],
                    tmp_path)
    counts = log.rpartition("Printing statistics")[2]
    print(counts)
    for cell, count in BOARDS[name][1].items():
        assert re.search(rf"\b{count}   {cell}\n", counts), cell
