"""The core: the layers on top of each other, nothing else."""

from amaranth.hdl import Module
from amaranth.hdl._ir import PortDirection
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .command import Command
from .link import Link
from .phy import DwordPort
from .recorder import Recorder
from .sequencer import ControlSignature, Sequencer
from .transport import Transport

__all__ = ["SataRecorder", "ports"]


class SataRecorder(wiring.Component):
    """The recorder core between a user's streams and a PHY.

    All outputs depend on the inputs through flops only.

    Parameters
    ----------
    configuration : Configuration

    Members
    -------
    phy : Out(DwordPort)
    control : In(ControlSignature)
    i : In(stream 32)       to be recorded; bits 7:0 are the first byte on the disk
    o : Out(stream 32)      being played
    last : Out(1)           with ``o.valid``: the last word of the extent
    stop : In(1)            ends a recording or a play-back early
    words, high_water, held_cycles, longest_stall, dropped : Out    see :class:`.recorder.Recorder`
    journal_address : In, journal_data, journal_count : Out         see :class:`.recorder.Journal`
    """

    def __init__(self, configuration):
        self.configuration = configuration
        super().__init__({
            "phy": Out(DwordPort()), "control": In(ControlSignature()),
            "i": In(stream.Signature(32)), "o": Out(stream.Signature(32)), "last": Out(1),
            "stop": In(1), "words": Out(48), "high_water": Out(16), "held_cycles": Out(48),
            "longest_stall": Out(48), "dropped": Out(48),
            "journal_address": In(7), "journal_data": Out(48), "journal_count": Out(6),
        })

    def elaborate(self, platform):
        m = Module()
        config = self.configuration
        m.submodules.link = link = Link(send_cont=config.send_cont)
        m.submodules.transport = transport = Transport()
        m.submodules.command = command = Command()
        m.submodules.sequencer = sequencer = Sequencer(config)
        m.submodules.recorder = recorder = Recorder(
            depth=config.buffer_words, retain=config.retain_sectors > 0,
            skips=config.on_failure == "skip", drop=config.on_overflow == "drop")

        for name in ("tx_data", "tx_k", "tx_ready", "rx_data", "rx_k", "rx_valid", "rx_error",
                     "link_up", "generation"):
            ours, theirs = getattr(self.phy, name), getattr(link.phy, name)
            m.d.comb += ours.eq(theirs) if name in ("tx_data", "tx_k") else theirs.eq(ours)
        m.d.comb += [
            self.phy.reset.eq(sequencer.comreset),
            self.phy.limit.eq(sequencer.limit),
            sequencer.generation.eq(self.phy.generation),
            sequencer.link_up.eq(self.phy.link_up),
            transport.activity.eq(link.activity),
            recorder.stop.eq(self.stop),
            recorder.journal_address.eq(self.journal_address),
        ]
        for name in ("last", "words", "high_water", "held_cycles", "longest_stall", "dropped",
                     "journal_data", "journal_count"):
            m.d.comb += getattr(self, name).eq(getattr(recorder, name))
        connect(m, transport.send, link.send)
        connect(m, transport.receive, link.receive)
        connect(m, command.transport, transport.user)
        connect(m, sequencer.command, command.user)
        connect(m, recorder.sequencer, sequencer.stream)
        connect(m, flipped(self.control), sequencer.control)
        connect(m, flipped(self.i), recorder.i)
        connect(m, recorder.o, flipped(self.o))
        return m


def ports(core):
    """The ports of ``core`` under the names they have in Verilog: name to (value, direction)."""
    control, phy = core.control, core.phy
    inputs = {
        "phy_tx_ready": phy.tx_ready, "phy_rx_data": phy.rx_data, "phy_rx_k": phy.rx_k,
        "phy_rx_valid": phy.rx_valid, "phy_rx_error": phy.rx_error, "phy_link_up": phy.link_up,
        "phy_generation": phy.generation,
        "s_axis_tdata": core.i.payload, "s_axis_tvalid": core.i.valid,
        "m_axis_tready": core.o.ready,
        "start": control.start, "operation": control.operation, "lba": control.lba,
        "sectors": control.sectors, "stop": core.stop,
        "identify_address": control.identify_address, "ledger_address": control.ledger_address,
        "journal_address": core.journal_address,
    }
    if core.configuration.pacing == "programmable":
        inputs |= {"command_limit": control.command_limit, "turnaround": control.turnaround}
    outputs = {
        "phy_tx_data": phy.tx_data, "phy_tx_k": phy.tx_k, "phy_reset": phy.reset,
        "phy_limit": phy.limit,
        "s_axis_tready": core.i.ready,
        "m_axis_tdata": core.o.payload, "m_axis_tvalid": core.o.valid, "m_axis_tlast": core.last,
        "ready": control.ready, "busy": control.busy, "done": control.done,
        "error": control.error, "drive_status": control.drive_status,
        "drive_error": control.drive_error, "capacity": control.capacity, "lba48": control.lba48,
        "identify_data": control.identify_data, "sectors_done": control.sectors_done,
        "words": core.words, "high_water": core.high_water, "held_cycles": core.held_cycles,
        "ledger_data": control.ledger_data,
        "recovering": control.recovering, "cause": control.cause, "retries": control.retries,
        "error_lba": control.error_lba, "skipped_sectors": control.skipped_sectors,
        "dropped": core.dropped, "longest_stall": core.longest_stall,
        "journal_data": core.journal_data, "journal_count": core.journal_count,
    }
    return {name: (value, direction)
            for direction, values in ((PortDirection.Input, inputs),
                                      (PortDirection.Output, outputs))
            for name, value in values.items()}
