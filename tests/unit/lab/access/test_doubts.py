"""What an answer states about the accesses that it rests on."""

from types import SimpleNamespace

import pytest

from sata_recorder.lab.access import AccessOptions, make_job
from sata_recorder.lab.access.doubts import caveats, of_memory
from sata_recorder.simulation import load_profile


@pytest.mark.parametrize("late, wanted", [
    (12_000, ["the drive's RAM of 65,536 bytes took the first accesses: the last quarter of them ran at 12,000 IOPS"]),
    (18_080, ["the last quarter of them ran at 18,080 IOPS: more of them give a steadier mean"]),
    (13_100, [])])
def test_a_last_quarter_that_differs(late, wanted):
    result = SimpleNamespace(bytes=1 << 20, iops=13_000, late_iops=late)
    assert list(of_memory(result, load_profile("vertex-plus"))) == wanted



@pytest.mark.parametrize("write", [False, True])
def test_a_rate_that_is_assumed_is_told_as_such(write):
    job = make_job(AccessOptions(drive="exos-x20-20tb", assume_rate="200MB/s", pattern="sequential", write=write))
    found = caveats(SimpleNamespace(job=job, count=1, bytes=1 << 40, iops=1.0, late_iops=None))
    assert "its rate of 200 MB/s is assumed by you: nobody has published that of a exos-x20-20tb" in found
