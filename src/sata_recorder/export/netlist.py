"""The core as one Verilog file."""

import re
import tempfile
from pathlib import Path

from amaranth.back import rtlil

from .. import __version__
from . import yosys
from .top import described, top

__all__ = ["TOP", "verilog"]

#: Name of the top module, and prefix of all others.
TOP = "sata_recorder"

# Written by the tools for themselves; `src` and `hierarchy` would also tell paths of this machine.
_ATTRIBUTES = ("generator", "top", "src", "amaranth.hierarchy", "amaranth.decoding")


def verilog(configuration):
    """Verilog text of the core for ``configuration``; the same arguments give the same text.

    The hierarchy is kept, so that area and timing reports of other tools speak of the layers.
    Every module's name starts with ``sata_recorder``: none clashes with a user's own.
    Raises :exc:`.yosys.YosysError`.
    """
    core, ports = top(configuration)
    text = rtlil.convert(core, name=TOP, ports=ports, emit_src=False)
    order = [*described(ports)]
    body = _write(_defined_reads(_order_ports(_plain_names(text), order)))
    return (f"// {TOP} {__version__}: a SATA host and streaming recorder.\n"
            "// SPDX-License-Identifier: BSD-2-Clause\n"
            f"// Configuration: {configuration.model_dump_json()}\n\n{body}")


def _write(text):
    """What `amaranth.back.verilog` does, but without a process for anything but a flop.

    Amaranth leaves decisions as `always @*`. One that only assigns constants to some bits of a
    signal never runs in a simulator, since nothing it reads can change, and those bits stay X.
    """
    remove = " ".join(f"-remove {name}" for name in _ATTRIBUTES)
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        Path(folder, "core.il").write_text(text)
        yosys.run(["read_rtlil core.il", "proc -norom", "pmuxtree", "memory_collect", "opt_clean",
                   f"attrmap {remove}", f"attrmap -modattr {remove}", "write_verilog core.v"],
                  folder)
        written = Path(folder, "core.v").read_text()
    # The first line names the Yosys build and the compiler it was built with.
    return written.split("\n", 1)[1].lstrip("\n")


def _plain_names(text):
    """Renames the modules ``sata_recorder.link.rx`` to ``sata_recorder_link_rx``."""
    names = {}
    for name in re.findall(r"^module \\(\S+)$", text, re.MULTILINE):
        plain = re.sub(r"\W", "_", name)
        while plain in names.values():
            plain += "_"
        names[name] = plain
    return re.sub(r"^(module|  cell) \\(\S+)",
                  lambda found: f"{found[1]} \\{names.get(found[2], found[2])}",
                  text, flags=re.MULTILINE)


def _defined_reads(text):
    """Lets the output of each memory start as 0: what block RAMs do, and Amaranth's simulator."""
    return re.sub(r"^(    parameter \\INIT_VALUE \d+')x+$", r"\g<1>0", text, flags=re.MULTILINE)


def _order_ports(text, names):
    """Numbers the top module's ports in the order of ``names``; 0 would mean no number."""
    head, top, rest = re.split(rf"(^module \\{TOP}$.*?^end$)", text, maxsplit=1,
                               flags=re.MULTILINE | re.DOTALL)
    top = re.sub(r"^(  wire .*?(?:in|out)put) \d+ +\\(\S+)$",
                 lambda found: f"{found[1]} {names.index(found[2]) + 1} \\{found[2]}",
                 top, flags=re.MULTILINE)
    return head + top + rest
