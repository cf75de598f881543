"""The interface of the core: every signal at its ports, once, in a file a group.

Pins and registers, their descriptions (JSON, CMSIS-SVD, C header, tables of the documentation), the
Signatures that wire the core, and what the simulation engines can reach are made from these groups. A
group that is added to the table here appears in all of them; docs/adding.md shows how.
"""

from typing import Any

from amaranth.hdl._ir import PortDirection

from .alignment import ALIGNMENT
from .array import ARRAY, ARRAY_STREAMS, LANE_PHYS, LANE_STATUS, MIRROR
from .axil import AXIL
from .base import (ADDRESS_BITS, BASE, CONTROL, COUNTERS, IDENTIFY, JOURNAL, LEDGER, PORTS, REGISTERS,
                   STATUS)
from .channel import CHANNEL, CHANNEL_PORTS, CHANNEL_STREAMS
from .face import AWAY, CHECKS, LAST, LINK, STREAM_IN, STREAM_OUT, STREAMS, Face, StreamsSignature, UserSignature
from .file import FILE, FILE_END
from .frame import FRAME, PACKET_END
from .group import BareGroup, Group, Port
from .health import HEALTH
from .histogram import HISTOGRAM
from .look import LOOK
from .memory import LANE_BUSES, MEMORY, MEMORY_BUSES
from .pacing import PACING
from .phy_status import PHY_STATUS
from .playback import PLAYBACK, PLAYBACK_CLOCK, PLAYBACK_ENDS, PLAYBACK_STREAMS
from .power import POWER, POWER_LOST
from .queue import QUEUE
from .recording import RECORDING
from .registers import Register
from .sector import SECTOR
from .source import SOURCE, SOURCE_CLOCK, SOURCE_ENDS, SOURCE_LOSS, SOURCE_STREAMS, SOURCE_TRIGGER
from .task import TASK
from .temperature import TEMPERATURE
from .trim import TRIM

__all__ = ["ADDRESS_BITS", "ALIGNMENT", "ALL_PORTS", "ARRAY", "ARRAY_STREAMS", "AWAY", "AXIL", "BASE", "CHANNEL",
           "CHANNEL_PORTS", "CHANNEL_STREAMS", "CHECKS", "CONTROL", "COUNTERS", "FILE", "FILE_END", "FRAME", "GROUPS",
           "HEALTH", "HISTOGRAM", "IDENTIFY", "JOURNAL", "LANE_BUSES", "LANE_PHYS", "LANE_STATUS", "LAST", "LEDGER",
           "LINK", "LOOK", "MEMORY", "MEMORY_BUSES", "MIRROR", "PACING", "PACKET_END", "PHY_STATUS", "PLAYBACK",
           "PLAYBACK_CLOCK", "PLAYBACK_ENDS", "PLAYBACK_STREAMS", "PORTS", "POWER", "POWER_LOST", "QUEUE", "RECORDING",
           "REGISTERS", "SECTOR", "SOURCE", "SOURCE_CLOCK", "SOURCE_ENDS", "SOURCE_LOSS", "SOURCE_STREAMS",
           "SOURCE_TRIGGER", "STATUS", "STREAMS", "STREAM_IN", "STREAM_OUT", "TASK", "TEMPERATURE", "TRIM",
           "BareGroup", "Face", "Group", "Port", "StreamsSignature", "UserSignature", "named_ports", "registers_with"]

#: The groups that some cores have besides :data:`BASE`, in the order of the Verilog.
GROUPS = (PACING, QUEUE, SECTOR, TASK, HISTOGRAM, ALIGNMENT, HEALTH, TEMPERATURE, RECORDING, TRIM, LOOK, FILE_END,
          FILE, PACKET_END, FRAME, POWER, POWER_LOST, MEMORY, *MEMORY_BUSES.values(), SOURCE_CLOCK, SOURCE,
          SOURCE_TRIGGER, SOURCE_LOSS, PLAYBACK_CLOCK, *PLAYBACK_ENDS.values(), PLAYBACK, ARRAY, MIRROR,
          *LANE_PHYS.values(), *LANE_BUSES.values(), *CHANNEL_PORTS, CHANNEL, PHY_STATUS, AXIL)
#: All ports but clock and reset by name, in the order of the Verilog.
ALL_PORTS = PORTS | {name: port for group in GROUPS for name, port in group.ports.items()}


def registers_with(*groups: Group) -> tuple[Register, ...]:
    """All registers of a bank that has these ``groups`` besides :data:`BASE`."""
    return REGISTERS + tuple(register for group in GROUPS if group in groups
                             for register in group.registers)


def named_ports(component: Any) -> dict[str, tuple[Any, PortDirection]]:
    """Those ports of the table that ``component`` has: name to (value, direction), as Amaranth's
    back ends want them."""
    places = {path: value for path, _, value in component.signature.flatten(component)}
    ports = *PORTS.values(), *(port for group in GROUPS for port in group.ports.values())
    return {port.name: (places[port.path], PortDirection(port.direction)) for port in ports if port.path in places}
