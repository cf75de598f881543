"""Writes the SoC of acorn_recorder.py, or of another file, as Verilog for Icarus: a program, since LiteX has global
state and prints.

Usage: soc.py FOLDER [FILE.py]. In place of JTAG, where nobody is, a Wishbone master at the pads `bench` drives the bus,
and the interrupt is at a pad. The PHY counts its times, of some milliseconds, as if the clock were 400 times slower.
FOLDER gets a build of LiteX with gateware/soc.v, which needs the cells of cells.v.
"""

import re
import runpy
import sys
from pathlib import Path

from litesata.phy import LiteSATAPHY
from litex.build.generic_platform import Pins
from litex.soc.integration.soc import SoC
from litex.soc.integration.builder import Builder
from litex.soc.interconnect import wishbone

from sata_recorder.export import yosys

HERE = Path(__file__).resolve().parent


def quick_phy(device, pads, gen, clk_freq, **options):
    return LiteSATAPHY(device, pads, gen, clk_freq / 400, **options)


def example_soc(**options):
    """The SoC of acorn_recorder.py."""
    soc_class = runpy.run_path(str(HERE.parent / "acorn_recorder.py"))["AcornRecorder"]
    soc_class.__init__.__globals__["LiteSATAPHY"] = quick_phy
    return bench_soc(soc_class(with_jtagbone=False, **options))


def soc_of(path):
    """The SoC of the only class of one in the file ``path``, with its default arguments."""
    found = [one for one in runpy.run_path(path).values()
             if isinstance(one, type) and issubclass(one, SoC) and one.__module__ == "<run_path>"]
    if len(found) != 1:
        sys.exit(f"{path}: it must have one class of a SoC, and has {len(found)}")
    found[0].__init__.__globals__["LiteSATAPHY"] = quick_phy
    soc = found[0]()
    for name in "crg", "recorder":
        if not hasattr(soc, name):
            sys.exit(f"{path}: {found[0].__name__} has no member {name}")
    return bench_soc(soc)


def bench_soc(soc):
    """The ``soc`` with what the bench needs of it."""
    bus = wishbone.Interface(data_width=32, adr_width=30)
    soc.platform.add_extension([*bus.get_ios("bench"), ("bench_irq", 0, Pins(1)), ("bench_clk", 0, Pins(1))])
    soc.comb += [*bus.connect_to_pads(soc.platform.request("bench"), mode="slave"),
                 soc.platform.request("bench_irq").eq(soc.recorder.ev.irq),
                 soc.platform.request("bench_clk").eq(soc.crg.cd_sys.clk)]
    soc.bus.add_master("bench", bus)
    return soc


def known_ports(verilog, cells):
    """``verilog`` with only those parameters and ports in the instances of ``cells`` that these have."""
    for cell, head in re.findall(r"^module (\w+)(.*?);$", cells, re.MULTILINE | re.DOTALL):
        known, parameters = set(re.findall(r"\w+", head)), set(re.findall(r"parameter (?:real )?(\w+)", head))

        def instance(found, known=known, parameters=parameters):
            nets = {name: net for name, net in re.findall(r"^\s*\.(\w+)\s*\((.*)\),?$", found[0], re.MULTILINE)
                    if name in known}
            values, ports = (", ".join(f".{name}({net})" for name, net in nets.items() if (name in parameters) == which)
                             for which in (True, False))
            return f"{found[1]} #({values}) {found[2]} ({ports});" if values else f"{found[1]} {found[2]} ({ports});"
        verilog = re.sub(rf"^({cell}) (?:#\(.*?^\) )?(\w+) ?\(.*?^\);", instance, verilog,
                         flags=re.MULTILINE | re.DOTALL)
    return verilog


def main(folder, path=None):
    soc = example_soc(buffer_words=1024, max_command_sectors=4) if path is None else soc_of(path)
    builder = Builder(soc, output_dir=folder, compile_software=False, compile_gateware=False)
    builder.build(run=False)
    text = known_ports(Path(builder.gateware_dir, f"{soc.platform.name}.v").read_text(), (HERE / "cells.v").read_text())
    Path(builder.gateware_dir, "litex.v").write_text(text)
    # Icarus hangs in LiteX's own always @(*).
    yosys.run(["read_verilog litex.v", "proc", "write_verilog soc.v"], builder.gateware_dir)


if __name__ == "__main__":
    main(*sys.argv[1:])
