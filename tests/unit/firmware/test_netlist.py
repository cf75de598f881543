"""A netlist of one clock gets an enable for all of its state."""

import copy
import ctypes
import json
import random

import pytest

from sata_recorder.export import yosys
from sata_recorder.firmware.netlist import ticking
from sata_recorder.simulation.build import Translator, wrapped

_VERILOG = """
module top(input clk, input write, input [1:0] address, input [7:0] in, output [7:0] out,
           output reg [7:0] count);
    reg [7:0] memory [0:3];
    assign out = memory[address];
    always @(posedge clk) begin
        count <= count + 1;
        if (write) memory[address] <= in;
    end
endmodule
"""
_HARNESS = """
#include "top.cc"
extern "C" __attribute__((visibility("default"))) Core *create() { return new Core(); }
extern "C" __attribute__((visibility("default")))
unsigned clocked(Core *core, int tick, int write, int address, int in) {
    core->p_tick.set(tick), core->p_write.set(write);
    core->p_address.set(address), core->p_in.set(in);
    core->clock();
    unsigned out = now(core->p_out) | now(core->p_count) << 8;
    core->commit();
    return out;
}
"""


@pytest.fixture(scope="module")
def design(tmp_path_factory):
    folder = tmp_path_factory.mktemp("design")
    (folder / "top.v").write_text(_VERILOG)
    yosys.run(["read_verilog top.v", "hierarchy -top top", "proc", "opt_reduce", "memory_collect",
               "memory_unpack", "write_json top.json"], folder)
    return json.loads((folder / "top.json").read_text())


def test_it_stands_still_without_a_tick(design, tmp_path):
    (tmp_path / "gated.json").write_text(json.dumps(ticking(copy.deepcopy(design), "top")))
    yosys.run(["read_json gated.json", "dffunmap", "write_rtlil gated.il"], tmp_path)
    library = ctypes.CDLL(str(wrapped((tmp_path / "gated.il").read_text(), _HARNESS,
                                      Translator.NETLIST)))
    library.create.restype = ctypes.c_void_p
    top = ctypes.c_void_p(library.create())
    rng = random.Random(5)
    count, memory = 0, [0] * 4
    for _ in range(2000):
        tick, write, address, word = (rng.getrandbits(bits) for bits in (1, 1, 2, 8))
        assert library.clocked(top, tick, write, address, word) == memory[address] | count << 8
        if tick:
            count = (count + 1) % 256
            if write:
                memory[address] = word


def test_unknown_clocked_cell(design):
    strange = copy.deepcopy(design)
    cell = next(cell for cell in strange["modules"]["top"]["cells"].values()
                if cell["type"] == "$dff")
    cell["type"] = "$adff"
    with pytest.raises(ValueError, match=r"cell .* of type \$adff has a clock"):
        ticking(strange, "top")
