"""Area of LiteSATA's core and of this project's in the synthesis of other families than the ECP5's."""

import json
import re
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from amaranth.back import rtlil

import areas
import peer_area
from sata_recorder.export import yosys
from sata_recorder_platforms.out_of_context import ports_of

__all__ = ["FAMILIES", "HEADER", "Family", "measured", "rows", "versions"]

HEADER = ("family", "core", "LUT", "carry", "FF", "LUT RAM", "BRAM", "depth")
#: Cells that are none of a device's resources: constants, and what Yosys tells about scopes.
_NOTHING = {"$scopeinfo", "GND", "VCC", "GSR"}


@dataclass(frozen=True)
class Family:
    """The synthesis of a family of devices, and what its cells are, as patterns of whole names; ``free`` cells are part
    of what a LUT or a flop is in. ``clocked`` selects the cells at which a path ends, in the words of Yosys."""

    synthesis: str
    lut: str
    carry: str
    ff: str
    lutram: str
    bram: str
    clocked: str
    free: str = ""

    def count(self, cells):
        """How many of each kind the ``cells`` are, a number of each by name; ``YosysError`` for one of no kind."""
        kinds = {kind: getattr(self, kind) for kind in ("lut", "carry", "ff", "lutram", "bram", "free")}
        found = dict.fromkeys(kinds, 0)
        for cell, number in cells.items():
            kind = next((kind for kind, pattern in kinds.items() if pattern and re.fullmatch(pattern, cell)), None)
            if kind is not None:
                found[kind] += number
            elif cell not in _NOTHING:
                raise yosys.YosysError(f"a cell of an unknown kind: {cell}")
        del found["free"]
        return found


#: As the commands of Yosys call them. A carry cell has 4 bits on xc7, 1 on all others.
FAMILIES = {
    "xc7 (7-series)": Family(
        "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf", lut="LUT[1-6]|INV", carry="CARRY4", ff="FD[RSCP]E",
        lutram=r"RAM\d+\w*|SRL\w+", bram=r"RAMB\d+E1", clocked="t:FD*E t:SRL* t:RAMB*", free=r"MUXF[78]"),
    "intel_alm (Cyclone V)": Family(
        "synth_intel_alm -family cyclonev -noiopad -noclkbuf", lut=r"MISTRAL_ALUT\d|MISTRAL_NOT",
        carry="MISTRAL_ALUT_ARITH", ff="MISTRAL_FF", lutram="MISTRAL_MLAB", bram="MISTRAL_M10K",
        clocked="t:MISTRAL_FF t:MISTRAL_M10K"),
    "gowin": Family(
        "synth_gowin -noiopads", lut="LUT[1-4]", carry="ALU", ff=r"DFF\w*", lutram=r"RAM16\w+",
        bram=r"(p?ROM|SDP|DP|SP)X?9?B?", clocked="t:DFF* t:SDP* t:DP* t:SP*", free=r"MUX2_LUT\d"),
    "gatemate": Family(
        "synth_gatemate -noiopad -noclkbuf", lut=r"CC_LUT\d|CC_L2T\d|CC_MX\d", carry="CC_ADDF", ff="CC_DFF|CC_DLT",
        lutram="-", bram=r"CC_BRAM_\d+K|CC_FIFO_40K", clocked="t:CC_DFF t:CC_BRAM*"),
}


def _designs(peer):
    """Name to RTLIL, whose top module is `component`."""
    yield peer_area.PEER, peer_area.netlist(peer.core)
    host = peer_area.Host()
    yield peer_area.OURS, rtlil.convert(host, name="component", ports=ports_of(host), emit_src=False)
    for name, fields in (("SATA Recorder: smallest whole core", areas.SMALLEST), ("SATA Recorder: whole core", {})):
        core, ports = areas.whole(**fields)()
        yield name, rtlil.convert(core, name="component", ports=ports, emit_src=False)


def _synthesized(text, family):
    """The cells by kind, and the cells on the longest path from flop to flop."""
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        Path(folder, "component.il").write_text(text)
        yosys.run(["read_rtlil component.il", f"{family.synthesis} -top component",
                   "tee -q -o stat.json stat -json",
                   f"delete {family.clocked}", "tee -q -o depth.txt ltp"], folder)
        cells = json.loads(Path(folder, "stat.json").read_text())["design"]["num_cells_by_type"]
        depth = re.search(r"length=(\d+)", Path(folder, "depth.txt").read_text())
        return {**family.count(cells), "depth": int(depth[1])}


def measured(peer):
    """The area of all designs in all families, as plain data; ``peer`` as peer_environment made it."""
    designs = dict(_designs(peer))
    for family, synthesis in FAMILIES.items():
        for name, text in designs.items():
            print(f"compare: {family}, {name} ...", file=sys.stderr, flush=True)
            yield {"family": family, "name": name, **_synthesized(text, synthesis)}


def rows(entries):
    """The rows of the table."""
    return [tuple(entry.values()) for entry in entries]


def versions():
    """The tools."""
    return f"Yosys {version('pyosys')}"
