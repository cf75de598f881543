"""The example for the Acorn: what it writes for Vivado, as far as other tools can tell."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sata_recorder.export import yosys

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/acorn/acorn_recorder.py"


def example():
    spec = importlib.util.spec_from_file_location("acorn_recorder", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("generation", [1, 2, 3])
def test_pins(generation):
    """Every port has a pin of its own, and the pads of the PHY are among them."""
    acorn = example()
    located = re.findall(r"PACKAGE_PIN (\w+) \[get_ports (\w+)\]", acorn.pins())
    assert [name for _, name in located] == [*acorn.PINS] and len({pin for pin, _ in located}) == len(located)
    back_end = acorn.back_end(generation)
    assert {pin.name for pin in back_end.pins()} <= {*acorn.PINS}
    back_end.check(acorn.CORE_HZ[generation])


@pytest.mark.long
def test_files(tmp_path):
    """The ports are those with pins, every pin that a constraint names is in the netlist, and that has no problem."""
    acorn = example()
    names = acorn.write(tmp_path, 3)
    assert {*names} <= {path.name for path in tmp_path.iterdir()}
    (tmp_path / "buffer.v").write_text("(* blackbox *) module BUFG(output O, input I); endmodule\n")
    yosys.run(["read_verilog -lib +/xilinx/cells_xtra.v", "read_verilog buffer.v acorn.v",
               "hierarchy -check -top acorn", "proc", "check -assert", "flatten -separator /", "write_json flat.json"],
              tmp_path)
    module = json.loads((tmp_path / "flat.json").read_text())["modules"]["acorn"]
    assert {name: port["direction"] for name, port in module["ports"].items()} == {
        name: direction for name, (direction, _, _) in acorn.PINS.items()}
    pins = re.findall(r"\[get_pins (\S+?)\]", (tmp_path / "acorn_phy.xdc").read_text())
    assert len(pins) >= 8
    for pin in pins:
        name, _, port = pin.rpartition("/")
        assert port in module["cells"][name]["connections"], pin
    assert "-part xc7a200tfbg484-3" in (tmp_path / "acorn.tcl").read_text()


def test_a_folder_that_is_there_is_left_alone(tmp_path):
    told = subprocess.run([sys.executable, str(EXAMPLE), str(tmp_path)], capture_output=True, text=True)
    assert told.returncode == 1 and told.stderr == f"{tmp_path}: cannot be made: File exists\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_synth_xilinx_maps_it(tmp_path):
    """Yosys knows each cell and each port; it prints the count of cells with -s."""
    example().write(tmp_path, 3)
    log = yosys.run(["read_verilog acorn.v", "read_verilog -lib +/xilinx/cells_xtra.v",
                     "synth_xilinx -family xc7 -top acorn -flatten", "hierarchy -check", "check -assert", "stat"],
                    tmp_path)
    counts = log.rpartition("Printing statistics")[2]
    print(counts)
    assert re.search(r"\b1   GTPE2_CHANNEL\n", counts) and re.search(r"\b3   MMCME2_BASE\n", counts)
