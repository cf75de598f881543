"""The instantiation template, and the instance in the example, connect every port of the core."""

import re
import subprocess
from pathlib import Path

import pytest
from export.frozen import PACING, PORTS
from short import short

from sata_recorder.interface.configuration import Configuration
from sata_recorder.export import description, template, verilog

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "verilog_recorder.v"
CONNECTION = re.compile(r"^\s*\.(\w+)\s*\((.*?)\),?\s*//", re.MULTILINE)
FROZEN = {"pins": PORTS["pins"], "axi-lite": PORTS["axi-lite"],
          "programmable": PORTS["pins"] + PACING}
CHOSEN = {"pins": {}, "axi-lite": {"control": "axi-lite"},
          "programmable": {"pacing": "programmable"}}


@pytest.fixture(scope="module", params=short(FROZEN, ["pins", "axi-lite"]))
def case(request):
    return FROZEN[request.param], Configuration(buffer_words=128, **CHOSEN[request.param])


def test_every_port(case):
    ports, configuration = case
    text = template(configuration)
    assert CONNECTION.findall(text) == [(name, name) for _, name, _ in ports]
    nets = {name: int(high or 0) + 1 for high, name in re.findall(
        r"^wire (?:\[(\d+):0\])? *(\w+);$", text, re.MULTILINE)}
    assert nets == {name: width for _, name, width in ports if name not in ("clk", "rst")}


@pytest.mark.wide
@pytest.mark.sample(2)
def test_compiles(case, verilator, tmp_path):
    _, configuration = case
    (tmp_path / "core.v").write_text(verilog(configuration))
    (tmp_path / "core.vh").write_text(template(configuration))
    user = tmp_path / "user.v"
    user.write_text('module user(input clk, input rst);\n`include "core.vh"\nendmodule\n')
    result = subprocess.run(["iverilog", "-Wall", "-g2001", "-s", "user", "-o", "user.out",
                             "user.v", "core.v"], cwd=tmp_path, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert (result.returncode, result.stdout) == (0, "")
    # Nobody drives and reads the nets of the template yet.
    assert verilator(user, "core.v", "--top-module", "user", "-Wno-UNDRIVEN", "-Wno-UNUSED") == \
        (0, "")


@pytest.mark.wide
def test_example(verilator, tmp_path):
    """No input is left open: Verilator warns of each port that an instance does not name."""
    (tmp_path / "core.v").write_text(verilog(Configuration(max_command_sectors=256)))
    copy = tmp_path / EXAMPLE.name
    copy.write_text(EXAMPLE.read_text())
    assert verilator(copy, "core.v", "--top-module", "verilog_recorder", "-Wno-PINCONNECTEMPTY") \
        == (0, "")
    connected = dict(CONNECTION.findall(EXAMPLE.read_text()))
    for port in description(Configuration())["ports"]:
        assert connected[port["name"]] or port["direction"] == "output", port["name"]
