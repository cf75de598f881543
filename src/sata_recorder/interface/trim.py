"""The ports and registers of TRIM ahead of a ring."""

from functools import partial

from ..facts.described_enum import DescribedEnum
from .group import SUM, Group, input_row, output_row, port_field
from .registers import Register

__all__ = ["TRIM", "TRIM_AHEAD_BITS", "TrimState"]

#: Bits of the distance in sectors.
TRIM_AHEAD_BITS = 20


class TrimState(DescribedEnum):
    """The state of TRIM in a recording."""

    OFF = 0, ("no TRIM: trim_ahead is 0 or less than a logical sector, the ring has fewer than 4 logical"
              " sectors, the recording is no ring, or the drive was not ready")
    ON = 1, "it runs ahead of the ring"
    NOT_OFFERED = 2, "the drive does not report that it has TRIM"
    GIVEN_UP = 3, "one has failed: none follows in this recording"


_TABLE = (
    input_row("trim_ahead", TRIM_AHEAD_BITS, "RING: how many sectors are to be trimmed ahead of the writes; "
              "when there are fewer, a TRIM makes them up to twice as many; at most a quarter of the ring, rounded "
              "down to whole logical sectors; 0: no TRIM; taken with start", at=0xA60, unit="sectors"),
    output_row("trim_state", 2, "state of TRIM in this recording, see trim_states"),
    output_row("trim_sectors", SUM, "sectors of this recording's TRIM commands that succeeded",
               at=0xA68, unit="sectors"),
    output_row("trim_clocks", SUM, "clocks of this recording in which TRIM was in flight",
               at=0xA70, unit="clocks"),
)

_field = partial(port_field, _TABLE)

_BANK = (
    Register("TRIM_STATE", 0xA64, "TRIM ahead of a ring", (
        _field("STATE", 0, "trim_state"),
    )),
)

TRIM = Group("trim", _TABLE, _BANK, exists=lambda configuration: configuration.trim_ahead)
