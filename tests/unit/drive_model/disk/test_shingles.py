"""The cache of a shingled disk loses nothing."""

from hypothesis import given
from hypothesis import strategies as st

from sata_drive_model.disk import Shingles
from sata_drive_model.disk.parameters import ShingledBands

BAND, CACHE, BANDS = 64, 200, 6
WRITES = st.tuples(st.integers(0, BANDS * BAND - 1), st.integers(1, 40))


class Content:
    """What is where: in the ring, and in the bands."""

    def __init__(self):
        self.shingles = Shingles(ShingledBands(band_bytes=BAND, cache_bytes=CACHE, idle_ms=0))
        self.ring, self.bands, self.latest = [None] * CACHE, [0] * (BAND * BANDS), [0] * (BAND * BANDS)
        self.cleaned = 0

    def clean(self):
        band, runs = self.shingles.clean()
        self.cleaned += 1
        for start, end, place in runs:
            assert start // BAND == (end - 1) // BAND == band
            self.bands[start:end] = self.ring[place:place + end - start]

    def write(self, start, size, value):
        size = min(size, BAND - start % BAND)
        while (place := self.shingles.place(size)) is None:
            self.clean()
        self.shingles.write(start, size)
        assert place + size <= CACHE
        self.ring[place:place + size] = [value] * size
        self.latest[start:start + size] = [value] * size

    def check(self):
        found = []
        for start, end, place in self.shingles.pieces(0, BAND * BANDS):
            assert start == len(found)
            found += self.bands[start:end] if place is None else self.ring[place:place + end - start]
        assert found == self.latest


@given(st.lists(st.one_of(WRITES, st.just("clean")), max_size=60))
def test_what_was_written_last_is_found(orders):
    content = Content()
    for number, order in enumerate(orders):
        if order != "clean":
            content.write(*order, number + 1)
        elif content.shingles.dirty:
            content.clean()
        content.check()
    while content.shingles.dirty:
        content.clean()
    content.check()
    assert content.bands == content.latest


def test_a_full_ring_is_made_free_band_by_band():
    content = Content()
    for number in range(50):
        content.write(number * 37 % (BAND * BANDS), 10, number)
    assert content.cleaned > 5
    content.check()


def test_a_stream_is_one_run_of_each_band():
    shingles = Content().shingles
    for start in range(0, 128, 8):
        assert shingles.place(8) == start
        shingles.write(start, 8)
    assert list(shingles.pieces(0, 128)) == [(0, 64, 0), (64, 128, 64)]
    assert shingles.clean() == (0, [(0, 64, 0)])
