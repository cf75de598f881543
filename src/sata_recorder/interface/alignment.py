"""The ports and registers of the count of misaligned write commands."""

from functools import partial

from .group import WORD, Group, input_row, output_row, port_field
from .registers import Access, Register

__all__ = ["ALIGNMENT", "MOST_SECTORS"]

#: The most logical sectors in a physical one that a drive has.
MOST_SECTORS = 128

_TABLE = (
    input_row("alignment_clear", 1, "one clock: misaligned becomes 0"),
    input_row("alignment_override", 8, "logical sectors in a physical one, a power of 2 up to 128, for a "
              "drive that reports a wrong value; 0: what the drive reports; stable while busy"),
    output_row("alignment_sectors", 8, "logical sectors in a physical one, by which commands are judged; 1 "
               "without a drive"),
    output_row("alignment_offset", 7, "logical sectors by which LBA 0 is after the beginning of its "
               "physical one, by which commands are judged"),
    output_row("misaligned", WORD, "write commands of recordings that succeeded and began or ended within a "
               "physical sector, since alignment_clear or reset; saturates", at=0x0A4),
)

_field = partial(port_field, _TABLE)

_BANK = (
    Register("ALIGNMENT", 0x0A0, "physical sectors of the drive", (
        _field("OVERRIDE", 0, "alignment_override", access=Access.RW),
        _field("SECTORS", 8, "alignment_sectors"),
        _field("OFFSET", 16, "alignment_offset"),
        _field("CLEAR", 31, "alignment_clear", access=Access.W1P),
    )),
)

ALIGNMENT = Group("alignment", _TABLE, _BANK, exists=lambda configuration: configuration.alignment)
