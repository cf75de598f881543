# amaranth: UnusedElaboratable=no
"""What is exported: the core with its pins, or behind its registers; with or without a PHY."""

from amaranth.hdl import Module
from amaranth.hdl._ir import PortDirection
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..bricks.stack import stack
from ..bricks.stage import Part, rest
from ..core.phy import DwordPort
from ..interface import ALL_PORTS, BASE, FILE, PHY_STATUS, POWER, RECORDING, STREAMS, StreamsSignature, named_ports
from .axil import MEANINGS, AxiLiteSignature, RegisterBank
from .phy_recorder import PhyRecorder, phy_meanings

__all__ = ["AxiLiteRecorder", "described", "top"]

_CLOCK = {"clk": "clock of everything, at least the dword rate",
          "rst": "synchronous reset, active high"}


#: What has pins beside its registers, or in place of them, for it must not wait for a bus or belongs to a word.
_PINS = {
    RECORDING: wiring.Signature({"trigger": Out(1), "pps": Out(1)}),
    FILE: wiring.Signature({"last": Out(1), "keep": Out(4)}),
    POWER: wiring.Signature({"fail": Out(1), "safe": In(1), "failed": In(1)}),
}


class AxiLiteRecorder(wiring.Component):
    """A core that is controlled through :data:`.interface.REGISTERS`.

    Where the configuration has modes of a recording, they are controlled through
    :data:`.interface.RECORDING.registers`, and ``user`` has their events; where it has files, through
    :data:`.interface.FILE.registers`, and ``user`` has the ends of their words; where it has
    ``power_fail``, through :data:`.interface.POWER.registers`, and ``user`` has the pins of it. Groups without
    registers keep their pins: the queue of extents, and the pacing of commands.

    All outputs depend on the inputs through flops only.

    Parameters
    ----------
    configuration : Configuration
    phy : bool
        There are :data:`.interface.PHY_STATUS.registers`, too.

    Members
    -------
    phy : Out(DwordPort)            The PHY.
    user : In(StreamsSignature)     The streams.
    axil : In(AxiLiteSignature)     The registers.
    phy_status : Out(PHY_STATUS.signature)
        What the PHY tells about itself; it is there if ``phy``.
    irq : Out(1)                    High while an operation has ended and its interrupt is enabled.
    """

    def __init__(self, configuration, *, phy=False):
        self._configuration = configuration
        self._phy_registers = phy
        self._plain = [group for group in configuration.groups if not group.registers]
        pins = {group.name: Out(signature) for group, signature in _PINS.items() if group in configuration.groups}
        pins |= {group.name: group.member for group in self._plain}
        super().__init__({
            "phy": Out(DwordPort()), "user": In(StreamsSignature(pins)),
            **({"phy_status": Out(PHY_STATUS.signature)} if phy else {}),
            "axil": In(AxiLiteSignature()), "irq": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = stack(self._configuration)
        registers = [group for group in self._configuration.groups if group.registers]
        m.submodules.bank = bank = RegisterBank(*registers, *[PHY_STATUS] * self._phy_registers)
        connect(m, core.phy, flipped(self.phy))
        connect(m, flipped(self.axil), bank.axil)
        pins = [group.name for group in (*STREAMS, *self._plain)]
        connect(m, Part(flipped(self.user), *pins), Part(core.user, *pins))
        for group in (*BASE, *registers):
            if group in _PINS:
                self._with_pins(m, group, bank.user, core.user)
            else:
                connect(m, Part(bank.user, group.name), Part(core.user, group.name))
        if self._phy_registers:
            connect(m, bank.phy_status, flipped(self.phy_status))
        m.d.comb += [
            self.irq.eq(bank.irq), bank.link_up.eq(self.phy.link_up), bank.generation.eq(self.phy.generation),
        ]
        return m

    def _with_pins(self, m, group, bank, core):
        """A group of which some members have pins, beside their registers or in place of them."""
        pins, owned = self.user, [*_PINS[group].members]
        if group is RECORDING:
            connect(m, rest(bank.recording, *owned), rest(core.recording, *owned))
            m.d.comb += [core.recording.trigger.eq(bank.recording.trigger | pins.recording.trigger),
                         core.recording.pps.eq(pins.recording.pps)]
        elif group is FILE:
            connect(m, rest(bank.file, *owned), rest(core.file, *owned))
            connect(m, flipped(pins).file, Part(core.file, *owned))
        else:
            connect(m, rest(bank.power, "fail"), rest(core.power, "fail"))
            connect(m, rest(flipped(pins).power, "fail"), Part(core.power, "safe", "failed"))
            m.d.comb += core.power.fail.eq(bank.power.fail | pins.power.fail)


def top(configuration, back_end=None):
    """The component that ``configuration`` asks for, on the PHY ``back_end`` if there is one, and
    its ports in the order of the Verilog: name to (value, direction).

    Raises ``ValueError`` for a clock with which the back end does not work.
    """
    registers = configuration.control != "pins"
    component = (AxiLiteRecorder(configuration, phy=back_end is not None) if registers else
                 stack(configuration))
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
    known = MEANINGS | {port.name: port.meaning for port in ALL_PORTS.values()}
    if back_end is not None:
        known |= phy_meanings(back_end)
    return _CLOCK | {name: known[name] for name in ports}
