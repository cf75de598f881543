"""The ports and registers of READ VERIFY while a recording runs."""

from .group import Group, output_row

__all__ = ["VERIFY"]

_TABLE = (
    output_row("verify_verified", 32, "write commands of this recording that the drive has read well again",
               at=0x0C8),
    output_row("verify_unreadable", 32, "write commands of this recording that it could not read again",
               at=0x0CC),
)

VERIFY = Group("verify", _TABLE, exists=lambda configuration: configuration.verify_commands > 0)
