"""Core and PHYs together: what is exported where a back end is chosen."""

from typing import Any

from amaranth.hdl import IOPort, Module
from amaranth.hdl._ir import PortDirection
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..core.phy import BackEnd, lane_name, lanes_of
from ..interface import LANE_PHYS, LANE_STATUS
from ..interface.face import part

__all__ = ["PhyRecorder", "phy_meanings"]

_LINK = {
    "phy_link_up": "the PHY exchanges dwords with a drive",
    "phy_generation": "while phy_link_up, generation of the link: 1, 2 or 3",
    "phy_transmitting": "the transmitter of the SERDES is out of reset and its PLL is locked",
    "phy_receiving": "the receiver of the SERDES is out of reset and its clock recovery is locked",
}


class _LinkSignature(wiring.Signature):
    """What is shown of a link."""

    def __init__(self) -> None:
        super().__init__({"up": Out(1), "generation": Out(2), "transmitting": Out(1), "receiving": Out(1)})


def _link_names(lane: int) -> list[str]:
    """The names of the ports of a link, in the order of :data:`_LINK`."""
    return [name.replace("phy", lane_name("phy", lane), 1) for name in _LINK]


class PhyRecorder(wiring.Component):
    """A recorder with its PHY below it, or with that of each of its drives.

    Parameters
    ----------
    recorder : Component
        The core with what is around it, and with ``phy_status``.
    back_end : BackEnd
        The PHY with its options.
    clock_hz : float
        Frequency of ``sync``; ``ValueError`` if it is too low for the back end.

    Members
    -------
    user : In
        That of ``recorder``.
    reference_clk : In(1)
        The SERDES' reference is made of this clock. It is there where ``back_end`` needs one.
    """

    def __init__(self, recorder: wiring.Component, back_end: BackEnd, clock_hz: float) -> None:
        back_end.check(clock_hz)
        self._recorder = recorder
        self._pins = {pin.name: (pin, IOPort(1, name=pin.name)) for pin in back_end.pins()}
        self._phy = back_end.phy(clock_hz, {name: pad for name, (_, pad) in self._pins.items()})
        self._has_reference = back_end.reference_clk_hz is not None
        self._lanes = range(back_end.lanes)
        self._links = [_LinkSignature().create(path=(lane_name("link", lane),)) for lane in self._lanes]
        super().__init__({
            "user": recorder.signature.members["user"], **({"reference_clk": In(1)} if self._has_reference else {})})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.recorder = recorder = self._recorder
        m.submodules.phy = phy = self._phy
        connect(m, flipped(self.user), recorder.user)
        if self._has_reference:
            m.d.comb += phy.reference_clk.eq(self.reference_clk)
        for lane, (below, link) in enumerate(zip(lanes_of(phy), self._links)):
            connect(m, part(recorder, LANE_PHYS[lane]) if lane else recorder.phy, below.port)
            connect(m, part(recorder, LANE_STATUS[lane]), below.status)
            m.d.comb += [
                link.up.eq(below.port.link_up),
                link.generation.eq(below.port.generation),
                link.transmitting.eq(below.transmitting),
                link.receiving.eq(below.receiving),
            ]
        return m

    def phy_ports(self) -> dict[str, tuple[Any, PortDirection]]:
        """The ports below the core: name to (value, direction), in the order of the Verilog."""
        clock = ({"reference_clk": (self.reference_clk, PortDirection.Input)}
                 if self._has_reference else {})
        links = {name: value for lane, link in enumerate(self._links) for name, value in zip(
            _link_names(lane), (link.up, link.generation, link.transmitting, link.receiving))}
        return clock | {
            name: (pad, PortDirection(pin.direction)) for name, (pin, pad) in self._pins.items()
        } | {name: (value, PortDirection.Output) for name, value in links.items()}


def phy_meanings(back_end: BackEnd) -> dict[str, str]:
    """What the ports of :meth:`PhyRecorder.phy_ports` mean, by name."""
    hz = back_end.reference_clk_hz
    clock = {"reference_clk": f"{hz / 1e6:g} MHz, free running; the reference of the SERDES is "
                              "made of it"} if hz else {}
    return clock | {pin.name: pin.meaning for pin in back_end.pins()} | {
        name: meaning.replace("phy_link_up", _link_names(lane)[0])
        for lane in range(back_end.lanes) for name, meaning in zip(_link_names(lane), _LINK.values())}
