"""The ports and registers of the readback: sectors of a recording, read while it runs."""

from functools import partial

from ..facts.described_enum import DescribedEnum
from ..facts.units import SECTOR_WORDS
from .group import SUM, WORD, Group, input_row, output_row, port_field
from .registers import Access, Register

__all__ = ["LOOK", "LOOK_SECTORS", "LookState"]

#: The fewest and the most sectors that ``look_sectors`` can be.
LOOK_SECTORS = 8, 64


class LookState(DescribedEnum):
    """The state of a readback."""

    IDLE = 0, "no readback: it was not requested, or withdrawn"
    WAITS = 1, "it has not begun, or what is after the end of the ring has not"
    READS = 2, "the drive reads it"
    READY = 3, "its words are there"
    GONE = 4, ("not all of it is recorded and still there, or no recording runs, or it is stopped: there are"
               " no words")
    FAILED = 5, "the drive has not read it: there are no words"
    OUT_OF_RANGE = 6, ("look_count is 0 or more sectors than a readback can have, or it does not begin and end with a"
                       " logical sector of the drive")


_TABLE = (
    input_row("look_start", 1, "one clock: requests a readback; one that waits is replaced, one that is being "
              "read ends first"),
    input_row("look_stop", 1, "one clock: withdraws the readback that waits"),
    input_row("look_sector", SUM, "first sector of the recording to read, numbered as recording_oldest; "
              "taken with look_start", at=0xA88, unit="sectors"),
    input_row("look_count", LOOK_SECTORS[1].bit_length(), "sectors to read, at least 1; taken with "
              "look_start"),
    input_row("look_room", 16, "words for which the buffer must have room before the drive is read; taken "
              "with look_start", at=0xA90, unit="words"),
    input_row("look_address", (LOOK_SECTORS[1] * SECTOR_WORDS - 1).bit_length(), "word of the readback to "
              "show", at=0xA94),
    output_row("look_data", WORD, "the word, two clocks after the address; valid while look_state is READY", at=0xA98),
    output_row("look_state", 3, "state of the latest readback, see look_states"),
    output_row("looks", 32, "readbacks of this recording that succeeded", at=0xA9C),
    output_row("look_clocks", SUM, "clocks of this recording in which the drive was read for a readback", at=0xAA0,
               unit="clocks"),
)

_field = partial(port_field, _TABLE)

_BANK = (
    Register("LOOK_CONTROL", 0xA80, "requests a readback, and withdraws it", (
        _field("START", 0, "look_start", "requests COUNT sectors from LOOK_SECTOR on; a readback that waits is "
               "replaced, one that is being read ends first", access=Access.W1P),
        _field("STOP", 1, "look_stop", "withdraws the readback that waits; not together with START",
               access=Access.W1P),
        _field("COUNT", 8, "look_count", access=Access.RW),
    )),
    Register("LOOK_STATE", 0xA84, "state of the latest readback", (
        _field("STATE", 0, "look_state"),
    )),
)

LOOK = Group("look", _TABLE, _BANK, exists=lambda configuration: configuration.look_sectors > 0)
