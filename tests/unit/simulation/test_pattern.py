"""Producers: the same words wherever the reading begins."""

import pickle
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.simulation.pattern import PATTERNS, Bytes, File, Gapped, Pattern

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
       st.integers(0, 200), st.integers(0, 100), st.integers(2, 3))
def test_gaps(stretches, first, count, together):
    """What comes between the gaps follows each other without one."""
    producer = Pattern("inc32", 0, 600)
    gaps, left, at = [], [], 0
    for kept, lost in stretches:
        left += range(at, at + kept)
        gaps.append((at + kept, lost))
        at += kept + lost
    left += range(at, 600)
    gapped = Gapped(producer, lambda first: gaps[first:first + together])
    assert gapped.gaps(5) == gaps[:5] and gapped.gap_count == len(gaps)
    ahead = [lost for at, lost in gaps if at < left[count - 1]] if count else []
    assert gapped.ahead_of(count) == (len(ahead), sum(ahead))
    assert gapped.words == len(left)
    assert words(gapped.read(first, count)) == tuple(left[first:first + count])


def test_gap_that_grows():
    gaps = [(10, 1)]
    gapped = Gapped(Pattern("inc32", 0, 100), lambda first: gaps[first:])
    assert words(gapped.read(0, 11)) == (*range(10), 11) and gapped.words == 99
    gaps[:] = (10, 5), (20, 2)
    assert words(gapped.read(9, 8)) == (9, 15, 16, 17, 18, 19, 22, 23) and gapped.words == 93
    assert gapped.gaps(10) == gaps


def test_many_gaps_are_read_once():
    """A read asks for those that are new, and reads about as many words as it returns."""
    gaps, asked = [], []
    producer = Pattern("inc32", 0, 1 << 40)
    read, producer.read = producer.read, lambda first, count: asked.append(count) or read(
        first, count)

    def told(first):
        asked.append(len(gaps[first:first + 10000]))
        return gaps[first:first + 10000]

    gapped = Gapped(producer, told)
    for number in range(100):
        gaps += [(10 * (500 * number + n) + 9, 1) for n in range(500)]
        asked.clear()
        found = words(gapped.read(4500 * number, 4500))
        assert found == tuple(n for n in range(5000 * number, 5000 * number + 5000) if n % 10 < 9)
        assert sum(asked) < 6000
    assert gapped.gap_count == 50000
