"""A generated image is an image like any other, whatever is written."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_drive_model import DiskImage, GeneratedImage

SECTORS, FIRST, COUNT = 40, 10, 20
CONTENT = bytes(n * 29 + (n >> 8) & 255 for n in range(512 * COUNT))


def image(filled=False):
    def expected(offset, size):
        assert 512 * FIRST <= offset and offset + size <= 512 * (FIRST + COUNT)
        return CONTENT[offset - 512 * FIRST:offset - 512 * FIRST + size]
    return GeneratedImage(sectors=SECTORS, expected=expected, extent=(FIRST, COUNT), filled=filled)


def test_starts_empty_or_filled():
    assert image().read(0, 512 * SECTORS) == bytes(512 * SECTORS)
    filled = image(True)
    assert filled.read(512 * FIRST, 512 * COUNT) == CONTENT
    assert filled.read(0, 512 * SECTORS) == bytes(512 * FIRST) + CONTENT + bytes(512 * 10)
    assert filled.unexpected() is None and image().unexpected() == FIRST


@given(st.booleans(), st.lists(st.tuples(
    st.integers(0, 4 * SECTORS - 1), st.integers(0, 40), st.booleans(), st.booleans()), max_size=12))
def test_like_an_image(filled, writes):
    """Random writes, some of them of what is expected, some of whole sectors."""
    mine, plain = image(filled), DiskImage(sectors=SECTORS)
    if filled:
        plain.write(512 * FIRST, CONTENT)
    for place, size, right, whole in writes:
        unit = 512 if whole else 4
        offset = place * 128 // unit * unit
        size = min(size * unit, 512 * SECTORS - offset)
        data = bytes((offset + n) * 5 & 255 for n in range(size))
        if right:
            data = (bytes(512 * FIRST) + CONTENT + bytes(512 * 10))[offset:offset + size]
        mine.write(offset, data)
        plain.write(offset, data)
    assert mine.read(0, 512 * SECTORS) == plain.read(0, 512 * SECTORS)
    for place in range(0, 512 * SECTORS - 1000, 508):
        assert mine.read(place, 1000) == plain.read(place, 1000)
    held = plain.read(512 * FIRST, 512 * COUNT)
    wrong = [FIRST + n for n in range(COUNT)
             if held[512 * n:512 * n + 512] != CONTENT[512 * n:512 * n + 512]]
    found = mine.unexpected()
    assert not wrong if found is None else not wrong or found <= wrong[0]


def test_memory_is_not_used():
    mine = image()
    mine.write(512 * FIRST, CONTENT)
    assert mine.unexpected() is None and not mine.chunks
    mine.write(512 * (FIRST + 3), bytes(512))
    assert mine.unexpected() == FIRST + 3


@pytest.mark.parametrize("filled", [False, True])
def test_a_byte_a_sector(filled):
    tracemalloc.start()
    try:
        GeneratedImage(sectors=1 << 21, expected=None, extent=(0, 1 << 21), filled=filled)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * (1 << 21)


def test_beyond_the_end():
    with pytest.raises(ValueError, match="outside 40 sectors"):
        image(True).write(512 * (SECTORS - 1), bytes(513))
    with pytest.raises(ValueError, match="outside 40 sectors"):
        image(True).read(512 * SECTORS, 1)
