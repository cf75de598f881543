"""Copies: all bytes, in constant memory, and past what cannot be read."""

import hashlib
import random
import tracemalloc
import zlib

import pytest

from sata_recorder.pc.volume import SectorRange, copy

from .conftest import Disk

SIZE = 9 << 20


class BadDisk(Disk):
    """A disk with sectors that cannot be read, and an end."""

    def __init__(self, content, bad=()):
        super().__init__(content)
        self.bad = set(bad)

    def read_into(self, offset, view):
        sectors = range(offset // 512, -(-(offset + len(view)) // 512))
        if not self.bad.isdisjoint(sectors):
            raise OSError(5, "Input/output error")
        super().read_into(offset, view)


@pytest.mark.parametrize("size", [0, 1, 511, 512, 4 << 20, (4 << 20) + 1, SIZE - 512])
def test_whole(size):
    content = random.Random(1).randbytes(SIZE)
    found, told = bytearray(), []
    copied = copy(Disk(content), [SectorRange(1, -(-size // 512))], size, found.extend,
                  progress=told.append)
    expected = content[512:512 + size]
    assert found == expected and copied.bytes == size and copied.damaged == []
    assert copied.crc32 == zlib.crc32(expected)
    assert copied.digest == hashlib.sha256(expected).hexdigest()
    assert told == sorted(told) and (not size or told[-1] == size)


def test_ranges():
    content = random.Random(2).randbytes(1 << 20)
    found = bytearray()
    copy(Disk(content), [SectorRange(10, 3), SectorRange(2, 5)], 7 * 512 + 9, found.extend)
    assert found == content[5120:6656] + content[1024:1024 + 4 * 512 + 9]


def test_damaged_parts():
    """Single sectors, a run across a chunk, the end of the disk; all else is there."""
    content = random.Random(3).randbytes(SIZE)
    bad = {3, 100, 101, *range(8190, 8300)}
    found = bytearray()
    copied = copy(BadDisk(content, bad), [SectorRange(0, SIZE // 512 + 4)], SIZE + 4 * 512,
                  found.extend)
    assert copied.damaged == [(3 * 512, 512), (100 * 512, 1024), (8190 * 512, 110 * 512),
                              (SIZE, 4 * 512)]
    expected = bytearray(content + bytes(4 * 512))
    for sector in bad:
        expected[512 * sector:512 * sector + 512] = bytes(512)
    assert found == expected and copied.crc32 == zlib.crc32(expected)


@pytest.mark.parametrize("valid", [0, 1, 5 << 20, SIZE])
def test_what_was_not_written_is_zeros(valid):
    content = random.Random(4).randbytes(SIZE)
    found = bytearray()
    copied = copy(Disk(content), [SectorRange(0, SIZE // 512)], SIZE, found.extend, valid=valid)
    assert found == content[:valid] + bytes(SIZE - valid) and copied.crc32 == zlib.crc32(found)


def test_end_within_a_sector():
    """Of the last sector, which cannot be read, only the bytes of the recording are named."""
    copied = copy(BadDisk(bytes(4096), {1}), [SectorRange(0, 2)], 700, bytearray().extend)
    assert copied.damaged == [(512, 188)]


def test_memory_is_constant():
    class Endless:
        def read_into(self, offset, view):
            pass

    size = 256 << 20
    tracemalloc.start()
    copied = copy(Endless(), [SectorRange(0, size // 512)], size, None, algorithm=None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert copied.bytes == size and peak < 20 << 20


def test_a_full_disk_is_told():
    def full(_):
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        copy(Disk(bytes(SIZE)), [SectorRange(0, SIZE // 512)], SIZE, full)
