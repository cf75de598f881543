"""The core as one Verilog file."""

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from amaranth.back import rtlil

from .. import __version__
from ..core.phy import BackEnd
from ..interface.configuration import Configuration
from . import yosys
from .top import described, top

__all__ = ["TOP", "verilog"]

#: Name of the top module, and prefix of all others.
TOP = "sata_recorder"

# Written by the tools for themselves; `src` and `hierarchy` would also show paths of this machine.
_ATTRIBUTES = ("generator", "top", "src", "amaranth.hierarchy", "amaranth.decoding")

#: Warnings of Verilator about what is not wrong, and why; old releases know these codes, too.
_LINT = {
    "DECLFILENAME": "one file holds all modules, under a name that its user gives",
    "VARHIDDEN": "a module may have a signal of the name that its parent gives to an instance",
    "UNUSED": "whole groups of signals go to modules that use some of them",
    "CMPCONST": "a comparison with a limit that the configuration sets to the end of the range",
    "UNSIGNED": "a comparison with a limit that the configuration sets to 0",
}
#: More of them, if there are other clocks than that of the core.
_CLOCKS_LINT = {"SYNCASYNCNET": "synchronizers take the reset to the other clocks"}
#: More of them, if a PHY is in the file.
_PHY_LINT = _CLOCKS_LINT | {"PINMISSING": "the cells of the SERDES have ports for what is not used"}
#: Which of its ports have the same width in a cell; A and B in a comparison.
_COMMON = {"add": "ABY", "sub": "ABY", "shl": "AY"}
_CELL = re.compile(
    r"^  cell \$(add|sub|shl|eq|ne|lt|le|gt|ge|divfloor|modfloor) .*\n(?:    .*\n)+?  end$",
    re.MULTILINE)
_SHIFT = re.compile(r"^  cell \$shift .*\n(?:    .*\n)+?  end$", re.MULTILINE)


def verilog(configuration: Configuration, back_end: BackEnd | None = None) -> str:
    """Verilog text of the core for ``configuration``; the same arguments give the same text.

    With a ``back_end`` (:class:`..core.phy.BackEnd`) the PHY is in it, with the cells of its SERDES;
    ``ValueError`` for a clock with which it does not work.

    The hierarchy is kept, so that area and timing reports of other tools name the layers.
    Every module's name starts with ``sata_recorder``: none clashes with a user's own.
    Raises :exc:`.yosys.YosysError`.
    """
    core, ports = top(configuration, back_end)
    text = rtlil.convert(core, name=TOP, ports=ports, emit_src=False)
    order = [*described(ports, back_end)]
    text = _order_ports(_plain_names(text), order)
    clocks = _CLOCKS_LINT if configuration.stream_clocks else {}
    if clocks or back_end is not None:
        text = _kept_clocks(text)
    body = _write(_whole_shifts(_equal_widths(_defined_reads(text))))
    return (f"// {TOP} {__version__}: a SATA host and streaming recorder.\n"
            "// SPDX-License-Identifier: BSD-2-Clause\n"
            f"// Configuration: {configuration.summary()}\n"
            f"{_phy_line(back_end)}\n"
            f"{_linted(body, _LINT | clocks | (_PHY_LINT if back_end else {}))}")


def _phy_line(back_end: BackEnd | None) -> str:
    """The PHY and its options, as a line of the file's head; nothing without a PHY."""
    return f"// PHY: {json.dumps(back_end.as_dict())}\n" if back_end else ""


def _write(text: str) -> str:
    """What `amaranth.back.verilog` does, but without a process for anything but a flop.

    Amaranth leaves decisions as `always @*`. One that only assigns constants to some bits of a
    signal never runs in a simulator, since nothing it reads can change, and those bits stay X.

    Without `opt_expr`, which makes the operands of a comparison as short as they can be; a signal
    has one name in each module.
    """
    remove = " ".join(f"-remove {name}" for name in _ATTRIBUTES)
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        Path(folder, "core.il").write_text(text)
        yosys.run(["read_rtlil core.il", "proc -norom -noopt", "pmuxtree", "memory_collect",
                   "opt_clean -purge", f"attrmap {remove}", f"attrmap -modattr {remove}",
                   "write_verilog core.v"], folder)
        written = Path(folder, "core.v").read_text()
    # The first line names the Yosys build and the compiler it was built with.
    return written.split("\n", 1)[1].lstrip("\n")


def _plain_names(text: str) -> str:
    """Renames the modules ``sata_recorder.core.link.rx`` to ``sata_recorder_link_rx``."""
    names: dict[str, str] = {}
    for name in re.findall(r"^module \\(\S+)$", text, re.MULTILINE):
        plain = re.sub(r"\W", "_", name)
        while plain in names.values():
            plain += "_"
        names[name] = plain
    return re.sub(r"^(module|  cell) \\(\S+)",
                  lambda found: f"{found[1]} \\{names.get(found[2], found[2])}",
                  text, flags=re.MULTILINE)


def _defined_reads(text: str) -> str:
    """Lets the output of each memory start as 0: what block RAMs do, and Amaranth's simulator."""
    return re.sub(r"^(    parameter \\INIT_VALUE \d+')x+$", r"\g<1>0", text, flags=re.MULTILINE)


def _equal_widths(text: str) -> str:
    """Extends the operands of comparisons, sums and shifts to one width, which linters require."""
    def cell(found: re.Match[str]) -> str:
        body = found[0]
        widths = {name: int(width)
                  for name, width in re.findall(r"\\([ABY])_WIDTH (\d+)$", body, re.MULTILINE)}
        common = max(widths[name] for name in _COMMON.get(found[1], "AB"))
        for name in "A" if found[1] == "shl" else "AB":
            missing = common - widths[name]
            if not missing:
                continue
            value, = re.findall(rf"^    connect \\{name} (.+)$", body, re.MULTILINE)
            signed = f"parameter \\{name}_SIGNED 1\n" in body
            sign = f"{value} [{widths[name] - 1}] " if signed else "1'0 "
            body = body.replace(f"\\{name}_WIDTH {widths[name]}\n", f"\\{name}_WIDTH {common}\n")
            body = body.replace(f"connect \\{name} {value}\n",
                                f"connect \\{name} {{ {sign * missing}{value} }}\n")
        return body
    return _CELL.sub(cell, text)


def _whole_shifts(text: str) -> str:
    """Gives a shift whose upper bits are not used, as in a table of constants, a place for them."""
    def cell(found: re.Match[str]) -> str:
        body = found[0]
        widths = dict(re.findall(r"\\([AY])_WIDTH (\d+)$", body, re.MULTILINE))
        of, to = int(widths["A"]), int(widths["Y"])
        if to >= of:
            return body
        name = f"\\upper{found.start()}"
        body = body.replace(f"\\Y_WIDTH {to}\n", f"\\Y_WIDTH {of}\n")
        body = re.sub(r"connect \\Y (.+)$", lambda y: f"connect \\Y {{ {name} {y[1]} }}", body,
                      flags=re.MULTILINE)
        return f"  wire width {of - to} {name}\n{body}"
    return _SHIFT.sub(cell, text)


def _linted(text: str, warnings: Mapping[str, str]) -> str:
    """Switches ``warnings``, code to reason, off for this text only."""
    begin = "".join(f"// {reason}\n/* verilator lint_off {code} */\n"
                    for code, reason in warnings.items())
    # An initial value in a declaration looks to linters like a second driver.
    text = re.sub(r"^(  reg (?:signed )?(?:\[\d+:\d+\] )?)(\\\S+ |\w+) = (\d+'[bdh]\w+);$",
                  r"\1\2;\n  initial \2 = \3;", text, flags=re.MULTILINE)
    return f"/* verilator lint_save */\n{begin}\n{text}\n/* verilator lint_restore */\n"


def _kept_clocks(text: str) -> str:
    """Lets the clocks at the ports keep their names in a flat netlist: constraints name them."""
    head, top, rest = _around_top(text)
    top = re.sub(r"^  wire width 1 input \d+ \\(?:clk|reference_clk|[sm]_axis_aclk)$",
                 r"  attribute \\keep 1\n\g<0>", top, flags=re.MULTILINE)
    return head + top + rest


def _around_top(text: str) -> list[str]:
    """The text before the top module, of it, and after it."""
    return re.split(rf"(^module \\{TOP}$.*?^end$)", text, maxsplit=1,
                    flags=re.MULTILINE | re.DOTALL)


def _order_ports(text: str, names: Sequence[str]) -> str:
    """Numbers the top module's ports in the order of ``names``; 0 would mean no number."""
    head, top, rest = _around_top(text)
    top = re.sub(r"^(  wire .*?(?:in|out)put) \d+ +\\(\S+)$",
                 lambda found: f"{found[1]} {names.index(found[2]) + 1} \\{found[2]}",
                 top, flags=re.MULTILINE)
    return head + top + rest
