"""A row of a table of ports: a port, and the register or the field that it is, too."""

from dataclasses import dataclass

from .registers import Access, Field, Register

__all__ = ["ALIGNMENT_GROUP", "FILE_GROUP", "FRAME_GROUP", "HEALTH_GROUP", "HISTOGRAM_GROUP", "LOOK_GROUP",
           "PACING_GROUP", "PHY_GROUP", "POWER_GROUP", "QUEUE_GROUP", "RECORDING_GROUP", "SECTOR_GROUP",
           "SUM", "TASK_GROUP", "TEMPERATURE_GROUP", "TRIM_GROUP", "WORD", "Port", "by_offset", "input_row",
           "output_row", "port_field"]

#: Widths of the words of a stream, and of addresses, lengths and sums.
WORD, SUM = 32, 48
#: The group of what the PHY tells about itself: only where the PHY of this package is built in.
PHY_GROUP = "phy_status"

# The groups that are there where the configuration says so.

#: How commands follow each other.
PACING_GROUP = "pacing"
#: The extents with which a recording goes on.
QUEUE_GROUP = "queue"
#: The task file of COMMAND.
TASK_GROUP = "task"
#: The histograms.
HISTOGRAM_GROUP = "histogram"
#: The count of misaligned write commands.
ALIGNMENT_GROUP = "alignment"
#: How long the drive's logical sectors are.
SECTOR_GROUP = "sector"
#: What the drive says of its health.
HEALTH_GROUP = "health"
#: How hot the drive says that it is.
TEMPERATURE_GROUP = "temperature"
#: The modes of a recording.
RECORDING_GROUP = "recording"
#: TRIM ahead of a ring.
TRIM_GROUP = "trim"
#: To look while it records.
LOOK_GROUP = "look"
#: The brick that makes files of recordings.
FILE_GROUP = "file"
#: The frames that recordings are put into.
FRAME_GROUP = "frame"
#: What happens when power is about to fail.
POWER_GROUP = "power"


@dataclass(frozen=True)
class Port:
    """A port of the core.

    ``direction`` is "input" or "output", seen from the core. ``path`` is the port's place among
    the members of :class:`.core.SataRecorder`: ``("user", "status", "busy")``.
    """

    name: str
    direction: str
    width: int
    meaning: str
    path: tuple


def _row(name, direction, width, meaning, group, *, member=None, at=None, access=Access.RO,
         unit=""):
    """A port, and its register or None.

    ``group`` is a member of :class:`.interface.UserSignature`, the PHY or its status; ``member`` the
    port's name in it, by default its own without the group's; ``at`` the register's offset if it has
    one.
    """
    member = member or name.removeprefix(f"{group}_")
    path = {"phy": ("phy", member), "last": ("user", "last"),
            PHY_GROUP: (PHY_GROUP, member.removeprefix("phy_"))}.get(group, ("user", group, member))
    port = Port(name, direction, width, meaning, path)
    register = at if at is None else Register(name.upper(), at, meaning, (
        Field("VALUE", 0, width, access, meaning, unit, port=name),))
    return port, register


def input_row(*arguments, **keywords):
    """The row of an input; its register can be written."""
    keywords.setdefault("access", Access.RW)
    return _row(arguments[0], "input", *arguments[1:], **keywords)


def output_row(*arguments, **keywords):
    """The row of an output; its register can be read."""
    return _row(arguments[0], "output", *arguments[1:], **keywords)


def port_field(ports, name, low, port, meaning=None, *, access=Access.RO):
    """The field ``name`` from bit ``low`` on that is a port of ``ports``; the port's meaning is the
    field's unless there is one."""
    row = ports[port]
    return Field(name, low, row.width, access, meaning or row.meaning, port=port)


def by_offset(bank, table):
    """The registers of ``bank``, and those of the rows of ``table``, by offset."""
    rows = (register for _, register in table if register is not None)
    return tuple(sorted((*bank, *rows), key=lambda register: register.offset))
