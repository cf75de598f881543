"""The ports and registers of the frames that recordings are put into."""

from .group import SUM, WORD, Group, input_row, output_row, port_field
from .file import S_AXIS_TLAST
from .registers import Access, Register

__all__ = ["FRAME", "PACKET_END"]

_TABLE = (
    input_row("frame_enable", 1, "with start or file_start of a recording, not one of segments: its "
              "words are put into frames"),
    input_row("frame_stream_id", WORD, "stream identifier of the frames, stable in a recording; "
              "another one for each recording", at=0x984),
    output_row("frame_offered", SUM, "words that came in this or the latest recording with frames", at=0x988,
               unit="words"),
    output_row("frame_lost", SUM, "those of them that found no room, with on_overflow = drop", at=0x990, unit="words"),
    output_row("frame_kept", SUM, "those of them whose frame has gone to the recorder as a whole", at=0x998,
               unit="words"),
)

_BANK = (
    Register("FRAME_CONTROL", 0x980, "control of the frames", (
        port_field(_TABLE, "ENABLE", 0, "frame_enable", access=Access.RW),
    )),
)

#: The end of a packet in the stream, where no file ends so.
PACKET_END = Group("packet_end", (S_AXIS_TLAST,), exists=lambda configuration: configuration.frame_packets)

FRAME = Group("frame", _TABLE, _BANK, exists=lambda configuration: configuration.frames)
