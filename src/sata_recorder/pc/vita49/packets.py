"""The packets of a stream, from the frames that show where they begin and end."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .reader import Lost, VrlFrame

__all__ = ["Packet", "PacketSplitter", "packets"]

#: The count of a frame is modulo this.
_COUNTS = 4096


@dataclass
class Packet:
    """A packet, or what is left of one.

    ``first`` is the number of its first word in the recording ``stream_id``, ``clock`` when that one came, in clocks of
    the core from the beginning on, ``words`` how many there are; ``whole`` whether these are all.
    """

    stream_id: int
    first: int
    clock: int
    words: int = 0
    whole: bool = False


class PacketSplitter:
    """Finds the packets of frames that come one after the other.

    A packet is whole if a frame shows its beginning, the same or another one its end, and between them each frame
    follows the one before it. Frames of another recording with the same stream identifier can be mistaken for such.
    """

    def __init__(self) -> None:
        self._open: Packet | None = None
        self._begun = False
        self._before: VrlFrame | None = None

    @property
    def waiting(self) -> int:
        """Words of a packet whose end has not come."""
        return 0 if self._open is None else self._open.words

    def add(self, frame: VrlFrame) -> list[Packet]:
        """The packets that end with the next good frame, or have ended before it."""
        before, self._before = self._before, frame
        goes_on = (before is not None and not frame.packet_begins and not frame.gap_ahead
                   and (frame.stream_id, frame.first, frame.place, frame.count)
                   == (before.stream_id, before.next_word, before.end, (before.count + 1) % _COUNTS))
        found = [] if goes_on else self.end()
        if frame.last or not frame.words:
            return found + self.end()
        if self._open is None:
            self._open = Packet(frame.stream_id, frame.first, frame.clock)
            self._begun = frame.packet_begins
        self._open.words += frame.words
        if frame.packet_ends:
            self._open.whole = self._begun
            found += self.end()
        return found

    def end(self) -> list[Packet]:
        """What is left of a packet whose end has not come."""
        found = [] if self._open is None else [self._open]
        self._open = None
        return found


def packets(found: Iterable[VrlFrame | Lost]) -> Iterator[tuple[Packet, bytes]]:
    """Each packet of the frames ``found``, see :func:`.reader.frames`, and its bytes. Memory: one packet."""
    splitter, content = PacketSplitter(), bytearray()
    for frame in found:
        if isinstance(frame, Lost):
            continue
        for packet in splitter.add(frame):
            if 4 * packet.words > len(content):
                content += frame.payload
            yield packet, bytes(content)
            content.clear()
        if 4 * splitter.waiting > len(content):
            content += frame.payload
    for packet in splitter.end():
        yield packet, bytes(content)
