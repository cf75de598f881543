"""The recorder with its processor as one netlist of one clock."""

import json
import tempfile
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl._ir import PortDirection

from ..export import yosys
from ..interface import named_ports
from .compiler import program
from .processors import CELL, PROCESSORS
from .recorder import OPERATED, FirmwareRecorder


def whole_rtlil(configuration, processor, top):
    """RTLIL text of the recorder of ``configuration`` that ``processor`` operates: modules of one
    clock, of which ``top`` has the ports of a core and those of :data:`.recorder.OPERATED`.

    Raises :exc:`.compiler.FirmwareError`, :exc:`..export.yosys.YosysError`.
    """
    recorder = FirmwareRecorder(configuration, processor, program(processor))
    told = dict(zip(OPERATED, (recorder.ticks, recorder.clocks, recorder.operation_sectors,
                               recorder.interrupts)))
    ports = named_ports(recorder) | {name: (value, PortDirection.Input)
                                     for name, value in told.items()}
    text = rtlil.convert(recorder, name=top, ports=ports, emit_src=False)
    return text + processor_rtlil(processor)


def processor_rtlil(name):
    """RTLIL text of a processor with an input `tick`: the module :data:`.processors.CELL`."""
    source = PROCESSORS[name]
    reads = [f"read_verilog {path}" for path in source.paths()]
    sets = [f"chparam -set {parameter} {value} {source.top}"
            for parameter, value in source.parameters]
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as place:
        folder = Path(place)
        yosys.run([*reads, *sets, f"hierarchy -top {source.top}", "proc", "flatten", "opt_expr",
                   "opt_reduce", "opt_clean", "memory_collect", "memory_unpack",
                   f"rename -top {CELL}", "setattr -mod -unset src", "setattr -unset src",
                   "write_json raw.json"], folder)
        design = ticking(json.loads((folder / "raw.json").read_text()), CELL)
        (folder / "cell.json").write_text(json.dumps(design))
        yosys.run(["read_json cell.json", "dffunmap", "setattr -mod -unset top",
                   "write_rtlil cell.il"], folder)
        return (folder / "cell.il").read_text()


def ticking(design, name):
    """``design``, Yosys's JSON, in which the flat module ``name`` of one clock `clk` gets an input
    `tick`: registers and memories change at the clock's edge only while that is high.

    So a processor runs in only some of the clocks, in a netlist that has one clock. Raises
    ``ValueError`` for a clocked cell of an unknown type.
    """
    module = design["modules"][name]
    bits = [bit for net in module["netnames"].values() for bit in net["bits"]
            if isinstance(bit, int)]
    tick = max(bits) + 1
    fresh = iter(range(tick + 1, 1 << 62))
    module["ports"]["tick"] = {"direction": "input", "bits": [tick]}
    module["netnames"]["tick"] = {"hide_name": 0, "bits": [tick], "attributes": {}}
    for label, cell in list(module["cells"].items()):
        ports, parameters, kind = cell["connections"], cell["parameters"], cell["type"]
        if kind == "$dff":
            cell["type"] = "$dffe"
            parameters["EN_POLARITY"] = "1"
            ports["EN"] = [tick]
            cell.get("port_directions", {})["EN"] = "input"
        elif kind == "$memwr_v2" or kind == "$memrd_v2" and int(parameters["CLK_ENABLE"], 2):
            enables = list(dict.fromkeys(ports["EN"]))
            gated = {enable: next(fresh) for enable in enables}
            module["cells"][f"{label}$tick"] = _and(enables, [tick] * len(enables),
                                                    list(gated.values()))
            ports["EN"] = [gated[enable] for enable in ports["EN"]]
        elif "CLK" in ports and kind != "$memrd_v2":
            raise ValueError(f"{name}: cell {label} of type {kind} has a clock")
    return design


def _and(a, b, y):
    """An AND cell."""
    width = f"{len(y):032b}"
    return {"hide_name": 1, "type": "$and", "attributes": {},
            "parameters": {"A_SIGNED": "0", "A_WIDTH": width, "B_SIGNED": "0", "B_WIDTH": width,
                           "Y_WIDTH": width},
            "port_directions": {"A": "input", "B": "input", "Y": "output"},
            "connections": {"A": a, "B": b, "Y": y}}
