"""What GTKWave and Surfer show of a recording in `--vcd`: the primitives of the dword port as text."""

import io

from sata_recorder.interface import PORTS
from sata_recorder.core.link.primitives import Primitive
from vcd.gtkw import GTKWSave

SAVE, FILTER = "examples/waves/recorder.gtkw", "examples/waves/primitives.txt"
#: Surfer looks for mappings in this folder below the one in which it is started.
COMMANDS, MAPPING = "examples/waves/recorder.sucl", "examples/waves/.surfer/mappings/primitives.txt"
_FORMAT = "SATA_primitive"
_GROUPS = (("dword port", ("phy_",)), ("streams", ("s_axis_", "m_axis_")),
           ("control", ("start", "operation", "stop", "ready", "busy", "done", "error",
                        "recovering")))
_DWORDS = "phy_tx_data", "phy_rx_data"


def _groups():
    """Titles, and the ports under each."""
    for title, begins in _GROUPS:
        yield title, [port for port in PORTS.values() if port.name.startswith(begins)]


def filter_text():
    """A translate filter of GTKWave: a value as it is shown, and what is shown instead."""
    return "".join(f"{int(one):08X} {one.name}\n" for one in Primitive)


def save_text():
    """A save file of GTKWave: ports of the PHY, of the streams and of control."""
    file = io.StringIO()
    save = GTKWSave(file)
    for title, ports in _groups():
        with save.group(title):
            for port in ports:
                span = f"[{port.width - 1}:0]" if port.width > 1 else ""
                save.trace(f"sata_recorder.{port.name}{span}", datafmt="hex",
                           translate_filter_file=FILTER if port.name in _DWORDS else None)
    return file.getvalue()


def mapping_text():
    """A mapping translator of Surfer: the name of a format, and its values with their texts."""
    return f"Name = {_FORMAT}\nBits = 32\n" + "".join(f"0x{int(one):08X} {one.name}\n"
                                                      for one in Primitive)


def commands_text():
    """A command file of Surfer: the same ports."""
    lines, formats = [], []
    for title, ports in _groups():
        # A name in a command file is one word.
        lines.append(f"divider_add {title.replace(' ', '_')}")
        for port in ports:
            if port.name in _DWORDS:        # an item is known by a letter for its place
                formats += [f"item_focus {chr(ord('a') + len(lines))}", f"item_set_format {_FORMAT}"]
            lines.append(f"variable_add sata_recorder.{port.name}")
    return "\n".join([*lines, *formats, "item_unfocus", "zoom_fit", ""])


#: Each file, and what makes its text.
FILES = {SAVE: save_text, FILTER: filter_text, COMMANDS: commands_text, MAPPING: mapping_text}
