"""A group of the interface: its name, its ports, its registers, and which configurations have it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .registers import Access, Field, Register

__all__ = ["STREAM_DEPTH", "STREAM_WIDTHS", "SUM", "WORD", "BareGroup", "Group", "Port", "PortRow", "by_offset",
           "input_row", "output_row", "port_field", "row"]

#: Widths of the words of a stream, and of addresses, lengths and sums.
WORD, SUM = 32, 48
#: Bits of a beat of a user's stream that has a width of its own.
STREAM_WIDTHS = (8, 16, 32, 64, 128)
#: Beats of the FIFO of such a stream, unless the configuration states them.
STREAM_DEPTH = 16


@dataclass(frozen=True)
class Port:
    """A port of the core.

    ``direction`` is "input" or "output", seen from the core. ``path`` is the port's place among
    the members of :class:`..core.SataRecorder`: ``("user", "status", "busy")``.
    """

    name: str
    direction: str
    width: int
    meaning: str
    path: tuple


@dataclass(frozen=True)
class PortRow:
    """A port without its group, and the register that it is, too: at the offset ``at``, unless that is None.

    ``member`` is its name in the group, by default its own without that of the group.
    """

    name: str
    direction: str
    width: int
    meaning: str
    member: str | None
    at: int | None
    access: Access
    unit: str

    def port(self, place: tuple[str, ...], prefix: str) -> Port:
        """The port, among the members at the path ``place``; ``prefix`` is left out of its name there."""
        return Port(self.name, self.direction, self.width, self.meaning,
                    (*place, self.member or self.name.removeprefix(prefix)))

    @property
    def register(self) -> Register | None:
        """The register, or None."""
        return None if self.at is None else Register(self.name.upper(), self.at, self.meaning, (
            Field("VALUE", 0, self.width, self.access, self.meaning, self.unit, port=self.name),))


def input_row(name: str, width: int, meaning: str, *, member: str | None = None, at: int | None = None,
              access: Access = Access.RW, unit: str = "") -> PortRow:
    """The row of an input; its register can be written."""
    return PortRow(name, "input", width, meaning, member, at, access, unit)


def output_row(name: str, width: int, meaning: str, *, member: str | None = None, at: int | None = None,
               access: Access = Access.RO, unit: str = "") -> PortRow:
    """The row of an output; its register can be read."""
    return PortRow(name, "output", width, meaning, member, at, access, unit)


def row(rows: Iterable[PortRow], name: str) -> PortRow:
    """The one of ``rows`` that is called ``name``."""
    return next(one for one in rows if one.name == name)


def port_field(rows: Iterable[PortRow], name: str, low: int, port: str, meaning: str | None = None, *,
               access: Access = Access.RO) -> Field:
    """The field ``name`` from bit ``low`` on that is the ``port`` of ``rows``; the port's meaning is the
    field's unless there is one."""
    found = row(rows, port)
    return Field(name, low, found.width, access, meaning or found.meaning, port=port)


def by_offset(bank: Iterable[Register], rows: Iterable[PortRow]) -> tuple[Register, ...]:
    """The registers of ``bank``, and those of the ``rows`` that are one, by offset."""
    own = (one.register for one in rows if one.register is not None)
    return tuple(sorted((*bank, *own), key=lambda register: register.offset))


class Group:
    """Ports that travel together, and their registers. Two groups are the same if they are one object.

    Parameters
    ----------
    name : str      Of the member that the group is in the interface of a core.
    rows : PortRow  Its ports, in the order of the Verilog.
    bank : Register     Registers that are more than one port.
    exists : callable   Whether a configuration has the group; by default each has.
    prefix : str    What the names of its ports begin with, its name and _ by default.
    place : tuple   Where it is among the members of a core: in the interface of its user by default.

    Attributes
    ----------
    ports : dict        Name to Port.
    registers : tuple   All registers, by offset.
    signature : Signature       The members as the core's user sees them: an input of the core is ``Out``.
    member : Member     What the group is in an interface.
    told : tuple        Names of the members that the user drives.
    """

    def __init__(self, name: str, rows: Sequence[PortRow], bank: Sequence[Register] = (), *,
                 exists: Callable[..., bool] = lambda configuration: True, prefix: str | None = None,
                 place: tuple[str, ...] | None = None) -> None:
        self.name = name
        self.exists = exists
        self.ports = {one.name: one.port(place or ("user", name), prefix or f"{name}_") for one in rows}
        self.registers = by_offset(bank, rows)

    def __repr__(self) -> str:
        return f"<group {self.name}>"

    @cached_property
    def signature(self) -> Any:
        # What only describes a core needs no Amaranth.
        from amaranth.lib.wiring import In, Out, Signature
        return Signature({port.path[-1]: (Out if port.direction == "input" else In)(port.width)
                          for port in self.ports.values()})

    @cached_property
    def member(self) -> Any:
        from amaranth.lib.wiring import Out
        return Out(self.signature)

    @property
    def told(self) -> tuple[str, ...]:
        return tuple(port.path[-1] for port in self.ports.values() if port.direction == "input")


@dataclass(frozen=True, eq=False)
class BareGroup:
    """A group without rows: what it is as the ``member`` of an interface, and which configurations have it."""

    name: str
    member: object
    exists: Callable = lambda configuration: True
