"""What GTKWave shows of a recording in `--vcd`: the primitives of the dword port as text."""

import io

from sata_recorder.interface import PORTS
from sata_recorder.link.primitives import Primitive
from vcd.gtkw import GTKWSave

__all__ = ["FILTER", "SAVE", "filter_text", "save_text"]

SAVE, FILTER = "examples/waves/recorder.gtkw", "examples/waves/primitives.txt"


def filter_text():
    """A translate filter of GTKWave: a value as it is shown, and what is shown instead."""
    return "".join(f"{int(one):08X} {one.name}\n" for one in Primitive)


def save_text():
    """A save file: ports of the PHY, of the streams and of control."""
    file = io.StringIO()
    save = GTKWSave(file)
    for title, begins in (("dword port", ("phy_",)), ("streams", ("s_axis_", "m_axis_")),
                          ("control", ("start", "operation", "stop", "ready", "busy", "done",
                                       "error", "recovering"))):
        with save.group(title):
            for port in PORTS.values():
                if port.name.startswith(begins):
                    span = f"[{port.width - 1}:0]" if port.width > 1 else ""
                    dwords = port.name in ("phy_tx_data", "phy_rx_data")
                    save.trace(f"sata_recorder.{port.name}{span}", datafmt="hex",
                               translate_filter_file=FILTER if dwords else None)
    return file.getvalue()
