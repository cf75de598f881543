# amaranth: UnusedElaboratable=no
"""What is exported: the core with what is around it, with or without a PHY."""

from collections.abc import Iterable
from typing import Any

from ..bricks.stack import stack
from ..core.phy import BackEnd
from ..interface import ALL_PORTS, named_ports
from ..interface.configuration import Configuration
from .phy_recorder import PhyRecorder, phy_meanings

__all__ = ["described", "top"]

_CLOCK = {"clk": "clock of everything, at least the dword rate",
          "rst": "synchronous reset, active high"}


def top(configuration: Configuration, back_end: BackEnd | None = None) -> tuple[Any, dict[str, tuple[Any, Any]]]:
    """The component that ``configuration`` describes, on the PHY ``back_end`` if there is one, and
    its ports in the order of the Verilog: name to (value, direction).

    Raises ``ValueError`` for a clock with which the back end does not work, and for a back end that is for another
    number of drives.
    """
    if back_end is not None and back_end.lanes != configuration.drives:
        raise ValueError(f"the back end is for {back_end.lanes} drives, and drives is {configuration.drives}")
    component = stack(configuration, phy_status=back_end is not None)
    if back_end is None:
        return component, named_ports(component)
    component = PhyRecorder(component, back_end, configuration.clock_hz)
    return component, component.phy_ports() | named_ports(component)


def described(ports: Iterable[str], back_end: BackEnd | None = None) -> dict[str, str]:
    """What each of the ``ports`` of a top means, clock and reset first, by name."""
    known = {port.name: port.meaning for port in ALL_PORTS.values()}
    if back_end is not None:
        known |= phy_meanings(back_end)
    return _CLOCK | {name: known[name] for name in ports}
