"""Writes the Verilog of LiteSATA's core; runs in the environment that has LiteSATA.

Usage: peer_export.py FOLDER. The core is `litesata.core.LiteSATACore`, link, transport and command
layer, with all options as they are by default, and without a PHY: the streams that LiteSATA's own
PHY would serve are ports, and so are the two streams of the command layer. FOLDER gets

  litesata.v        the module `litesata`, as LiteX's own Verilog back end writes it
  fifo.v            the module `fifo`: the core's receive buffer alone
  versions.json     of the packages
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

from litesata.common import link_description, phy_description
from litesata.core import LiteSATACore
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import stream
from migen import ClockDomain, Module

#: As `LiteSATALink` builds its receive buffer.
FIFO_WORDS = 256


class Phy:
    """What `LiteSATALink` uses of a PHY."""

    def __init__(self):
        self.sink = stream.Endpoint(phy_description(32))
        self.source = stream.Endpoint(phy_description(32))


class Core(Module):
    """The three layers; `ends` are the streams at their ports."""

    def __init__(self):
        phy = Phy()
        self.clock_domains.cd_sys = ClockDomain("sys")
        self.submodules.core = core = LiteSATACore(phy)
        self.ends = {"phy_sink": phy.sink, "phy_source": phy.source,
                     "sink": core.sink, "source": core.source}


class Fifo(Module):
    """The receive buffer of the link layer."""

    def __init__(self):
        self.clock_domains.cd_sys = ClockDomain("sys")
        self.submodules.fifo = fifo = stream.SyncFIFO(link_description(32), FIFO_WORDS)
        self.ends = {"sink": fifo.sink, "source": fifo.source}


def signals(name, end):
    """Signals of a stream, which get the names that the ports will have."""
    for layout, record in ((end.description.payload_layout, end.payload),
                           (end.description.param_layout, end.param)):
        for field, *_ in layout:
            yield f"{name}_{field}", getattr(record, field)
    yield f"{name}_valid", end.valid
    yield f"{name}_ready", end.ready
    if not name.startswith("phy"):  # a PHY knows no packets
        yield f"{name}_last", end.last


def write(module, name, folder):
    """Writes the module `name` to FOLDER/NAME.v."""
    module.cd_sys.clk.name_override = "clk"
    module.cd_sys.rst.name_override = "rst"
    ports = {module.cd_sys.clk, module.cd_sys.rst}
    for prefix, end in module.ends.items():
        for port, signal in signals(prefix, end):
            signal.name_override = port
            ports.add(signal)
    Path(folder, f"{name}.v").write_text(str(convert(module, ports, name=name)))


def main(folder):
    write(Core(), "litesata", folder)
    write(Fifo(), "fifo", folder)
    packages = {name: version(name) for name in ("litesata", "litex", "migen")}
    Path(folder, "versions.json").write_text(json.dumps(packages) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
