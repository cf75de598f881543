"""Between the inputs and the outputs of the exported core there are flops on every path."""

import json

from sata_recorder.export import yosys

#: Cells whose outputs change with the clock only; all others pass their inputs on.
CLOCKED = {"TRELLIS_FF", "DP16KD"}


def reached(module):
    """The outputs of the netlist `module` that an input reaches without a flop: output, input."""
    sinks = {}
    for cell in module["cells"].values():
        if cell["type"] in CLOCKED:
            continue
        ends = {"input": [], "output": []}
        for port, bits in cell["connections"].items():
            ends[cell["port_directions"][port]] += bits
        for bit in ends["input"]:
            sinks.setdefault(bit, []).extend(ends["output"])
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
    yosys.run(["read_verilog design.v", "synth_ecp5 -top sata_recorder",
               "write_json netlist.json"], folder)
    module = json.loads((folder / "netlist.json").read_text())["modules"]["sata_recorder"]
    # Constants are the strings "0", "1", "x"; nets are numbers.
    for cell in module["cells"].values():
        cell["connections"] = {port: [bit for bit in bits if isinstance(bit, int)]
                               for port, bits in cell["connections"].items()}
    return module


def test_no_path_past_the_flops(text, tmp_path):
    module = netlist(text, tmp_path)
    assert len(module["cells"]) > 1000
    assert not reached(module)


def test_a_path_is_found(tmp_path):
    module = netlist("module sata_recorder(input clk, input a, input b, input c, output reg q,"
                     " output o);\n  always @(posedge clk) q <= a;\n  assign o = (b ^ c) & q;\n"
                     "endmodule\n", tmp_path)
    assert reached(module) == {("o", "b"), ("o", "c")}
