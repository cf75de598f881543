"""The lengths of lines in a log, and the lines that they show in a copy of a part of the recording."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.pc.volume import CopiedLine, LineLengths, Log
from sata_recorder.pc.volume.exfat import Malformed
from sata_recorder.pc.volume.table import sealed

RUNS = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 6)), max_size=5)


def by_hand(lengths, first, end):
    """The lines one after the other, byte by byte."""
    found, place, number = [], 0, 0
    for size, lines in lengths.runs:
        for _ in range(lines):
            inside = [byte for byte in range(place, place + size) if first <= byte < end]
            if inside:
                found.append(CopiedLine(number, inside[0] - first, len(inside), len(inside) == size))
            place, number = -(-(place + size) // 4) * 4, number + 1
    rest = [byte for byte in range(place, end) if byte >= first]
    if rest and lengths.are_known:
        found.append(CopiedLine(number, rest[0] - first, len(rest), False))
    return found


@given(runs=RUNS, more=st.integers(0, 1), first=st.integers(0, 100), size=st.integers(0, 500))
def test_lines_within_a_copy(runs, more, first, size):
    lengths = LineLengths(sum(lines for _, lines in runs) + more, tuple(runs))
    assert lengths.are_known == (not more)
    assert list(lengths.within(4 * first, 4 * first + size)) == by_hand(lengths, 4 * first, 4 * first + size)


@given(runs=RUNS, size=st.integers(0, 500))
def test_lines_that_a_file_has(runs, size):
    lengths = LineLengths(sum(lines for _, lines in runs), tuple(runs))
    ends = [one.first_byte + one.bytes for one in by_hand(lengths, 0, lengths.end) if one.number < lengths.count]
    assert lengths.whole_in(size) == sum(end <= size for end in ends)
    assert lengths.are_in(size) == (not ends or ends[-1] <= size)


@given(runs=RUNS, more=st.integers(0, 1 << 40))
def test_a_log_has_them(runs, more):
    lines = LineLengths(sum(lines for _, lines in runs) + more, tuple(runs))
    assert Log.parse(Log(1, 5, 6, lines=lines, skipped=3).pack()).lines == lines
    assert Log.parse(Log(1, 5, 6).pack()).lines is None


def test_as_documented():
    content = Log(1, 5, 6, lines=LineLengths(1 << 40, ((2048, 1080), (7, 1)))).pack()
    assert content[32] == 64 and content[184:196] == (1 << 40).to_bytes(8, "little") + b"\2\0\0\0"
    assert content[256:272] == b"".join(n.to_bytes(4, "little") for n in (2048, 1080, 7, 1))
    with pytest.raises(ValueError, match="at most 31 runs"):
        LineLengths(32, ((1, 1),) * 32).pack()


@pytest.mark.parametrize("place, value", [(192, 32), (184, 0), (256, 0), (260, 0)])
def test_fields_that_cannot_be(place, value):
    content = bytearray(Log(1, 5, 6, lines=LineLengths(1, ((4, 1),))).pack())
    content[place] = value
    with pytest.raises(Malformed, match="impossible fields"):
        Log.parse(sealed(bytes(content[:508])) + bytes(content[512:]))


@pytest.mark.parametrize("lines, text", [
    (LineLengths(0), "0 lines"), (LineLengths(1, ((5, 1),)), "1 line of 5 bytes"),
    (LineLengths(1080, ((2048, 500), (2048, 580))), "1,080 lines of 2,048 bytes"),
    (LineLengths(3, ((5, 2), (6, 1))), "3 lines of 2 lengths"),
    (LineLengths(9, ((5, 2), (6, 1))), "9 lines, of which the first 3 have a length in the log")])
def test_for_people(lines, text):
    assert lines.text == text
