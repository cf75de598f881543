"""The example with LiteDRAM: its Verilog is made, and is consistent."""

import re
import runpy
import shutil
from pathlib import Path

import pytest

from sata_recorder import extras
from sata_recorder.export import yosys

# LiteDRAM takes long to generate.
pytestmark = pytest.mark.wide
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/litedram"

if missing := extras.missing("litex"):
    pytest.skip(missing, allow_module_level=True)

BUILD = runpy.run_path(str(EXAMPLE / "build.py"))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("litedram")
    return folder, BUILD["made"](folder)


def test_each_net_has_one_driver(built):
    assert BUILD["checked"](*built)


def test_a_port_that_is_not_there_is_found(built, tmp_path):
    folder, files = built
    shutil.copytree(folder, tmp_path / "wrong")
    top = tmp_path / "wrong" / files[-1]
    top.write_text(top.read_text().replace(".user_port_m_axi_wstrb", ".user_port_m_axi_strobe"))
    with pytest.raises(yosys.YosysError, match="strobe"):
        BUILD["checked"](tmp_path / "wrong", files)


def test_all_of_the_bus_is_connected(built):
    """Each signal of AXI4 that both sides have, by its own name and in its own width."""
    folder, files = built
    top = (folder / files[-1]).read_text()
    for name in ("awaddr", "awlen", "awsize", "awburst", "awvalid", "awready", "wdata", "wstrb", "wlast", "wvalid",
                 "wready", "bresp", "bvalid", "bready", "araddr", "arlen", "arsize", "arburst", "arvalid", "arready",
                 "rdata", "rresp", "rlast", "rvalid", "rready"):
        one, = re.findall(rf"\.m_axi_{name} \((\w+)\)", top)
        other, = re.findall(rf"\.user_port_m_axi_{name} \((.*?)\)", top)
        assert one == name and name in other
    core, dram = ((folder / file).read_text() for file in (files[1], files[0]))
    for name, bits in ("wdata", 128), ("rdata", 128), ("wstrb", 16), ("awlen", 8):
        assert re.search(rf"\[{bits - 1}:0\] m_axi_{name};", core)
        assert re.search(rf"wire +\[{bits - 1}:0\] user_port_m_axi_{name}\b", dram)
