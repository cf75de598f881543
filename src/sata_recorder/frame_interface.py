"""The ports and registers of the frames that recordings are put into.

They are there where the configuration has ``frames``.
"""

from .interface_rows import FRAME_GROUP, SUM, WORD, by_offset, input_row, output_row, port_field
from .registers import Access, Register

__all__ = ["FRAME_GROUP", "FRAME_PORTS", "FRAME_REGISTERS"]

_TABLE = (
    input_row("frame_enable", 1, "with start or file_start of a recording, not one of segments: its "
              "words are put into frames", FRAME_GROUP),
    input_row("frame_stream_id", WORD, "stream identifier of the frames, stable in a recording; "
              "another one for each recording", FRAME_GROUP, at=0x984),
    output_row("frame_offered", SUM, "words that came in this or the latest recording with frames",
               FRAME_GROUP, at=0x988, unit="words"),
    output_row("frame_lost", SUM, "those of them that found no room, with on_overflow = drop",
               FRAME_GROUP, at=0x990, unit="words"),
    output_row("frame_kept", SUM, "those of them whose frame has gone to the recorder as a whole",
               FRAME_GROUP, at=0x998, unit="words"),
)

#: The ports by name, in the order of the Verilog.
FRAME_PORTS = {port.name: port for port, _ in _TABLE}

_BANK = (
    Register("FRAME_CONTROL", 0x980, "control of the frames", (
        port_field(FRAME_PORTS, "ENABLE", 0, "frame_enable", access=Access.RW),
    )),
)

#: The registers, by offset.
FRAME_REGISTERS = by_offset(_BANK, _TABLE)
