"""Area and fmax of LiteSATA's core and of this project's, in the same flow."""

import sys

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

import areas
from peer_environment import rtlil
from sata_recorder.core.command import Command, CommandSignature
from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.link import Link
from sata_recorder.core.phy import DwordPort
from sata_recorder.core.transport import Transport
from sata_recorder_platforms import out_of_context

TITLE = f"{out_of_context.DEVICE}; {areas.FREQUENCY:.0f} MHz required; MHz of the seeds " \
        f"{', '.join(map(str, areas.SEEDS))}"
HEADER = (*areas.HEADER, *(f"MHz, {seed}" for seed in areas.SEEDS))

PEER = "LiteSATA: link, transport, command"
BUFFER = "its receive buffer alone"
OURS = "SATA Recorder: link, transport, command"


class Host(wiring.Component):
    """Link, transport and command layer on each other, as `sata_recorder.core` stacks them."""

    phy: Out(DwordPort())
    user: In(CommandSignature())

    def elaborate(self, platform):
        m = Module()
        m.submodules.link = link = Link(send_cont=Configuration().send_cont)
        m.submodules.transport = transport = Transport()
        m.submodules.command = command = Command()
        connect(m, link.phy, flipped(self.phy))
        connect(m, transport.send, link.send)
        connect(m, transport.receive, link.receive)
        connect(m, command.transport, transport.user)
        connect(m, flipped(self.user), command.user)
        return m


def measured(peer):
    """Area and fmax of all, as plain data; ``peer`` as peer_environment made it."""
    for name, make, *placed in (
            (PEER, lambda: netlist(peer.core)), (BUFFER, lambda: netlist(peer.fifo), False), (OURS, Host),
            ("SATA Recorder: smallest whole core", areas.whole(**areas.SMALLEST)),
            ("SATA Recorder: whole core", areas.whole())):
        print(f"compare: area of {name} ...", file=sys.stderr, flush=True)
        yield areas.measured(name, make, *placed)


def netlist(verilog):
    """RTLIL of one of the peer's Verilog texts, as :func:`areas.measured` wants it."""
    return rtlil(verilog, "fifo" if "module fifo " in verilog else "litesata", "component")


def rows(entries):
    """The rows of the table."""
    for entry in entries:
        yield (*areas.cells(entry), *([f"{value:.0f}" for value in entry["fmax"]] or "-" * len(areas.SEEDS)))


def without_buffer(entries):
    """One sentence: LiteSATA's layers without a buffer that this project's do not have."""
    peer, buffer, ours = ({entry["name"]: entry for entry in entries}[name]
                          for name in (PEER, BUFFER, OURS))
    cells = ", ".join(f"{peer[field] - buffer[field]} {name} against {ours[field]}"
                      for field, name in (("lut4", "LUT4"), ("carry", "carry pairs"),
                                          ("ff", "FF"), ("lutram", "distributed RAMs")))
    return f"LiteSATA without its receive buffer, against this project's three layers: {cells}."
