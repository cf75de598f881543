"""The logic around LiteSATA's core that makes it record and play like this project's core.

LiteSATA's core executes one command at a time for logic of the user's; the simulation bench wants
a core that executes an operation. This is the least that lies between the two, and the fastest:
the next command is offered in the very clock in which the core presents the end of the last one.
"""

from amaranth.back import rtlil
from amaranth.hdl import ClockSignal, Const, Elaboratable, Instance, Module, Mux, ResetSignal
from amaranth.hdl import Signal
from amaranth.hdl._ir import PortDirection

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation.signals import OUTPUTS, controls
from sata_recorder.facts.units import SECTOR_WORDS

#: Of the bench: those of a core whose command length is an input.
CONTROLS = controls(Configuration(pacing="programmable"))
#: Of LiteSATA's core in the netlist.
MODULE = "litesata"

#: Beside controls and outputs.
_INPUTS = {"phy_rx_data": 32, "phy_rx_k": 4, "phy_rx_valid": 1, "phy_rx_error": 1,
           "phy_tx_ready": 1, "phy_link_up": 1,
           "s_axis_tvalid": 1, "s_axis_tdata": 32, "m_axis_tready": 1}
_OUTPUTS = {"phy_tx_data": 32, "phy_tx_k": 4, "s_axis_tready": 1, "m_axis_tvalid": 1,
            "m_axis_tdata": 32, "m_axis_tlast": 1}


class User(Elaboratable):
    """An operation on LiteSATA's command streams, as commands of ``command_limit`` sectors.

    ``ports``: name -> (signal, direction), as rtlil.convert wants them, with the names of this
    project's core. ``start`` with ``operation``, ``lba`` and ``sectors`` begins; ``done`` is high
    for one clock at the end; ``error`` is 1 from there on if LiteSATA said that a command failed.
    Outputs that LiteSATA has no counterpart for are 0. ``ready`` is ``phy_link_up``: LiteSATA's
    core does not tell whether it has met a drive.
    """

    def __init__(self):
        inputs = {name: width for name, width in (_INPUTS | CONTROLS).items() if name != "rst"}
        self._pins = {name: Signal(width, name=name)
                      for name, width in (inputs | _OUTPUTS | OUTPUTS).items()}
        self.ports = {name: (signal, PortDirection.Input if name in inputs
                             else PortDirection.Output) for name, signal in self._pins.items()}

    def elaborate(self, platform):
        m = Module()
        pin = self._pins
        count, last, ready = Signal(16), Signal(), Signal()     # the command, or its next word
        valid, lba = Signal(), Signal(48)
        reply, end, failed = Signal(), Signal(), Signal()       # data, or how a command ended
        sent, sent_k, sent_valid = Signal(32), Signal(4), Signal()
        running, writing, offered = Signal(), Signal(), Signal()
        m.submodules.peer = Instance(
            MODULE, i_clk=ClockSignal(), i_rst=ResetSignal(),
            # LiteSATA's own PHY lets nothing through while there is no link.
            i_phy_source_valid=pin["phy_rx_valid"] & pin["phy_link_up"],
            i_phy_source_data=pin["phy_rx_data"], i_phy_source_charisk=pin["phy_rx_k"],
            i_phy_sink_ready=pin["phy_tx_ready"] & pin["phy_link_up"],
            o_phy_sink_valid=sent_valid, o_phy_sink_data=sent, o_phy_sink_charisk=sent_k,
            i_sink_valid=valid, o_sink_ready=ready, i_sink_last=last,
            i_sink_write=writing, i_sink_read=~writing, i_sink_identify=Const(0),
            i_sink_sector=lba, i_sink_count=count, i_sink_data=pin["s_axis_tdata"],
            o_source_valid=reply, i_source_ready=end | pin["m_axis_tready"], o_source_end=end,
            o_source_failed=failed, o_source_data=pin["m_axis_tdata"])

        first, left = Signal(48), Signal(48)    # LBA of the command, sectors from there on
        words = Signal(24)                      # of the command, that are still to be written
        size, next_size = Signal(17), Signal(17)
        ended, more = Signal(), Signal()
        limit = pin["command_limit"]
        m.d.comb += [
            size.eq(_least(left, limit)),
            next_size.eq(_least(left - size, limit)),
            more.eq(left != size),
            ended.eq(running & reply & end),
            # In the clock in which a command ends the next one is shown.
            lba.eq(Mux(ended, first + size, first)),
            count.eq(Mux(ended, next_size, size)),
            valid.eq(running & (offered | (ended & more & ~failed))
                     & (~writing | pin["s_axis_tvalid"])),
            last.eq(~writing | (words == 1)),
            pin["s_axis_tready"].eq(running & offered & writing & ready),
            pin["m_axis_tvalid"].eq(reply & ~end),
            # No dword at all is to be seen by the drive as an illegal one.
            pin["phy_tx_data"].eq(Mux(sent_valid, sent, 0)),
            pin["phy_tx_k"].eq(Mux(sent_valid, sent_k, 0)),
            pin["ready"].eq(pin["phy_link_up"]),
            pin["busy"].eq(running),
        ]
        m.d.sync += pin["done"].eq(0)
        with m.If(valid & ready):
            m.d.sync += [words.eq(words - 1), offered.eq(~last)]
        with m.If(ended):
            m.d.sync += [
                first.eq(lba), left.eq(left - size), words.eq(next_size * SECTOR_WORDS),
                offered.eq(1),
            ]
            with m.If(failed | ~more):
                m.d.sync += [running.eq(0), pin["done"].eq(1), pin["error"].eq(failed)]
            with m.If(~failed):
                m.d.sync += pin["sectors_done"].eq(pin["sectors_done"] + size)
        with m.Elif(pin["start"] & ~running):
            m.d.sync += [
                running.eq(1), offered.eq(1), writing.eq(pin["operation"][0]),
                first.eq(pin["lba"]), left.eq(pin["sectors"]),
                words.eq(_least(pin["sectors"], limit) * SECTOR_WORDS),
                pin["error"].eq(0), pin["sectors_done"].eq(0),
            ]
        return m


def _least(sectors, limit):
    return Mux(sectors > limit, limit, sectors)


def netlist():
    """RTLIL text of :class:`User`, whose top is ``sata_recorder``; LiteSATA's core is missing."""
    user = User()
    return rtlil.convert(user, name="sata_recorder", ports=user.ports, emit_src=False)
