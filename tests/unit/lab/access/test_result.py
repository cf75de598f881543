"""Figures of accesses by hand."""

import pytest

from sata_recorder.lab.access.result import percentile


@pytest.mark.parametrize("numbers, percent, wanted", [
    (range(1, 11), 50.0, 5), (range(1, 11), 90.0, 9), (range(1, 11), 99.0, 10), ([7], 99.9, 7),
    (range(1, 1001), 99.9, 999), (range(1, 101), 50.0, 50), ([1, 2], 50.0, 1)])
def test_percentile_by_nearest_rank(numbers, percent, wanted):
    assert percentile([*numbers], percent) == wanted
