"""Frames with packets of channels, written by hand."""

import struct
import zlib

from sata_recorder.facts.vita49 import (AROUND, GAP_AHEAD, LAST, MAGIC, PACKET_BEGINS, PACKET_ENDS, STATE_AND_EVENTS,
                                        TRAILER, context_header, data_header)

__all__ = ["content_of", "frame", "packet"]


def packet(channel, first, content, *, ends=False, lost=False):
    """The words of a packet, as bytes."""
    spare = -len(content) % 4
    head = channel | ends << 4 | lost << 5 | spare << 6 | 0x43 << 8 | -(-len(content) // 4) << 16
    return struct.pack("<II", head, first % (1 << 32)) + content + bytes(spare)


def frame(count, first, payload, *, stream_id=7, gap=False, last=False, begins=True, ends=True):
    """The sectors of a frame."""
    words, number = len(payload) // 4, (count & 15) << 16
    head = struct.pack(">6I", MAGIC, (count & 4095) << 20 | words + AROUND, data_header(words) | number, stream_id,
                       first >> 32, first & 0xFFFFFFFF)
    packet_bits = begins * PACKET_BEGINS | ends * PACKET_ENDS
    indicators = (GAP_AHEAD if gap else TRAILER) | (LAST if last else packet_bits)
    tail = struct.pack(">7I", TRAILER, context_header() | number, stream_id, 0, 100 * first, STATE_AND_EVENTS,
                       indicators)
    content = head + payload + tail
    content += struct.pack(">I", zlib.crc32(content))
    return content + bytes(-len(content) % 512)


def content_of(packets, *, stream_id=7, end=True):
    """The frames of ``packets``, one after the other, a list of bytes for each."""
    found, first = [], 0
    for count, one in enumerate(packets):
        found.append(frame(count, first, one, stream_id=stream_id))
        first += len(one) // 4
    if end:
        found.append(frame(len(packets), first, b"", stream_id=stream_id, last=True))
    return found
