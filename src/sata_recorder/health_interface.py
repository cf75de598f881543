"""The ports and registers of what the drive says of its health while it records.

They are there where the configuration has ``smart_commands``.
"""

from functools import partial

from .facts.described_enum import DescribedEnum
from .interface_rows import HEALTH_GROUP, SUM, by_offset, output_row, port_field
from .registers import Register

__all__ = ["HEALTH_GROUP", "HEALTH_PORTS", "HEALTH_REGISTERS", "HealthVerdict"]


class HealthVerdict(DescribedEnum):
    """What the drive has said of its own health."""

    UNKNOWN = 0, "nothing: it was not asked, or did not answer"
    GOOD = 1, "no threshold of an attribute is exceeded"
    FAILING = 2, "a threshold is exceeded: the drive foretells its failure"


_TABLE = (
    output_row("drive_health", 2, "what the drive has answered last to SMART RETURN STATUS, see "
               "drive_health; UNKNOWN when another drive is identified", HEALTH_GROUP),
    output_row("drive_health_clocks", SUM, "clocks of this recording in which SMART RETURN STATUS was in "
               "flight", HEALTH_GROUP, at=0x0B0, unit="clocks"),
)

#: The ports by name, in the order of the Verilog.
HEALTH_PORTS = {port.name: port for port, _ in _TABLE}

_field = partial(port_field, HEALTH_PORTS)

_BANK = (
    Register("DRIVE_HEALTH", 0x0A8, "what the drive says of its health", (
        _field("VERDICT", 0, "drive_health"),
    )),
)

#: The registers, by offset.
HEALTH_REGISTERS = by_offset(_BANK, _TABLE)
