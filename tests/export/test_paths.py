"""Between the inputs and the outputs of the exported core there are flops on every path."""

import json

import pytest
from short import short

from sata_recorder.interface.configuration import Configuration
from sata_recorder.export import verilog, yosys

#: The cell whose output changes with the clock only; all others pass their inputs on.
FLOP = "$_DFF_P_"


def passed_on(cell):
    """The inputs and the outputs of a cell between which there is no flop: lists of bits."""
    ends = {"input": [], "output": []}
    if cell["type"] == "$mem_v2":
        # Writing takes a clock; so does reading, but of the ports that have none.
        if "0" in cell["parameters"]["RD_CLK_ENABLE"]:
            ends = {"input": cell["connections"]["RD_ADDR"],
                    "output": cell["connections"]["RD_DATA"]}
    elif cell["type"] != FLOP:
        for port, bits in cell["connections"].items():
            ends[cell["port_directions"][port]] += bits
    return ends["input"], ends["output"]


def reached(module):
    """The outputs of the netlist `module` that an input reaches without a flop: output, input."""
    sinks = {}
    for cell in module["cells"].values():
        inputs, outputs = passed_on(cell)
        for bit in inputs:
            sinks.setdefault(bit, []).extend(outputs)
    found = set()
    for name, port in module["ports"].items():
        seen, todo = set(), list(port["bits"]) if port["direction"] == "input" else []
        while todo:
            bit = todo.pop()
            if bit not in seen:
                seen.add(bit)
                todo += sinks.get(bit, [])
        found |= {(other, name) for other, target in module["ports"].items()
                  if target["direction"] == "output" and seen.intersection(target["bits"])}
    return found


def netlist(text, folder):
    (folder / "design.v").write_text(text)
    yosys.run(["read_verilog design.v", "hierarchy -top sata_recorder", "proc", "flatten",
               "opt_expr", "memory -nomap", "opt_clean", "techmap", "opt_clean",
               "write_json netlist.json"], folder)
    module = json.loads((folder / "netlist.json").read_text())["modules"]["sata_recorder"]
    # Constants are the strings "0", "1", "x"; nets are numbers.
    for cell in module["cells"].values():
        cell["connections"] = {port: [bit for bit in bits if isinstance(bit, int)]
                               for port, bits in cell["connections"].items()}
    return module


@pytest.mark.wide
@pytest.mark.parametrize("configuration", short(["pins", "axi-lite"], ["axi-lite"]), indirect=True,
                         scope="session")
def test_no_path_past_the_flops(text, tmp_path):
    module = netlist(text, tmp_path)
    assert len(module["cells"]) > 1000
    assert not reached(module)


@pytest.mark.long
def test_no_path_past_the_framer(tmp_path):
    assert not reached(netlist(verilog(Configuration(frames=True)), tmp_path))


def test_a_path_is_found(tmp_path):
    module = netlist("module sata_recorder(input clk, input a, input b, input c, output reg q,"
                     " output o);\n  always @(posedge clk) q <= a;\n  assign o = (b ^ c) & q;\n"
                     "endmodule\n", tmp_path)
    assert reached(module) == {("o", "b"), ("o", "c")}


def test_a_path_through_a_memory_is_found(tmp_path):
    """From the address of a port without a clock to its data, and only there."""
    module = netlist("module sata_recorder(input clk, input [3:0] w, input [3:0] r, input [7:0] d,"
                     " output [7:0] o, output reg [7:0] p);\n  reg [7:0] m [0:15], n [0:15];\n"
                     "  always @(posedge clk) m[w] <= d;\n  assign o = m[r];\n"
                     "  always @(posedge clk) n[w] <= d;\n  always @(posedge clk) p <= n[r];\n"
                     "endmodule\n", tmp_path)
    assert "$mem_v2" in {cell["type"] for cell in module["cells"].values()}
    assert reached(module) == {("o", "r")}
