"""Area and fmax of LiteSATA's core and of this project's, in the same flow."""

import sys
from dataclasses import asdict

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

import area
import capabilities
from peer_environment import rtlil
from sata_recorder.core.command import Command, CommandSignature
from sata_recorder.interface.configuration import Configuration
from sata_recorder.export.top import top
from sata_recorder.core.link import Link
from sata_recorder.core.phy import DwordPort
from sata_recorder.core.transport import Transport
from sata_recorder_platforms import out_of_context

__all__ = ["HEADER", "TITLE", "Host", "measured", "rows", "without_buffer"]

SEEDS = area.SEEDS
TITLE = f"{out_of_context.DEVICE}; {area.FREQUENCY:.0f} MHz asked for; MHz of the seeds " \
        f"{', '.join(map(str, SEEDS))}"
HEADER = ("", "LUT4", "carry", "FF", "LUT RAM", "BRAM", *(f"MHz, {seed}" for seed in SEEDS))

PEER = "LiteSATA: link, transport, command"
BUFFER = "its receive buffer alone"
OURS = "SATA Recorder: link, transport, command"
SMALLEST = "SATA Recorder: smallest whole core"


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
    def core(**fields):
        component, ports = top(Configuration(**fields))
        return lambda seeds: out_of_context.measure(component, ports=ports, seeds=seeds,
                                                    frequency=area.FREQUENCY)

    for name, seeds, measure in (
            (PEER, SEEDS, lambda seeds: netlist(peer.core, seeds)),
            (BUFFER, (), lambda seeds: netlist(peer.fifo, seeds)),
            (OURS, SEEDS,
             lambda seeds: out_of_context.measure(Host(), seeds=seeds, frequency=area.FREQUENCY)),
            (SMALLEST, SEEDS, core(**capabilities.SMALLEST)),
            ("SATA Recorder: whole core", SEEDS, core())):
        print(f"compare: area of {name} ...", file=sys.stderr, flush=True)
        cells, timings = measure(seeds)
        yield {"name": name, **asdict(cells), "fmax": [one.fmax for one in timings]}


def netlist(verilog, seeds):
    """:func:`out_of_context.measure` of one of the peer's Verilog texts."""
    name = "fifo" if "module fifo " in verilog else "litesata"
    return out_of_context.measure_netlist(rtlil(verilog, name, "component"), seeds=seeds,
                                          frequency=area.FREQUENCY)


def rows(entries):
    """The rows of the table."""
    for entry in entries:
        speeds = [f"{value:.0f}" for value in entry["fmax"]] or ["-"] * len(SEEDS)
        yield (entry["name"], *(entry[field] for field in ("lut4", "carry", "ff", "lutram",
                                                           "bram")), *speeds)


def without_buffer(entries):
    """One sentence: LiteSATA's layers without a buffer that this project's do not have."""
    peer, buffer, ours = ({entry["name"]: entry for entry in entries}[name]
                          for name in (PEER, BUFFER, OURS))
    cells = ", ".join(f"{peer[field] - buffer[field]} {name} against {ours[field]}"
                      for field, name in (("lut4", "LUT4"), ("carry", "carry pairs"),
                                          ("ff", "FF"), ("lutram", "distributed RAMs")))
    return f"LiteSATA without its receive buffer, against this project's three layers: {cells}."
