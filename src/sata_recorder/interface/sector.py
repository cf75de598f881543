"""The port and the register of the drive's logical sectors."""

from .group import Group, output_row

__all__ = ["SECTOR"]

_TABLE = (
    output_row("long_sectors", 1, "the drive's logical sectors have 4096 bytes: lba and sectors of an "
               "operation must be multiples of 8; 0 without a drive", at=0x090),
)

SECTOR = Group("sector", _TABLE, (), exists=lambda configuration: configuration.long_logical_sectors)
