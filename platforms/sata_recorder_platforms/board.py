"""What a board is."""

from collections.abc import Callable
from dataclasses import dataclass

from sata_recorder.core.phy import BackEnd

from .flow import Flow


@dataclass(frozen=True)
class Board:
    """What the top level needs to know of a board.

    ``platform``: makes the Amaranth platform; it has the resources ``clk100``, ``rst``, ``uart``
    and ``sata`` (with the pairs ``tx`` and ``rx`` of a SERDES). ``phy``: the back end of the PHY,
    with the place of the SATA pins. ``leds``: requests the LEDs from the platform, and returns
    their ports in the order link, activity, error, transmitter locked, receiver locked. ``flow``:
    the tools for the board's device.
    """

    title: str
    platform: Callable
    phy: BackEnd
    leds: Callable
    flow: Flow
