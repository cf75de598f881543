"""What an answer states about the accesses that it rests on."""

from types import SimpleNamespace

import pytest

from sata_recorder.lab.access.doubts import of_memory
from sata_recorder.simulation import load_profile


@pytest.mark.parametrize("late, wanted", [
    (12_000, ["the drive's RAM of 65,536 bytes took the first accesses: the last quarter of them ran at 12,000 IOPS"]),
    (18_080, ["the last quarter of them ran at 18,080 IOPS: more of them give a steadier mean"]),
    (13_100, [])])
def test_a_last_quarter_that_differs(late, wanted):
    result = SimpleNamespace(bytes=1 << 20, iops=13_000, late_iops=late)
    assert list(of_memory(result, load_profile("vertex-plus"))) == wanted
