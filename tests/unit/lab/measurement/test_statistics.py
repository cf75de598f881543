"""Histograms hold every number once, in few bins, whatever their range is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.lab.measurement import Statistics


def test_none():
    assert Statistics.of([]) is None


@given(st.lists(st.integers(0, 50) | st.integers(0, 1 << 40), min_size=1, max_size=40))
def test_all_are_counted(numbers):
    found = Statistics.of(numbers)
    assert (found.minimum, found.maximum, found.count) == (min(numbers), max(numbers), len(numbers))
    assert found.mean == pytest.approx(sum(numbers) / len(numbers))
    assert 1 <= len(found.histogram) <= 8
    assert found.histogram[0][0] == min(numbers) and found.histogram[-1][1] == max(numbers)
    after = found.histogram[0][0]
    for low, high, count in found.histogram:
        assert low == after <= high
        assert count == sum(low <= number <= high for number in numbers)
        after = high + 1


def test_equal_width_and_equal_ratio():
    assert [high - low + 1 for low, high, _ in Statistics.of(range(100, 180)).histogram] == [10] * 8
    slow = Statistics.of([*range(50, 60)] * 100 + [1_000_000])
    assert sum(count > 0 for _, _, count in slow.histogram) == 2
    widths = [high - low + 1 for low, high, _ in slow.histogram]
    assert widths == sorted(widths) and widths[0] < 300
