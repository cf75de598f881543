"""The port and the register of the drive's logical sectors.

They are there where the configuration has ``long_logical_sectors``.
"""

from .interface_rows import SECTOR_GROUP, by_offset, output_row

__all__ = ["SECTOR_GROUP", "SECTOR_PORTS", "SECTOR_REGISTERS"]

_TABLE = (
    output_row("long_sectors", 1, "the drive's logical sectors have 4096 bytes: lba and sectors of an "
               "operation must be multiples of 8; 0 without a drive", SECTOR_GROUP, at=0x090),
)

#: The port by name.
SECTOR_PORTS = {port.name: port for port, _ in _TABLE}

#: The register.
SECTOR_REGISTERS = by_offset((), _TABLE)
