"""The ranges of a TRIM: all of its sectors, in order, each once, and zeros after them."""

from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.core.sequencer.between.trim_ranges import TrimRanges
from unit.bench import Bench

BENCH = Bench(TrimRanges())
_MOST = 65535


def ranges(lba, sectors, words):
    """The first ``words`` words: LBA in bits 47:0, sectors in bits 63:48, the lower word first."""
    found = []
    while sectors:
        count = min(sectors, _MOST)
        found += [lba & 0xFFFFFFFF, lba >> 32 | count << 16]
        lba, sectors = lba + count, sectors - count
    return (found + [0] * words)[:words]


@given(st.integers(0, (1 << 47) - 1), st.integers(1, 4), st.integers(-2, 2), st.integers(1, 1000), st.booleans(),
       st.lists(st.booleans(), min_size=8, max_size=40))
def test_ranges(lba, full, more, few, long, waits):
    """Of some full ranges and a little more or less, to a reader that waits in any clock or in none."""
    shift = 3 if long else 0
    lba &= -1 << shift
    for sectors in {max(full * _MOST + more, 1), few}:
        rows = [{"begin": 1, "lba": lba, "sectors": sectors << shift, "long": long},
                *({"begin": 0, "lba": 0, "sectors": 0, "o__ready": not wait} for wait in [*waits, *[False] * 12])]
        clocks = BENCH.trace(rows, ["o__payload"])
        words = [clock["o__payload"] for row, clock in zip(rows, clocks) if row.get("o__ready")]
        assert words == ranges(lba >> shift, sectors, len(words))
