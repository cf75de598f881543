"""The controls and results of the core as both simulation engines see them.

The stream ports and the dword port are not listed here: every engine serves them itself.
"""

from dataclasses import dataclass
from enum import IntFlag

__all__ = ["CONTROLS", "PULSES", "OUTPUTS", "Event", "Hold", "Rate", "controls"]

#: Control inputs of the core and their widths in bits.
CONTROLS = {
    "rst": 1,
    "start": 1,
    "operation": 2,
    "lba": 48,
    "sectors": 48,
    "stop": 1,
    "identify_address": 7,
    "ledger_address": 5,
    "journal_address": 7,
    "phy_generation": 2,
}

#: ... and of a core whose pacing can be programmed.
_PACING = {"command_limit": 17, "turnaround": 32}

#: Controls that an engine holds high for one clock only.
PULSES = ("start", "stop")

#: Outputs of the core and their widths in bits.
OUTPUTS = {
    "ready": 1,
    "busy": 1,
    "done": 1,
    "error": 4,
    "drive_status": 8,
    "drive_error": 8,
    "capacity": 48,
    "lba48": 1,
    "identify_data": 32,
    "sectors_done": 48,
    "words": 48,
    "high_water": 16,
    "held_cycles": 48,
    "ledger_data": 48,
    "recovering": 1,
    "cause": 4,
    "retries": 16,
    "error_lba": 48,
    "skipped_sectors": 48,
    "dropped": 48,
    "longest_stall": 48,
    "journal_data": 48,
    "journal_count": 6,
    "phy_reset": 1,
    "phy_limit": 2,
}


def controls(configuration):
    """The control inputs of ``SataRecorder(configuration)`` and their widths in bits."""
    return CONTROLS | (_PACING if configuration.pacing == "programmable" else {})


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
