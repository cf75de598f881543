"""Which processor runs the loop of commands, how fast, and how its firmware waits."""

from dataclasses import dataclass
from fractions import Fraction

__all__ = ["EXTENTS", "WAITS", "Controller"]

#: How the firmware learns that an operation has ended.
WAITS = ("polling", "interrupt")
#: What the firmware makes of a request: an operation for each command, or one for all of it.
EXTENTS = ("command", "whole")


@dataclass(frozen=True)
class Controller:
    """A processor whose firmware runs the loop of commands.

    ``processor`` is one of :data:`.processors.PROCESSORS`; ``hz`` its clock, at most the core's;
    ``wait`` one of :data:`WAITS`; ``extent`` one of :data:`EXTENTS`.
    """

    processor: str
    hz: float
    wait: str = "polling"
    extent: str = "command"

    def operation_sectors(self, configuration, limit=0):
        """The longest operation of the firmware in sectors, which is at most ``limit`` where that
        is not 0; 0: a request is one operation."""
        if self.extent == "whole":
            return 0
        return min(limit or configuration.max_command_sectors, configuration.max_command_sectors)

    def ticks(self, clock_hz):
        """(clocks of the processor, clocks of a core of ``clock_hz``) in the same time."""
        ratio = Fraction(self.hz / clock_hz).limit_denominator(1000)
        return ratio.as_integer_ratio()
