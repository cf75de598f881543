"""Frames are found again: by scanning, and the newest one of a ring by a few looks."""

import functools
import random

import pytest
from short import short

from sata_recorder.pc.vita49 import AROUND, Lost, VrlFrame, frames, newest, read_frame
from unit.bricks.frames.framed import Bytes, record


@functools.cache
def recording(stream_id=7):
    """40 frames of a sector and the last one, and their bytes."""
    [recorded] = record(words=40 * (128 - AROUND), payload=128 - AROUND, stream_id=stream_id)
    return list(frames(Bytes(recorded.content))), recorded.content


class Counted(Bytes):
    """Counts what is read."""

    reads = 0

    def read(self, place, size):
        self.reads += 1
        return super().read(place, size)


@pytest.mark.sample(5)
@pytest.mark.parametrize("byte", short([0, 4, 8, 15, 20, 100, 456, 460, 480, 500, 508, 511],
                                       [0, 8, 20, 456, 480, 511]))
def test_any_damaged_byte_is_found(byte):
    content = bytearray(recording()[1])
    content[5 * 512 + byte] ^= 0x10
    found = list(frames(Bytes(content)))
    assert found[5] == Lost(5 * 512, 6 * 512)
    assert [one.count for one in found if isinstance(one, VrlFrame)] == [
        *range(5), *range(6, 41)]


def test_a_frame_that_is_cut_off():
    content = recording()[1]
    assert read_frame(Bytes(content), 0, 512).count == 0
    assert read_frame(Bytes(content), 0, 511) is None
    assert read_frame(Bytes(content), len(content), len(content)) is None


def test_what_is_between():
    """Frames that do not follow each other, with data of others in between."""
    content = recording()[1]
    noise = random.Random(1).randbytes(3 * 512)
    source = Bytes(noise + content[:1024] + noise + content[2048:])
    found = list(frames(source))
    assert found[0] == Lost(0, 1536) and found[3] == Lost(2560, 4096)
    assert [one.count for one in found if isinstance(one, VrlFrame)] == [0, 1, *range(4, 41)]


@pytest.mark.sample(5)
@pytest.mark.parametrize("written", short([1, 2, 3, 7, 20, 31, 32, 33, 40, 41], [1, 2, 31, 32, 33, 41]))
@pytest.mark.parametrize("before", ["nothing", "another"])
def test_the_newest_of_a_ring(written, before):
    """A ring of 32 frames, before the first round and after it, over an older recording."""
    content = recording()[1]
    ring = bytearray(recording(6)[1][:32 * 512] if before == "another" else bytes(32 * 512))
    for number in range(written):
        ring[number % 32 * 512:number % 32 * 512 + 512] = content[number * 512:number * 512 + 512]
    source = Counted(ring)
    found = newest(source)
    assert (found.count, found.stream_id) == (written - 1, 7)
    assert found.place == (written - 1) % 32 * 512


def test_a_large_ring_is_not_read_whole():
    """Most of what is read are the looks at places that no one has written."""
    content = recording()[1]
    source = Counted(content[:40 * 512] + bytes(1 << 22))
    assert newest(source).count == 39
    few = source.reads
    source = Counted(content[:40 * 512] + bytes(1 << 24))
    assert newest(source).count == 39
    assert source.reads < few + 2 * 300 < (1 << 24) // 512 // 2


@pytest.mark.parametrize("damaged", [[0], [15, 16], [31], [7, 15, 16, 23], [*range(12)]])
def test_the_newest_of_a_damaged_ring(damaged):
    """The newest one that is whole, though the first looks meet damage."""
    content = bytearray(recording()[1][:41 * 512])
    for number in damaged:
        content[number * 512 + 40] ^= 1
    assert newest(Bytes(content)).count == 40
    content[40 * 512] ^= 1
    assert newest(Bytes(content)).count == 39


def test_nothing():
    assert newest(Bytes(bytes(64 * 512))) is None
    assert list(frames(Bytes(bytes(4 * 512)))) == [Lost(0, 4 * 512)]
    assert list(frames(Bytes(b""))) == []
