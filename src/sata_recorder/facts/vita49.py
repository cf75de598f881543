"""The layout of a frame on the drive: the words around the data.

A frame is a VRL frame (VITA 49.1) with two VRT packets (VITA 49.0): the data, and their context. Its
words are big-endian on the drive; the words of the payload are as the user gave them. A frame begins
at a sector, and zeros follow it up to the end of its last sector.
"""

__all__ = ["AROUND", "CONTEXT_WORDS", "GAP_AHEAD", "HEADER_WORDS", "LAST", "MAGIC", "MAX_PAYLOAD",
           "PACKET_BEGINS", "PACKET_ENDS", "STATE_AND_EVENTS", "TRAILER", "context_header", "data_header"]

#: The alignment word of a VRL frame: "VRLP".
MAGIC = 0x56524C50

#: Words before the payload: alignment word, count and size, packet header, stream identifier,
#: and in two words the number of the first word of the payload.
HEADER_WORDS = 6
#: Words of the context packet: header, stream identifier, in two words the clock of the first word
#: of the payload, what it contains, and the state and event indicators.
CONTEXT_WORDS = 6
#: Words of a frame that are not payload: those before it, the trailer of the data packet, the context
#: packet, and the CRC.
AROUND = HEADER_WORDS + 1 + CONTEXT_WORDS + 1
#: The most words of payload: so that a packet fits into a UDP datagram.
MAX_PAYLOAD = 127 * 128

# An IF data packet with stream identifier and trailer, its time a count of samples: of words.
_DATA = 1 << 28 | 1 << 26 | 1 << 20
# An IF context packet, its time a free running count: of clocks.
_CONTEXT = 4 << 28 | 3 << 20

#: The context consists of the state and event indicators.
STATE_AND_EVENTS = 1 << 16

_LOSS_IS_TOLD, _LOSS = 1 << 24, 1 << 12
#: The trailer: between the words of this packet none was lost.
TRAILER = _LOSS_IS_TOLD
#: The context's indicators: words were lost just before the first one of this frame.
GAP_AHEAD = _LOSS_IS_TOLD | _LOSS | 1 << 0
#: The same, user-defined: the recording ends here. Such a frame has no payload.
LAST = 1 << 1
#: The same: a packet of the user begins with the first word of this frame, and ends with its last one.
PACKET_BEGINS, PACKET_ENDS = 1 << 2, 1 << 3


def data_header(payload: int) -> int:
    """The header of the first data packet with ``payload`` words; its packet count is at bit 16."""
    return _DATA | payload + HEADER_WORDS - 1


def context_header() -> int:
    """The header of the first context packet; its packet count is at bit 16."""
    return _CONTEXT | CONTEXT_WORDS
