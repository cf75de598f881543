"""A memory that carries 2.5 times the core's rate: the full rate in and out at once, as one of 4 times does."""

import pytest
from benchmark_modules import importing_benchmarks

pytestmark = pytest.mark.wide

with importing_benchmarks():
    import memory_rate as rate


def test_two_and_a_half_words_a_clock():
    """No clock in which the memory holds up the stream, the drive, a replay or a playback."""
    assert rate.words_of(40) == 2.5
    found = rate.rates_of(40)
    assert found.replays == 1 and found.right
    assert found[:5] == (0, 0, 0, 0, 0) and found.play_waits == 0


def test_less_than_two_words_a_clock():
    """Then it is the memory that holds up both, and says so."""
    found = rate.rates_of(30)
    assert found.right and found.waits >= found.held > 0 and found.throttled > 0
