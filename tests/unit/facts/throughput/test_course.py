"""The stretches of a recording: the same time as the drive model's medium, byte for byte."""

import pytest
from sata_drive_model.medium.pace import FINE, WritePace

from sata_recorder.lab.plan import shortened
from sata_recorder.facts.throughput.course import stretches
from sata_recorder.simulation import Profile, load_profile, timed_profile_names

HZ = 75_000_000


def of(**write):
    return Profile.from_data({"name": "a", "model": "A", "description": "a", "generation": 3,
                              "capacity_sectors": 1 << 16, "source": "a test", "write": write})


PROFILES = [shortened(load_profile(name)) for name in timed_profile_names()] + [
    of(mb_per_s=100, crowded={"from_fill": 0.4, "mb_per_s": 30}),
    of(zones=[[0.0, 200.0], [0.3, 150.0], [1.0, 50.0]]),
    of(mb_per_s=100, cache={"bytes": 4_000_000, "minimum_bytes": 1_000_000, "mb_per_s": 250},
       stalls=[{"every_bytes": 3_000_000, "ms": 7, "when": "cache full"},
               {"every_bytes": 5_000_000, "ms": 2, "first_bytes": 1_000_000}],
       dips=[{"every_bytes": 2_000_000, "bytes": 500_000, "mb_per_s": 40}]),
]


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
@pytest.mark.parametrize("mib", [1, 7, 30])
def test_the_time_is_that_of_the_model(profile, mib):
    pace, time = WritePace(profile, HZ), 0
    size = mib << 20
    for lba in range(0, size // 512, 16):
        part, stalls = pace.take(lba, 8192)
        time += part + sum(length for _, length in stalls)
    parts = list(stretches(profile, size))
    assert parts[0].start == 0 and parts[-1].end == size
    assert all(one.end == next_.start for one, next_ in zip(parts, parts[1:]))
    planned = sum(part.cost * (part.end - part.start) + part.stall for part in parts)
    assert planned == pytest.approx((time >> FINE) / HZ, rel=2e-3, abs=2e-4)


def test_no_further_than_the_drive_goes():
    assert list(stretches(of(mb_per_s=100), 1 << 40))[-1].end == 512 << 16


def test_too_many_stalls_are_refused():
    many = of(mb_per_s=100, stalls=[{"every_bytes": 8192, "ms": 1}])
    huge = many.model_copy(update={"capacity_sectors": 1 << 40})
    with pytest.raises(ValueError, match="stalls or dips: at most 1,000,000"):
        list(stretches(huge, 1 << 45))
