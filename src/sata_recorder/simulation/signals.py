"""The controls and results of the core as the simulation engines see them.

The stream ports and the dword port are not listed here: every engine serves them itself.
"""

import functools
from dataclasses import dataclass
from enum import IntFlag

from ..firmware import OPERATED
from ..interface import (BASE, CHANNEL_PORTS, FILE_END, GROUPS, LANE_BUSES, LANE_PHYS, MEMORY_BUSES, PACKET_END, PORTS,
                         REGISTERS, SOURCE_CLOCK)
from ..interface.registers import Access

#: Members of a PHY's port that are set or read by name, unlike its dwords.
_PHY_MEMBERS = ("generation", "reset", "limit")
_PHY = tuple(f"phy_{name}" for name in _PHY_MEMBERS)
_NAMED = [port for port in PORTS.values()
          if port.path[:2] in {("user", group.name) for group in BASE} or port.name in _PHY]

#: Control inputs of every core and their widths in bits.
CONTROLS = {"rst": 1} | {port.name: port.width for port in _NAMED if port.direction == "input"}

#: Controls that an engine holds high for one clock only.
PULSES = tuple(field.port for register in REGISTERS for field in register.fields
               if field.access is Access.W1P)
#: The same of cores with options.
OPTIONAL_PULSES = ("queue_valid", "histogram_clear", "alignment_clear", "recording_trigger",
                   "look_start", "look_stop", "file_start", "file_stop")

#: Outputs of every core and their widths in bits.
OUTPUTS = {port.name: port.width for port in _NAMED if port.direction == "output"}

#: Those of them that count what happened in an operation.
COUNTERS = tuple(port.name for port in _NAMED if port.path[1] == "counters")
#: The same of cores with options.
OPTIONAL_COUNTERS = ("misaligned", "memory_waits", "source_lost", "source_intact")

#: Groups whose ports an engine serves itself.
_SIMULATED = {*MEMORY_BUSES.values(), *LANE_BUSES.values(), SOURCE_CLOCK, *CHANNEL_PORTS}


def controls(configuration, controller=None):
    """The control inputs of ``stack(configuration.simulated)`` and their widths in bits, with those of the
    ``controller`` that operates it."""
    if controller is not None:
        return CONTROLS | OPERATED
    groups = configuration.simulated.groups
    # Channels have no tlast: their packets end by themselves.
    return CONTROLS | _optional(groups - {PACKET_END, FILE_END} if configuration.channels > 1 else groups, "input")


def outputs(configuration):
    """The outputs of ``stack(configuration.simulated)`` and their widths in bits."""
    return OUTPUTS | _optional(configuration.simulated.groups, "output")


@functools.cache
def _optional(options, direction):
    """The ports of the groups ``options`` of a configuration, but for those that an engine serves itself: memory,
    channels, the clock of the source, dwords."""
    return {port.name: port.width for group in GROUPS if group in options and group not in _SIMULATED
            for port in group.ports.values() if port.direction == direction
            and (group not in LANE_PHYS.values() or port.path[-1] in _PHY_MEMBERS)}


class Event(IntFlag):
    """What ends a run: the run stops after the first cycle in which one of these holds.

    ``SOURCE`` and ``SINK`` hold from the cycle in which the word of the mark crosses the stream.
    """

    READY = 1        # the output ready is high
    DONE = 2         # the output done is high
    ERROR = 4        # the output error is not 0
    PHY_RESET = 8    # the output phy_reset is high
    SOURCE = 16      # the stream source has handed over as many words as its mark
    SINK = 32        # the stream sink has taken as many words as its mark
    IDLE = 64        # the output busy is low
    QUEUE = 128      # the output queue_ready is high, of a core that has it


@dataclass(frozen=True)
class Hold:
    """A periodic stall: ``on`` clocks of flow, then ``off`` clocks of standstill.

    ``Hold(64, 16)``, or ``Hold()`` for no stall at all. Raises ``ValueError`` for ``on`` below 1
    and for a negative ``off``.
    """

    on: int = 1
    off: int = 0

    def __post_init__(self):
        if self.on < 1 or self.off < 0:
            raise ValueError(f"hold pattern {self.on}/{self.off}: on must be at least 1, off at "
                             "least 0")

    def __iter__(self):
        return iter((self.on, self.off))


@dataclass(frozen=True)
class Rate:
    """``words`` in ``clocks``: the rate of a sensor. Raises ``ValueError`` for one below 1."""

    words: int
    clocks: int

    def __post_init__(self):
        if self.words < 1 or self.clocks < 1:
            raise ValueError(f"rate of {self.words} words in {self.clocks} clocks: both must be at "
                             "least 1")
