"""The channels of a recording, from frames each of which has a packet of one channel."""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...facts.channels import ENDS, HEAD_WORDS, LOST_AHEAD, MARK
from .reader import Lost, VrlFrame

__all__ = ["ChannelPacket", "ChannelReader", "channel_packet"]

_HEAD = struct.Struct("<II")
_PLACES = 1 << 32
#: The count of a frame is modulo this.
_COUNTS = 4096


@dataclass(frozen=True)
class ChannelPacket:
    """A packet: its ``channel``, 0 to 15; ``first``, the number of its first word in that, modulo 2^32; how many
    ``words`` of 32 bits it has, and ``content``, their bytes; ``lost_ahead``: words were lost just before it; ``ends``:
    the channel ends with it."""

    channel: int
    first: int
    words: int
    content: memoryview
    lost_ahead: bool
    ends: bool


def channel_packet(frame: VrlFrame) -> ChannelPacket | None:
    """The packet in a frame, or None if it has none of a channel."""
    if frame.words < HEAD_WORDS or not (frame.packet_begins and frame.packet_ends):
        return None
    head, first = _HEAD.unpack_from(frame.payload)
    words = frame.words - HEAD_WORDS
    if head >> 8 & 0xFF != MARK or head >> 16 != words:
        return None
    spare = head >> 6 & 3
    content = frame.payload[4 * HEAD_WORDS:len(frame.payload) - spare]
    return ChannelPacket(head & 15, first, words, content, bool(head & LOST_AHEAD), bool(head & ENDS))


@dataclass
class ChannelReader:
    """Reads a ``channel``, 0 to 15, of the first recording in what :func:`.reader.frames` gives.

    Known once all has been read: ``bytes``; ``lost``, (byte before which they were, words) of words that the core had
    no room for; ``missing``, the same of those that should be in frames and are not, where it may be that some of them
    were lost before; ``complete``: it has its end. ``channels`` are those that have packets, ``others`` frames without
    one; ``stream_id`` is that of the recording, None without a frame; ``later`` the byte of the source where frames of
    another one follow, or None. ``recording_ends``: the last frame of the recording is there.

    Frames of another stream identifier may be between those of the recording: sectors that it has passed over hold what
    was there before.
    """

    channel: int
    bytes: int = 0
    lost: list = field(default_factory=list)
    missing: list = field(default_factory=list)
    complete: bool = False
    channels: set = field(default_factory=set)
    others: int = 0
    stream_id: int | None = None
    later: int | None = None
    recording_ends: bool = False
    _next: int = 0
    _broken: bool = False           # a frame is missing since the packet before

    def parts(self, found: Iterable[VrlFrame | Lost]) -> Iterator[memoryview]:
        """The bytes of the channel, packet by packet. Memory: one frame."""
        before: VrlFrame | None = None
        for frame in found:
            if isinstance(frame, Lost):
                continue
            if before is not None and frame.stream_id != self.stream_id and not self.recording_ends:
                self.later = frame.place if self.later is None else self.later
                continue
            if before is not None and (self.recording_ends or frame.first < before.next_word):
                self.later = frame.place if self.later is None else self.later
                return
            self.later = None
            if before is None:
                self.stream_id = frame.stream_id
                self._broken = frame.count != 0
            elif (frame.place, frame.count, frame.first) != (
                    before.end, (before.count + 1) % _COUNTS, before.next_word):
                self._broken = True
            before, self.recording_ends = frame, frame.last
            if frame.last:
                continue
            packet = channel_packet(frame)
            if packet is None:
                self.others += 1
                continue
            self.channels.add(packet.channel)
            if packet.channel == self.channel:
                yield self._add(packet)

    def _add(self, packet):
        """The bytes of the next packet of the channel."""
        words = (packet.first - self._next) % _PLACES
        if words:
            kind = self.lost if packet.lost_ahead and not self._broken else self.missing
            kind.append((self.bytes, words))
        self._next, self._broken, self.complete = packet.first + packet.words, False, packet.ends
        self.bytes += len(packet.content)
        return packet.content
