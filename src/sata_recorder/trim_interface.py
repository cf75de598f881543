"""The ports and registers of TRIM ahead of a ring.

They are there where the configuration has ``trim_ahead``.
"""

from functools import partial

from .facts.described_enum import DescribedEnum
from .interface_rows import SUM, TRIM_GROUP, by_offset, input_row, output_row, port_field
from .registers import Register

__all__ = ["TRIM_AHEAD_BITS", "TRIM_GROUP", "TRIM_PORTS", "TRIM_REGISTERS", "TrimState"]

#: Bits of the distance in sectors.
TRIM_AHEAD_BITS = 20


class TrimState(DescribedEnum):
    """What became of TRIM in a recording."""

    OFF = 0, ("there is none: trim_ahead is 0 or less than a logical sector, the ring has fewer than 4 logical"
              " sectors, it is no ring, or the drive was not ready")
    ON = 1, "it goes ahead of the ring"
    NOT_OFFERED = 2, "the drive does not say that it has TRIM"
    GIVEN_UP = 3, "one has failed: none follows in this recording"


_TABLE = (
    input_row("trim_ahead", TRIM_AHEAD_BITS, "RING: TRIM comes when fewer sectors than these, at most a "
              "quarter of the ring, rounded down to whole logical sectors, have it ahead of the recording, and "
              "makes them up to twice as many; 0: none; taken with start", TRIM_GROUP, at=0xA60, unit="sectors"),
    output_row("trim_state", 2, "what became of TRIM in this recording, see trim_states", TRIM_GROUP),
    output_row("trim_sectors", SUM, "sectors of this recording's TRIM commands that ended well", TRIM_GROUP,
               at=0xA68, unit="sectors"),
    output_row("trim_clocks", SUM, "clocks of this recording in which TRIM was in flight", TRIM_GROUP,
               at=0xA70, unit="clocks"),
)

#: The ports by name, in the order of the Verilog.
TRIM_PORTS = {port.name: port for port, _ in _TABLE}

_field = partial(port_field, TRIM_PORTS)

_BANK = (
    Register("TRIM_STATE", 0xA64, "TRIM ahead of a ring", (
        _field("STATE", 0, "trim_state"),
    )),
)

#: The registers, by offset.
TRIM_REGISTERS = by_offset(_BANK, _TABLE)
