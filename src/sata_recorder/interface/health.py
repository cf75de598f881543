"""The ports and registers of what the drive reports about its health while it records."""

from functools import partial

from ..facts.described_enum import DescribedEnum
from .group import SUM, Group, output_row, port_field
from .registers import Register

__all__ = ["HEALTH", "HealthVerdict"]


class HealthVerdict(DescribedEnum):
    """What the drive has reported about its own health."""

    UNKNOWN = 0, "nothing: it was not queried, or did not answer"
    GOOD = 1, "no threshold of an attribute is exceeded"
    FAILING = 2, "a threshold is exceeded: the drive predicts its failure"


_TABLE = (
    output_row("drive_health", 2, "what the drive last answered to SMART RETURN STATUS, see "
               "drive_health; UNKNOWN when another drive is identified"),
    output_row("drive_health_clocks", SUM, "clocks of this recording in which SMART RETURN STATUS was in "
               "flight", at=0x0B0, unit="clocks"),
)

_field = partial(port_field, _TABLE)

_BANK = (
    Register("DRIVE_HEALTH", 0x0A8, "what the drive reports about its health", (
        _field("VERDICT", 0, "drive_health"),
    )),
)

HEALTH = Group("health", _TABLE, _BANK, exists=lambda configuration: configuration.smart_commands > 0)
