# amaranth: UnusedElaboratable=no
"""What is exported: the core with its pins, or behind its registers; with or without a PHY."""

from amaranth.hdl import Module
from amaranth.hdl._ir import PortDirection
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..bricks import pass_through
from ..interface import ALL_PORTS, FILE, PHY_STATUS, POWER, RECORDING, StreamsSignature, named_ports
from ..core.phy import DwordPort
from ..bricks.power_fail import recorder
from .axil import MEANINGS, AxiLiteSignature, RegisterBank
from .phy_recorder import PhyRecorder, phy_meanings

__all__ = ["AxiLiteRecorder", "described", "top"]

_CLOCK = {"clk": "clock of everything, at least the dword rate",
          "rst": "synchronous reset, active high"}


#: Of the modes of a recording: what has pins beside the registers, for it must not wait for a bus.
_EVENTS = wiring.Signature({"trigger": Out(1), "pps": Out(1)})
#: Of power: what must not wait for a bus, and what says that it may go.
_POWER = wiring.Signature({"fail": Out(1), "safe": In(1), "failed": In(1)})
#: Of the files: what belongs to a word.
_ENDS = wiring.Signature({"last": Out(1), "keep": Out(4)})


class AxiLiteRecorder(wiring.Component):
    """A core that is controlled through :data:`.interface.REGISTERS`.

    Where the configuration has modes of a recording, they are controlled through
    :data:`.interface.RECORDING.registers`, and ``user`` has their events; where it has files, through
    :data:`.interface.FILE.registers`, and ``user`` has the ends of their words; where it has
    ``power_fail``, through :data:`.interface.POWER.registers`, and ``user`` has the pins of it.

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
        self._modes = configuration.extents == "modes"
        events = {RECORDING.name: Out(_EVENTS)} if self._modes else {}
        if configuration.files:
            events |= {FILE.name: Out(_ENDS)}
        if configuration.power_fail:
            events |= {POWER.name: Out(_POWER)}
        super().__init__({
            "phy": Out(DwordPort()), "user": In(StreamsSignature(events)),
            **({"phy_status": Out(PHY_STATUS.signature)} if phy else {}),
            "axil": In(AxiLiteSignature()), "irq": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = recorder(self._configuration)
        m.submodules.bank = bank = RegisterBank(
            *self._configuration.groups, *[PHY_STATUS] * self._phy_registers)
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
        for part, counterpart in pass_through.options(control, core.user, self._configuration.groups):
            connect(m, part, counterpart)
        if self._configuration.frames:
            connect(m, control.frame, core.user.frame)
        connect(m, flipped(self.axil), bank.axil)
        if self._modes:
            self._connect_modes(m, core, control)
        if self._configuration.files:
            self._connect_files(m, core, control)
        if self._configuration.power_fail:
            self._connect_power(m, core, control)
        if self._phy_registers:
            connect(m, bank.phy_status, flipped(self.phy_status))
        m.d.comb += [
            self.user.last.eq(core.user.last),
            self.irq.eq(bank.irq),
            bank.link_up.eq(self.phy.link_up),
            bank.generation.eq(self.phy.generation),
        ]
        return m

    def _connect_modes(self, m, core, control):
        """The modes: a trigger is a register and a pin, the pulse per second is a pin."""
        above, below = control.recording, core.user.recording
        events = self.user.recording
        m.d.comb += [
            *pass_through.modes_told(above, below), *pass_through.modes_shown(above, below),
            # In place of what the registers alone say.
            below.trigger.eq(above.trigger | events.trigger), below.pps.eq(events.pps),
        ]

    def _connect_files(self, m, core, control):
        """The files: the end of a stream is a pin beside its words."""
        above, below, ends = control.file, core.user.file, self.user.file
        m.d.comb += [
            below.last.eq(ends.last), below.keep.eq(ends.keep), below.stop.eq(above.stop),
            *pass_through.files_told(above, below), *pass_through.files_shown(above, below),
        ]


    def _connect_power(self, m, core, control):
        """Power: what says that it fails is a register and a pin, and so is what says that it may."""
        above, below, pins = control.power, core.user.power, self.user.power
        m.d.comb += [
            below.fail.eq(above.fail | pins.fail), pins.safe.eq(below.safe), above.safe.eq(below.safe),
            pins.failed.eq(below.failed), above.failed.eq(below.failed),
            above.error.eq(below.error), above.sectors.eq(below.sectors),
        ]


def top(configuration, back_end=None):
    """The component that ``configuration`` asks for, on the PHY ``back_end`` if there is one, and
    its ports in the order of the Verilog: name to (value, direction).

    Raises ``ValueError`` for a clock with which the back end does not work.
    """
    registers = configuration.control != "pins"
    component = (AxiLiteRecorder(configuration, phy=back_end is not None) if registers else
                 recorder(configuration))
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
