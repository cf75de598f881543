"""What the PHY on a GTP and on a GTX costs in Yosys' synthesis for the 7-series, by itself and below a recorder."""

import json
import re
import tempfile
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import IOPort

from sata_recorder.export import BACK_ENDS, verilog, yosys
from sata_recorder.facts.units import DWORD_HZ
from sata_recorder.interface.configuration import configured
from tables import Table, markdown

GENERATION = 3
#: Kinds of cells, as patterns of whole names.
KINDS = {"LUT": "LUT[1-6]|INV", "carry": "CARRY4", "FF": "FD[RSCP]E", "LUT RAM": r"RAM\d+\w*|SRL\w+",
         "BRAM": r"RAMB\d+E1", "clock buffers": "BUFG|BUFGCE", "MMCM": r"MMCM\w+"}


def phy(kind, observed):
    """Commands that read the PHY with its back end, and the RTLIL that they read."""
    back_end = BACK_ENDS[kind](generation=GENERATION, observed=observed)
    made = back_end.phy(DWORD_HZ[GENERATION], {pin.name: IOPort(1, name=pin.name) for pin in back_end.pins()})
    return "read_rtlil top.text", rtlil.convert(made, name="sata_recorder", emit_src=False)


def recorder(kind):
    """The same of the exported recorder."""
    configuration = configured("recorder", {"clock_hz": DWORD_HZ[GENERATION]})
    return "read_verilog top.text", verilog(configuration, BACK_ENDS[kind](generation=GENERATION))


def row(name, make, kind, *options):
    """The cells by kind."""
    read, text = make(kind, *options)
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        Path(folder, "top.text").write_text(text)
        yosys.run([read, "read_verilog -lib +/xilinx/cells_xtra.v",
                   "synth_xilinx -family xc7 -flatten -noiopad -top sata_recorder", "tee -q -o stat.json stat -json"],
                  folder)
        cells = json.loads(Path(folder, "stat.json").read_text())["design"]["num_cells_by_type"]
    return name, *(sum(count for cell, count in cells.items() if re.fullmatch(pattern, cell))
                   for pattern in KINDS.values())


def table(results):
    """The table. Yosys adds clock buffers for the clocks at ports."""
    return f"Gen3, `synth_xilinx -family xc7`, without placement:\n\n{markdown(('', *KINDS), results)}"


TABLES = (Table("phy.md", "series7-area", tuple(
    one for kind in ("gtp", "gtx") for one in (
        (f"`{kind}`: PHY with its back end", phy, kind, True), (f"`{kind}`, `observed=false`", phy, kind, False),
        (f"`{kind}`: configuration `recorder` on it", recorder, kind))), row, table),)
