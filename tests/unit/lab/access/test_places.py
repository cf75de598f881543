"""Where accesses go: never outside the span, whatever its length, and everywhere in it."""

from itertools import islice

from hypothesis import given
from hypothesis import strategies as some

from sata_recorder.lab.access import Places

SPANS = some.integers(1, 1 << 47)


@given(some.data())
def test_every_access_lies_in_the_span(data):
    size, align = data.draw(some.integers(1, 2048)), data.draw(some.sampled_from([1, 8]))
    span, lba = data.draw(some.integers(size, 1 << 47)), data.draw(some.integers(0, 1 << 47))
    pattern = data.draw(some.sampled_from(["random", "sequential"]))
    if pattern == "sequential":
        size = max(align, size - size % align)
        span = max(span, size)
    places = Places(lba, span, size, align, pattern, data.draw(some.integers(0, (1 << 48) - 1)))
    for place in islice(places, 50):
        assert lba <= place and place + size <= lba + span
        assert (place - lba) % align == 0


@given(some.integers(1, 40), some.integers(1, 8), some.integers(0, (1 << 48) - 1))
def test_each_place_of_a_small_span_is_reached(places, size, seed):
    found = Places(100, size + places - 1, size, 1, "random", seed)
    assert set(islice(found, 60 * places)) == set(range(100, 100 + places))


def test_places_are_equally_likely():
    """Chi-square of 24,000 draws over 48 places: 47 degrees of freedom, a bound that one seed in a million exceeds."""
    counts = dict.fromkeys(range(48), 0)
    for place in islice(Places(0, 48, 1, 1, "random", 7), 24_000):
        counts[place] += 1
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 105


def test_sequence():
    assert [*islice(Places(10, 20, 8, 8, "sequential"), 4)] == [10, 18, 10, 18]
    assert [*islice(Places(10, 8, 8, 8, "sequential"), 2)] == [10, 10]


def test_the_seed_decides():
    """Numbers by which the hardware's generator is known to be the same."""
    assert [*islice(Places(0, 1 << 20, 8, 8, "random", 0), 3)] == [*islice(Places(0, 1 << 20, 8, 8, "random", 0), 3)]
    first = [*islice(Places(0, 1 << 40, 1, 1, "random", 0), 20)]
    assert first != [*islice(Places(0, 1 << 40, 1, 1, "random", 1), 20)]
    assert len(set(first)) == 20
