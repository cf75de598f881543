"""Comparing in pieces tells the first difference, and the CRC of all."""

import zlib

import pytest

from sata_recorder.lab.measurement.comparison import Comparison, Tally
from sata_recorder.simulation import Pattern

DATA = Pattern("random", 3, 4096).read(0, 4096)


def compared(data, piece):
    comparison = Comparison(lambda offset, size: DATA[offset:offset + size])
    for start in range(0, len(data), piece):
        comparison(data[start:start + piece])
    return comparison


@pytest.mark.parametrize("piece", [1 << 14, 512, 1000])
def test_same(piece):
    found = compared(DATA, piece)
    assert (found.difference, found.crc, found.size) == (None, zlib.crc32(DATA), len(DATA))


@pytest.mark.parametrize("piece", [1 << 14, 512, 1000])
@pytest.mark.parametrize("at", [0, 511, 512, 9999, 16383])
def test_different(piece, at):
    wrong = bytearray(DATA)
    wrong[at] ^= 0x40
    wrong[-1] ^= 1
    found = compared(bytes(wrong), piece)
    assert found.difference == (f"first at byte {at}: {wrong[at]:02x}h instead of "
                                f"{DATA[at]:02x}h")
    assert found.crc == zlib.crc32(wrong)


def test_too_long():
    assert "length" in compared(DATA + b"more", 512).difference


def test_run_stops_at_the_difference():
    reads = []

    def read(offset, size):
        reads.append(offset)
        return bytes(size)
    found = Comparison(lambda offset, size: b"\1" * size).run(read, 5 << 20)
    assert reads == [0] and found.difference.startswith("first at byte 0")


def test_tally():
    tally = Tally(Pattern("random", 3, 4096))
    assert tally.read(0, 1000) + tally.read(1000, 3096) == DATA
    assert (tally.crc, tally.position) == (zlib.crc32(DATA), 4096)
    tally.read(0, 1)
    assert tally.crc is None
    tally.read(4096, 1)
    assert tally.crc is None
