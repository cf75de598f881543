"""Which processor runs the loop of commands, how fast, and how its firmware waits."""

from dataclasses import dataclass
from fractions import Fraction

from ..interface.faults import nearest
from .processors import PROCESSORS

#: How many times faster than a processor the core may be.
SLOWEST = 1000

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

    @classmethod
    def named(cls, text, clock_hz):
        """The controller of ``text``, NAME@HZ, or NAME alone, with the core's clock; None for
        "hardwired". Raises ``ValueError``, whose text states what is wrong."""
        name, at, hz = text.partition("@")
        choice = "hardwired", *PROCESSORS
        if name not in choice or at and name == "hardwired":
            raise ValueError(f"{text!r}: must be one of {', '.join(choice)}, a processor also with @HZ"
                             f"{nearest(name, choice)}")
        if name == "hardwired":
            return None
        try:
            found = cls(name, float(hz) if at else clock_hz)
        except ValueError:
            raise ValueError(f"{text!r}: {hz!r} is no clock in Hz") from None
        if not clock_hz / SLOWEST <= found.hz <= clock_hz:
            raise ValueError(f"{text!r}: the clock must be {clock_hz / SLOWEST:,.0f} to "
                             f"{clock_hz:,.0f} Hz, the clock of the core")
        return found

    def __str__(self):
        return f"{self.processor} at {self.hz / 1e6:g} MHz"

    def operation_sectors(self, configuration, limit=0):
        """The longest operation of the firmware in sectors, at most ``limit`` if that is not 0;
        0: a request is one operation."""
        if self.extent == "whole":
            return 0
        return min(limit or configuration.max_command_sectors, configuration.max_command_sectors)

    def ticks(self, clock_hz):
        """(clocks of the processor, clocks of a core of ``clock_hz``) in the same time."""
        ratio = Fraction(self.hz / clock_hz).limit_denominator(SLOWEST)
        return ratio.as_integer_ratio()
