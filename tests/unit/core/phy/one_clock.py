"""A netlist of several clocks as one with a single clock, which the fast translator knows."""

import json
import tempfile
from pathlib import Path

from sata_recorder.export import yosys

__all__ = ["one_clock"]

#: Most bits of one multiplexer.
_WORD = 64


def one_clock(text, clocks):
    """RTLIL ``text``, whose top is ``top``, with the clock ``clk`` in place of its ``clocks``, and
    with the input ``rises``: at an edge the flops of the nth clock keep what they hold unless bit
    n is 1. A reset that is asynchronous acts with the next evaluation, as before."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "several.il").write_text(text)
        yosys.run(["read_rtlil several.il", "hierarchy -top top", "flatten", "proc", "async2sync",
                   "dffunmap", "opt_clean", "write_json several.json"], folder)
        design = json.loads((folder / "several.json").read_text())
        _join(design["modules"]["top"], clocks)
        (folder / "one.json").write_text(json.dumps(design))
        yosys.run(["read_json one.json", "write_rtlil one.il"], folder)
        return (folder / "one.il").read_text()


def _join(module, clocks):
    nets = _new_nets(module)
    ports = module["ports"]
    old = {ports.pop(clock)["bits"][0]: n for n, clock in enumerate(clocks)}
    clk = [next(nets)]
    rises = [next(nets) for _ in clocks]
    for name, bits in ("clk", clk), ("rises", rises):
        ports[name] = {"direction": "input", "bits": bits}
        module["netnames"][name] = {"hide_name": 0, "bits": bits, "attributes": {}}
    for clock in clocks:
        del module["netnames"][clock]
    cells = module["cells"]
    for name, cell in [*cells.items()]:
        connections = cell["connections"]
        if int(cell["parameters"].get("CLK_ENABLE", "1"), 2) and "CLK" in connections:
            assert int(cell["parameters"]["CLK_POLARITY"], 2), name
            rises_now = rises[old[connections["CLK"][0]]]
            connections["CLK"] = clk
            if cell["type"] == "$dff":
                data, held = connections["D"], connections["Q"]
                connections["D"] = [bit for at in range(0, len(data), _WORD) for bit in _chosen(
                    cells, nets, f"{name}.{at}", rises_now, data[at:at + _WORD],
                    held[at:at + _WORD])]
            else:       # a port of a memory
                (enable,) = set(connections["EN"])
                connections["EN"] = len(connections["EN"]) * _chosen(
                    cells, nets, f"{name}.enable", rises_now, [enable], ["0"])


def _chosen(cells, nets, name, select, one, zero):
    """What a new multiplexer gives."""
    result = [next(nets) for _ in one]
    cells[name] = {
        "hide_name": 1, "type": "$mux", "parameters": {"WIDTH": f"{len(one):032b}"},
        "attributes": {}, "port_directions": {"A": "input", "B": "input", "S": "input",
                                              "Y": "output"},
        "connections": {"A": zero, "B": one, "S": [select], "Y": result}}
    return result


def _new_nets(module):
    used = [bit for entry in module["netnames"].values() for bit in entry["bits"]
            if isinstance(bit, int)]
    number = max(used, default=1)
    while True:
        number += 1
        yield number
