"""A time of the drive's behaviour: the number itself, or one of a range."""

import random

import pytest
from sata_drive_model.behaviour import pick


def test_a_number_costs_no_random_number():
    rng = random.Random(1)
    before = rng.getstate()
    assert pick(rng, 7) == 7
    assert rng.getstate() == before


@pytest.mark.parametrize("low, high", [(0, 0), (3, 3), (0, 1), (1, 63), (1, 64), (1, 65),
                                       (-5, 4), (0, 1 << 40)])
def test_a_range_gives_what_randint_gives(low, high):
    one, other = random.Random(low + high), random.Random(low + high)
    for _ in range(300):
        assert pick(one, (low, high)) == other.randint(low, high)
    assert one.getstate() == other.getstate()


def test_an_empty_range_is_refused():
    with pytest.raises(ValueError, match="no number lies between 4 and 3"):
        pick(random.Random(0), (4, 3))
