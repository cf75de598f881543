"""What is exported: the core with its pins, or the core behind its registers."""

from amaranth.hdl import Module
from amaranth.hdl._ir import PortDirection
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..core import SataRecorder
from ..interface import PORTS, StreamsSignature, named_ports
from ..phy import DwordPort
from .axil import MEANINGS, AxiLiteSignature, RegisterBank

__all__ = ["AxiLiteRecorder", "described", "top"]

_CLOCK = {"clk": "clock of everything, at least the dword rate",
          "rst": "synchronous reset, active high"}


class AxiLiteRecorder(wiring.Component):
    """A :class:`.core.SataRecorder` that is controlled through :data:`.interface.REGISTERS`.

    All outputs depend on the inputs through flops only.

    Parameters
    ----------
    configuration : Configuration

    Members
    -------
    phy : Out(DwordPort)            The PHY.
    user : In(StreamsSignature)     The streams.
    axil : In(AxiLiteSignature)     The registers.
    irq : Out(1)                    High while an operation has ended and its interrupt is enabled.
    """

    def __init__(self, configuration):
        self._configuration = configuration
        super().__init__({
            "phy": Out(DwordPort()), "user": In(StreamsSignature()),
            "axil": In(AxiLiteSignature()), "irq": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = SataRecorder(self._configuration)
        m.submodules.bank = bank = RegisterBank()
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
        connect(m, flipped(self.axil), bank.axil)
        m.d.comb += [
            self.user.last.eq(core.user.last),
            self.irq.eq(bank.irq),
            bank.link_up.eq(self.phy.link_up),
            bank.generation.eq(self.phy.generation),
        ]
        return m


def top(configuration):
    """The component that ``configuration`` asks for, and its ports in the order of the Verilog:
    name to (value, direction)."""
    if configuration.control == "pins":
        component = SataRecorder(configuration)
        return component, named_ports(component)
    component = AxiLiteRecorder(configuration)
    return component, named_ports(component) | _axil_ports(component)


def _axil_ports(component):
    """The ports of the registers: name to (value, direction)."""
    places = {f"s_axil_{name}": (value, PortDirection.Input if member.flow is In
                                 else PortDirection.Output)
              for (name,), member, value in component.axil.signature.flatten(component.axil)}
    places["irq"] = component.irq, PortDirection.Output
    return {name: places[name] for name in MEANINGS}


def described(ports):
    """What each of the ``ports`` of a top means, clock and reset first, by name."""
    known = MEANINGS | {port.name: port.meaning for port in PORTS.values()}
    return _CLOCK | {name: known[name] for name in ports}
