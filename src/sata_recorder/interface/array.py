"""The ports and registers of an array of drives, and the dword ports of its lanes."""

from functools import partial
from typing import Any

from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..facts.array import MOST_DRIVES
from ..facts.described_enum import DescribedEnum
from .base import PORTS
from .group import BareGroup, Group, PortRow, input_row, output_row, port_field
from .phy_status import PHY_STATUS
from .registers import Access, Register

__all__ = ["ARRAY", "ARRAY_STREAMS", "LANE_PHYS", "LANE_STATUS", "MIRROR", "MemberState"]

_STATE_BITS = 3


class MemberState(DescribedEnum):
    """What the drive of a lane is to the array."""

    UNKNOWN = 0, "its superblock has not been read since the drive was last away"
    BLANK = 1, "it has no superblock of Linux md, and so has no lane of the array"
    MEMBER = 2, "its superblock states this lane of this array"
    OTHER_LANE = 3, "its superblock states another lane"
    OTHER_ARRAY = 4, ("its superblock is damaged, or states another geometry, another array than a lane before"
                      " it, or more sectors than the drive has")
    UNREADABLE = 5, "its superblock could not be read"
    DROPPED = 6, "RAID 1: the other drive's superblock states that it was dropped, or it is stale"
    DIFFERS = 7, "RAID 1: partition table, file system or recording table differ from those of the other drive"


_TABLE = (
    input_row("array_lane", 3, "the lane whose IDENTIFY DEVICE data, ledger and other groups of one drive are read; "
              "one that does not exist reads as lane 0"),
    output_row("array_up", MOST_DRIVES, "bit n: the PHY of lane n communicates with a drive"),
    output_row("array_ready", MOST_DRIVES, "bit n: the drive of lane n is identified and has nothing to do"),
    output_row("array_members", _STATE_BITS * MOST_DRIVES, "three bits a lane, lane 0 in bits 2:0: what its drive is "
               "to the array, see array_members; ready stays low unless all are members, or all are blank; with RAID "
               "1 one member may be used alone, and blank drives are not used"),
    output_row("array_failed", MOST_DRIVES, "bit n: lane n has failed in this or the latest operation"),
    output_row("array_first", 3, "while array_failed is not 0: the lane that failed first; error, cause, error_lba, "
               "drive_status and drive_error are those of this lane"),
    input_row("array_whole", 1, "ledger_data is that of the array as a whole, not of array_lane"),
)

_field = partial(port_field, _TABLE)

_BANK = (
    Register("ARRAY_CONTROL", 0xAE0, "which lane is read", (
        _field("LANE", 0, "array_lane", access=Access.RW), _field("WHOLE", 8, "array_whole", access=Access.RW),
    )),
    Register("ARRAY_LANES", 0xAE4, "what each lane does", (
        _field("UP", 0, "array_up"), _field("READY", 8, "array_ready"),
        _field("FAILED", 16, "array_failed"), _field("FIRST", 24, "array_first"),
    )),
    Register("ARRAY_MEMBERS", 0xAE8, "what the drive of each lane is to the array", (
        _field("STATE", 0, "array_members"),
    )),
)

ARRAY = Group("array", _TABLE, _BANK, exists=lambda configuration: configuration.drives > 1)

_MIRROR_TABLE = (
    output_row("mirror_dropped", MOST_DRIVES, "bit n: lane n has been dropped, in this session or before; the array is "
               "degraded, and goes on with the other one. Bit n of array_up and array_ready still shows the state of "
               "its drive"),
    output_row("mirror_dirty", 1, "the superblocks state that the drives may differ: a recording runs, or was not "
               "flushed, or power was lost and no PC has compared the drives since"),
)
#: Only RAID 1 has it.
MIRROR = Group("mirror", _MIRROR_TABLE, (
    Register("ARRAY_MIRROR", 0xAEC, "whether both drives of RAID 1 are used, and are in sync", (
        port_field(_MIRROR_TABLE, "DROPPED", 0, "mirror_dropped"),
        port_field(_MIRROR_TABLE, "DIRTY", 8, "mirror_dirty"),
    )),
), exists=lambda configuration: configuration.drives > 1 and configuration.array == "raid1")


def _streams(width: int) -> tuple[BareGroup, BareGroup]:
    """The streams of beats of ``width`` bits, in and out."""
    def exists(configuration: Any) -> bool:
        return configuration.array_width == width
    beats = stream.Signature(width)
    return BareGroup("i", Out(beats), exists), BareGroup("o", In(beats), exists)


#: By width, where it is not that of a word.
ARRAY_STREAMS = {width: _streams(width) for width in (64, 128)}


def _lane_phy(lane: int) -> Group:
    """The dword port of a ``lane`` after the first, which has the names of a core with one drive."""
    name = f"phy{lane}"
    rows = [PortRow(port.name.replace("phy", name, 1), port.direction, port.width,
                    port.meaning.replace("phy_", f"{name}_"), None, None, Access.RO, "")
            for port in PORTS.values() if port.path[0] == "phy"]
    return Group(name, rows, exists=lambda configuration: configuration.drives > lane, place=(name,))


#: By lane, from the second one on.
LANE_PHYS = {lane: _lane_phy(lane) for lane in range(1, MOST_DRIVES)}
#: By lane: what its PHY reports, where the PHYs are built in.
LANE_STATUS = {lane: BareGroup(f"phy_status{lane or ''}", Out(PHY_STATUS.signature)) for lane in range(MOST_DRIVES)}
