"""What is exported: the core with its pins, or behind its registers; with or without a PHY."""

from amaranth.hdl import Module
from amaranth.hdl._ir import PortDirection
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..core import SataRecorder
from ..interface import (PHY_GROUP, PHY_PORTS, PORTS, TASK_PORTS, StreamsSignature, group,
                         named_ports)
from ..phy import DwordPort
from .axil import MEANINGS, AxiLiteSignature, RegisterBank
from .phy_recorder import PhyRecorder, phy_meanings

__all__ = ["AxiLiteRecorder", "described", "top"]

_CLOCK = {"clk": "clock of everything, at least the dword rate",
          "rst": "synchronous reset, active high"}


class AxiLiteRecorder(wiring.Component):
    """A :class:`.core.SataRecorder` that is controlled through :data:`.interface.REGISTERS`.

    All outputs depend on the inputs through flops only.

    Parameters
    ----------
    configuration : Configuration
    phy : bool
        There are :data:`.interface.PHY_REGISTERS`, too.

    Members
    -------
    phy : Out(DwordPort)            The PHY.
    user : In(StreamsSignature)     The streams.
    axil : In(AxiLiteSignature)     The registers.
    phy_status : Out(group(PHY_GROUP))
        What the PHY tells about itself; it is there if ``phy``.
    irq : Out(1)                    High while an operation has ended and its interrupt is enabled.
    """

    def __init__(self, configuration, *, phy=False):
        self._configuration = configuration
        self._phy_registers = phy
        super().__init__({
            "phy": Out(DwordPort()), "user": In(StreamsSignature()),
            **({"phy_status": Out(group(PHY_GROUP))} if phy else {}),
            "axil": In(AxiLiteSignature()), "irq": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = SataRecorder(self._configuration)
        m.submodules.bank = bank = RegisterBank(
            phy=self._phy_registers, task=self._configuration.commands)
        user, control = flipped(self.user), bank.user
        connect(m, core.phy, flipped(self.phy))
        connect(m, user.i, core.user.i)
        connect(m, core.user.o, user.o)
        connect(m, control.control, core.user.control)
        connect(m, control.status, core.user.status)
        connect(m, control.counters, core.user.counters)
        connect(m, control.identify, core.user.identify)
        connect(m, control.ledger, core.user.ledger)
        connect(m, control.journal, core.user.journal)
        if self._configuration.commands:
            connect(m, control.task, core.user.task)
        connect(m, flipped(self.axil), bank.axil)
        if self._phy_registers:
            connect(m, bank.phy_status, flipped(self.phy_status))
        m.d.comb += [
            self.user.last.eq(core.user.last),
            self.irq.eq(bank.irq),
            bank.link_up.eq(self.phy.link_up),
            bank.generation.eq(self.phy.generation),
        ]
        return m


def top(configuration, back_end=None):
    """The component that ``configuration`` asks for, on the PHY ``back_end`` if there is one, and
    its ports in the order of the Verilog: name to (value, direction).

    Raises ``ValueError`` for a clock with which the back end does not work.
    """
    registers = configuration.control != "pins"
    component = (AxiLiteRecorder(configuration, phy=back_end is not None) if registers else
                 SataRecorder(configuration))
    below = {}
    if back_end is not None:
        component = PhyRecorder(component, back_end, configuration.clock_hz)
        below = component.phy_ports()
    ports = named_ports(component)
    return component, below | ports | (_axil_ports(component) if registers else {})


def _axil_ports(component):
    """The ports of the registers: name to (value, direction)."""
    places = {f"s_axil_{name}": (value, PortDirection.Input if member.flow is In
                                 else PortDirection.Output)
              for (name,), member, value in component.axil.signature.flatten(component.axil)}
    places["irq"] = component.irq, PortDirection.Output
    return {name: places[name] for name in MEANINGS}


def described(ports, back_end=None):
    """What each of the ``ports`` of a top means, clock and reset first, by name."""
    known = MEANINGS | {port.name: port.meaning for port in (PORTS | TASK_PORTS | PHY_PORTS).values()}
    if back_end is not None:
        known |= phy_meanings(back_end)
    return _CLOCK | {name: known[name] for name in ports}
