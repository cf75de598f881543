"""A ring of frames is read from its oldest one on, whatever crosses its end."""

import functools

import pytest
from short import short

from sata_recorder.pc.vita49 import Lost, Ring, frames
from unit.bricks.frames.framed import Bytes, record

#: Sectors ahead of the ring.
_AHEAD = 5


@functools.cache
def recording():
    """The sectors of a recording with frames of three sectors and, after gaps, of fewer."""
    [recorded] = record(words=9000, payload=360, drive=0.4, burst=30, waits=False, seed=5)
    content = recorded.content
    return [content[at:at + 512] for at in range(0, len(content), 512)]


def ring_of(sectors, size):
    """A source with a ring of ``size`` sectors, into which these were written one after another."""
    disk = bytearray(512 * (_AHEAD + size))
    for number, sector in enumerate(sectors):
        at = 512 * (_AHEAD + number % size)
        disk[at:at + 512] = sector
    return Ring(Bytes(disk), 512 * _AHEAD, len(disk))


@pytest.mark.wide
@pytest.mark.parametrize("size", short(range(10, 25), [10, 24]))
def test_any_end(size):
    """It ends with any frame: all that are whole are there, in order, and the newest is the last."""
    whole = list(frames(Bytes(b"".join(recording()))))
    assert len({frame.end - frame.place for frame in whole}) > 1
    for newest in whole[1::3]:
        written = newest.end // 512
        ring = ring_of(recording()[:written], size)
        found = [frame for frame in frames(ring) if not isinstance(frame, Lost)]
        assert [frame.first for frame in found] == [
            frame.first for frame in whole
            if frame.end <= newest.end and frame.place >= 512 * (written - size)]
        assert ring.newest.first == newest.first
        assert ring.newest.place == 512 * (_AHEAD + newest.place // 512 % size)
        assert ring.place(found[-1].place) == ring.newest.place


def test_nothing_and_no_whole_sectors():
    ring = Ring(Bytes(bytes(5000)), 512, 5000)
    assert (ring.size, ring.newest) == (8 * 512, None)
    assert list(frames(ring)) == [Lost(0, 8 * 512)]
    assert ring.place(0) == 512
