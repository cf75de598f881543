"""Producers: the same words wherever the reading begins."""

import pickle
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.measure.pattern import PATTERNS, Bytes, File, Gapped, Pattern

WORDS = 5000


def words(data):
    return struct.unpack(f"<{len(data) // 4}I", data)


def splitmix64(state):
    """One step of the published generator, in Python's integers."""
    mask = (1 << 64) - 1
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
    state = (state ^ state >> 27) * 0x94D049BB133111EB & mask
    return state ^ state >> 31


def test_increasing_and_decreasing():
    assert words(Pattern("inc32", 0, 10).read(3, 4)) == (3, 4, 5, 6)
    assert words(Pattern("dec32", 0, 10).read(0, 2)) == (0xFFFFFFFF, 0xFFFFFFFE)
    assert words(Pattern("inc32", 7, 10).read(0, 2)) == (7, 8)
    assert words(Pattern("inc32", 0, 1 << 40).read((1 << 32) - 1, 2)) == (0xFFFFFFFF, 0)


def test_random_is_splitmix64():
    seed = 12345
    start = seed * 0xBF58476D1CE4E5B9
    expected = [splitmix64((start + (n + 1) * 0x9E3779B97F4A7C15) % (1 << 64)) for n in range(4)]
    assert struct.unpack("<4Q", Pattern("random", seed, 8).read(0, 8)) == tuple(expected)


@given(st.sampled_from([*PATTERNS]), st.integers(0, 1 << 70), st.integers(0, WORDS),
       st.integers(0, 100))
def test_any_place(kind, seed, first, count):
    whole = Pattern(kind, seed, WORDS + 100)
    assert whole.read(first, count) == whole.read(0, WORDS + 100)[4 * first:4 * (first + count)]


def test_words_are_not_related():
    data = Pattern("random", 0, 1 << 16).read(0, 1 << 16)
    assert len({*words(data)}) > 65500
    ones = sum(word.bit_count() for word in words(data))
    assert abs(ones / (32 << 16) - 0.5) < 0.002
    assert data != Pattern("random", 1, 1 << 16).read(0, 1 << 16)


@pytest.mark.parametrize("size", [1, 511, 512, 4097])
def test_bytes_and_file_are_filled_up(size, tmp_path):
    data = bytes(n * 7 & 255 for n in range(size))
    path = tmp_path / "data"
    path.write_bytes(data)
    padded = data + bytes(8192 - size)
    for producer in Bytes(data, 2048), File(path, 2048), pickle.loads(
            pickle.dumps(File(path, 2048))):
        assert (producer.size, producer.words) == (size, 2048)
        assert producer.read(0, 2048) == padded
        assert producer.read(100, 28) == padded[400:512]
    assert Bytes(data).words == -(-size // 4)


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), max_size=8),
       st.integers(0, 200), st.integers(0, 100))
def test_gaps(stretches, first, count):
    """What comes between the gaps follows each other without one."""
    producer = Pattern("inc32", 0, 600)
    gaps, left, at = [], [], 0
    for kept, lost in stretches:
        left += range(at, at + kept)
        gaps.append((at + kept, lost))
        at += kept + lost
    left += range(at, 600)
    gapped = Gapped(producer, lambda: gaps)
    assert gapped.words == len(left)
    assert words(gapped.read(first, count)) == tuple(left[first:first + count])
