"""The ports and the register of the temperature that the drive reports while it records."""

from functools import partial

from ..facts.described_enum import DescribedEnum
from .group import Group, output_row, port_field
from .registers import Register

__all__ = ["TEMPERATURE", "HeatVerdict"]


class HeatVerdict(DescribedEnum):
    """How hot the drive reports that it is."""

    UNKNOWN = 0, "nothing: it was not queried, or did not report its temperature"
    GOOD = 1, "not above its specified maximum operating temperature"
    TOO_HOT = 2, "above its specified maximum operating temperature"
    NO_LIMIT = 3, "it reports its temperature, and no specified maximum"


_TABLE = (
    output_row("drive_heat", 2, "what the drive last reported about its temperature, see drive_heat; UNKNOWN "
               "when another drive is identified"),
    output_row("drive_temperature", 8, "that temperature in degrees Celsius, two's complement; 0 while "
               "drive_heat is UNKNOWN"),
)

_field = partial(port_field, _TABLE)

_BANK = (
    Register("DRIVE_TEMPERATURE", 0x0AC, "how hot the drive reports that it is", (
        _field("CELSIUS", 0, "drive_temperature"),
        _field("HEAT", 8, "drive_heat"),
    )),
)

TEMPERATURE = Group("temperature", _TABLE, _BANK, exists=lambda configuration: configuration.smart_temperature)
