"""Finds the frames of a recording, also if parts of it are damaged or missing."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

from ...facts.units import SECTOR_BYTES
from ...facts.vita49 import (AROUND, CONTEXT_WORDS, GAP_AHEAD, HEADER_WORDS, LAST, MAGIC, MAX_PAYLOAD,
                            PACKET_BEGINS, PACKET_ENDS, STATE_AND_EVENTS, TRAILER, context_header, data_header)

__all__ = ["MAX_SECTORS", "Lost", "VrlFrame", "frames", "newest", "read_frame"]

_HEAD = struct.Struct(">6I")
_TAIL = struct.Struct(f">{1 + CONTEXT_WORDS + 1}I")
assert _HEAD.size == 4 * HEADER_WORDS

#: Sectors of the longest frame.
MAX_SECTORS = -(-4 * (AROUND + MAX_PAYLOAD) // SECTOR_BYTES)
_LOOKS = 16


@dataclass(frozen=True)
class VrlFrame:
    """A good frame.

    ``place`` is its first byte in the source, ``content`` all its bytes up to the CRC; ``count`` the number of the
    frame modulo 4096; ``stream_id`` the identifier of the recording, 32 bits; ``first`` the number of its first word in
    the recording, lost ones included; ``clock`` when that one came, in clocks of the core from the beginning on;
    ``gap_ahead`` whether words were lost just before it; ``last`` whether the recording ends here; ``packet_begins``,
    ``packet_ends`` whether a packet of the user begins with its first word, ends with its last one.
    """

    place: int
    count: int
    stream_id: int
    first: int
    clock: int
    gap_ahead: bool
    last: bool
    content: bytes
    packet_begins: bool = False
    packet_ends: bool = False

    @property
    def payload(self) -> memoryview:
        """The bytes of the user's words."""
        return memoryview(self.content)[4 * HEADER_WORDS:-_TAIL.size + 4]

    def at(self, place: int) -> Self:
        """The same frame at another ``place``, a byte of its source."""
        return replace(self, place=place)

    @property
    def end(self) -> int:
        """The first byte after its last sector."""
        return self.place + -(-(len(self.content) + 4) // SECTOR_BYTES) * SECTOR_BYTES

    @property
    def words(self) -> int:
        """The number of the user's words in it."""
        return len(self.content) // 4 + 1 - AROUND

    @property
    def next_word(self) -> int:
        """The number of the word after its last one."""
        return self.first + self.words


@dataclass(frozen=True)
class Lost:
    """Bytes ``place`` to ``end`` of the source, in which there is no good frame."""

    place: int
    end: int


def read_frame(source: Any, place: int, end: int) -> VrlFrame | None:
    """The frame at the byte ``place`` of ``source``, or None; it does not reach beyond the byte ``end``."""
    if end - place < 4 * AROUND:
        return None
    try:
        return _parsed(source, place, end)
    except OSError:
        return None


def _parsed(source, place, end):
    start = source.read(place, min(SECTOR_BYTES, end - place))
    magic, numbers, header, stream_id, high, low = _HEAD.unpack_from(start)
    size, count = numbers & 0xFFFFF, numbers >> 20
    words = size - AROUND
    packet = (count & 15) << 16
    if (magic != MAGIC or not 0 <= words <= MAX_PAYLOAD or 4 * size > end - place
            or header != data_header(words) | packet):
        return None
    content = start if 4 * size <= len(start) else source.read(place, 4 * size)
    trailer, context, same_id, clock_high, clock_low, kind, events, crc = _TAIL.unpack_from(
        content, 4 * (HEADER_WORDS + words))
    if (crc != zlib.crc32(content[:4 * size - 4]) or trailer != TRAILER or same_id != stream_id
            or context != context_header() | packet or kind != STATE_AND_EVENTS):
        return None
    return VrlFrame(place, count, stream_id, high << 32 | low, clock_high << 32 | clock_low,
                    events & ~(LAST | PACKET_BEGINS | PACKET_ENDS) == GAP_AHEAD, bool(events & LAST),
                    content[:4 * size - 4], bool(events & PACKET_BEGINS), bool(events & PACKET_ENDS))


def frames(source: Any, start: int = 0, end: int | None = None) -> Iterator[VrlFrame | Lost]:
    """What is between the bytes ``start`` and ``end`` of ``source``, as `VrlFrame` and `Lost`.

    ``source`` has ``size`` and ``read(offset, size)``, which may raise ``OSError``. ``start`` is
    where a sector begins. Memory: one frame.
    """
    end = source.size if end is None else end
    lost = place = start
    while place < end:
        frame = read_frame(source, place, end)
        if frame is None:
            place += SECTOR_BYTES
            continue
        if lost < place:
            yield Lost(lost, place)
        yield frame
        lost = place = frame.end
    if lost < end:
        yield Lost(lost, end)


def newest(source: Any, start: int = 0, end: int | None = None) -> VrlFrame | None:
    """The last frame of the recording that begins at ``start`` and may have wrapped round to it
    from ``end``, or None.

    It reads a number of frames that grows with the logarithm of the size. If it finds a
    contradiction, because parts are damaged, it reads everything.
    """
    end = source.size if end is None else end
    oldest = _next(source, start, end, end)
    if oldest is None:
        return max(_of_one(frames(source, start, end)), key=_age, default=None)
    low, high = oldest, end
    while high - low.end >= SECTOR_BYTES:
        middle = low.end + (high - low.end) // (2 * SECTOR_BYTES) * SECTOR_BYTES
        found = _next(source, middle, high, end)
        if found is not None and found.stream_id == low.stream_id and found.first >= low.first:
            low = found
        elif middle == low.end:
            break
        else:
            high = middle
    looks = (low.end + (end - low.end) * look // _LOOKS // SECTOR_BYTES * SECTOR_BYTES
             for look in range(_LOOKS))
    if any(later is not None and later.stream_id == low.stream_id and later.first >= low.next_word
           for later in (_next(source, look, end, end) for look in looks)):
        return max(_of_one(frames(source, start, end)), key=_age)
    return low


def _age(frame):
    return frame.first, frame.last


def _of_one(found):
    """The frames of the recording that the first one belongs to."""
    stream_id = None
    for one in found:
        if isinstance(one, VrlFrame):
            stream_id = one.stream_id if stream_id is None else stream_id
            if one.stream_id == stream_id:
                yield one


def _next(source, place, before, end):
    """The first frame that begins at ``place`` or up to the longest frame after it, and before
    ``before``; or None."""
    for at in range(place, min(place + MAX_SECTORS * SECTOR_BYTES, before), SECTOR_BYTES):
        found = read_frame(source, at, end)
        if found is not None:
            return found
    return None
