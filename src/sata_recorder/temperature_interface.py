"""The ports and the register of the temperature that the drive tells while it records.

They are there where the configuration has ``smart_temperature``.
"""

from functools import partial

from .facts.described_enum import DescribedEnum
from .interface_rows import TEMPERATURE_GROUP, by_offset, output_row, port_field
from .registers import Register

__all__ = ["TEMPERATURE_GROUP", "TEMPERATURE_PORTS", "TEMPERATURE_REGISTERS", "HeatVerdict"]


class HeatVerdict(DescribedEnum):
    """How hot the drive says that it is."""

    UNKNOWN = 0, "nothing: it was not asked, or did not tell its temperature"
    GOOD = 1, "not above its specified maximum operating temperature"
    TOO_HOT = 2, "above its specified maximum operating temperature"
    NO_LIMIT = 3, "it tells its temperature, and no specified maximum"


_TABLE = (
    output_row("drive_heat", 2, "what the drive has told last of its temperature, see drive_heat; UNKNOWN "
               "when another drive is identified", TEMPERATURE_GROUP),
    output_row("drive_temperature", 8, "that temperature in degrees Celsius, two's complement; 0 while "
               "drive_heat is UNKNOWN", TEMPERATURE_GROUP),
)

#: The ports by name, in the order of the Verilog.
TEMPERATURE_PORTS = {port.name: port for port, _ in _TABLE}

_field = partial(port_field, TEMPERATURE_PORTS)

_BANK = (
    Register("DRIVE_TEMPERATURE", 0x0AC, "how hot the drive says that it is", (
        _field("CELSIUS", 0, "drive_temperature"),
        _field("HEAT", 8, "drive_heat"),
    )),
)

#: The registers, by offset.
TEMPERATURE_REGISTERS = by_offset(_BANK, _TABLE)
