"""What a PHY for a kind of device offers to boards and to the export, whatever the device is."""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field, fields, replace
from typing import ClassVar

from ...interface.faults import nearest
from .lanes import lane_name

__all__ = ["BackEnd", "Pin", "option"]


@dataclass(frozen=True)
class Pin:
    """A pad of the SERDES, one bit; ``direction`` is ``input`` or ``output``."""

    name: str
    direction: str
    meaning: str


def option(meaning, default):
    """A field of a :class:`BackEnd`: an option with its meaning and its default."""
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class BackEnd(ABC):
    """A PHY for a kind of device. Its fields are the options that a board or an integrator sets.

    A value that is not allowed is a ``ValueError`` of the constructor that names option, value and
    limit; so are the combinations with a clock in :meth:`check`.
    """

    #: The name under which it is chosen.
    name: ClassVar[str]
    #: How many drives it can be for, and what limits that.
    most_lanes: ClassVar[tuple[int, str]]

    #: A PHY for each of so many drives.
    lanes: int = 1

    @classmethod
    def options(cls):
        """Name of each option, to its default and its meaning."""
        return {one.name: (one.default, one.metadata["meaning"]) for one in fields(cls) if one.metadata}

    def as_dict(self):
        """The name of the back end and the value of each option, as plain data."""
        return {"name": self.name, **asdict(self)}

    @classmethod
    def parse(cls, texts, lanes=1):
        """A back end of options as text, name to value, as a command line has them, for ``lanes`` drives."""
        return cls().changed(texts, lanes=lanes)

    def changed(self, texts, **values):
        """This back end with other options, as text; and with other ``values``. Raises ``ValueError`` for an option
        that there is not, with those that there are, and for a text that is none of its values."""
        known = self.options()
        for name, text in texts.items():
            if name not in known:
                raise ValueError(f"there is no option {name}; options: {', '.join(known)}{nearest(name, known)}")
            values[name] = _value(name, text, known[name][0])
        return replace(self, **values)

    def _check_lanes(self):
        most, why = self.most_lanes
        if not 1 <= self.lanes <= most:
            raise ValueError(f"drives is {self.lanes}, it must be 1 to {most}: {why}")

    @abstractmethod
    def check(self, clock_hz):
        """``ValueError`` for a frequency of ``sync`` with which the PHY does not work."""

    def lane_pins(self):
        """The pads of the pairs of all lanes, a tuple of :class:`Pin`."""
        return tuple(
            Pin(f"{lane_name('sata', lane)}_{way}_{pole}", direction,
                f"pad of the SERDES: {side} {which}, {pole.upper()}")
            for lane in range(self.lanes)
            for which in ["the drive" if self.lanes == 1 else f"drive {lane}"]
            for way, direction, side in (("tx", "output", "to"), ("rx", "input", "from")) for pole in "pn")

    @abstractmethod
    def pins(self):
        """The pads that :meth:`phy` needs, a tuple of :class:`Pin`."""

    @abstractmethod
    def phy(self, clock_hz, pads):
        """The PHYs with their SERDES: a component with :func:`.lanes.lane_members`, and ``reference_clk : In(1)``
        where :attr:`reference_clk_hz` is not None. ``pads``: name of each pin to what ``Instance`` takes.
        """

    @property
    @abstractmethod
    def reference_clk_hz(self):
        """Frequency of the clock that the PHY needs besides ``sync``, or None."""

    @abstractmethod
    def clocks(self, path):
        """Nets of the clocks of the words, to Hz, where the PHY is at ``path``."""

    @abstractmethod
    def derived(self, path):
        """The same for clocks whose frequency follows from that of another one."""

    @abstractmethod
    def constraints(self, instance, clock_hz):
        """Text of constraints for the device's tools, of a design in which core and PHY are at the
        path ``instance``."""

    def project(self, verilog, constraints):
        """Text of a script with which the device's tools make a bitstream, with the names of the files of the core and
        of :meth:`constraints`. Raises ``ValueError`` where there is none."""
        raise ValueError(f"there is no project script for {self.name}")


def _value(name, text, default):
    """``text`` as a value of the kind that ``default`` has."""
    if isinstance(default, bool):
        if text not in ("true", "false"):
            raise ValueError(f"{name} is {text}, it must be true or false")
        return text == "true"
    if isinstance(default, str):
        return text
    kind, words = (int, "an integer") if isinstance(default, int) else (float, "a number")
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{name} is {text}, it must be {words}") from None
