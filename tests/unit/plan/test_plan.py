"""The answers of a plan, held against arithmetic done by hand."""

import json
import math

import pytest

from sata_recorder.measurement import JobError
from sata_recorder.plan import BUFFER_WORDS, Requirement, parse_duration, plan, plans
from sata_recorder.simulation import Profile, load_profile, profile_names

HOUR = Requirement.of("150MB/s", duration="1h")


def drive(**fields):
    write = fields.pop("write")
    return Profile.from_data({"name": "a", "model": "A", "description": "a", "generation": 3,
                              "capacity_sectors": 1 << 31, "source": "a test",
                              "write": {"buffer_bytes": 65536} | write} | fields)


def test_a_physicists_hour():
    found = {one.profile.name: one for one in
             plans(HOUR, [load_profile(name) for name in profile_names() if name != "ideal"])}
    real = [one for one in found.values() if one.profile.scale == 1]
    assert not any(one.fits for one in real)
    assert {one.profile.name for one in real if one.drives == 2} == \
        {"dc-s3700", "870-qvo", "hds721050cla362"}
    assert next(iter(found)) == "dc-s3700"
    qvo = found["870-qvo"]
    assert qvo.cache_seconds == pytest.approx(40_540_829_115 / 150e6)
    assert qvo.cache_seconds < qvo.lasts_seconds < qvo.cache_seconds + 20
    assert "rate" in qvo.reasons[0] and "80.00 MB/s" in qvo.reasons[0]
    assert found["dc-s3700"].reasons[0].startswith("capacity: 540,000,000,000 bytes do not fit")
    assert found["970-evo-plus"].fits and found["970-evo-plus"].profile.scale == 0.1


def test_a_recording_within_the_cache_fits():
    found = plan(Requirement.of("150MB/s", duration="3min"), load_profile("870-qvo"))
    assert found.fits and found.fifo_words == 1
    assert any("all of it fits into 40,540,829,115 bytes" in text for text in found.reasons)


@pytest.mark.parametrize("ms", [10, 100])
def test_a_stall_decides_the_fifo(ms):
    stalling = drive(write={"mb_per_s": 200, "stalls": [{"every_bytes": 400_000_000, "ms": ms}]})
    found = plan(Requirement.of("100MB/s", size="1GB"), stalling)
    room = 65536 / 4 + BUFFER_WORDS
    assert found.fifo_words == pytest.approx(100e6 * ms / 4e3 - room, abs=2500)
    assert found.stalls == 2 and found.stall_seconds == ms / 1e3
    assert found.stall_bytes == 100_000 * ms


def test_the_latency_of_a_command_decides_the_fifo():
    found = plan(Requirement.of("100MB/s", size="1GB"), load_profile("x25-e"))
    assert found.fifo_words == pytest.approx(450e-6 * 25e6 - BUFFER_WORDS, abs=1000)


def test_a_rate_above_the_mean_with_stalls_does_not_fit():
    requirement = Requirement.of("120MB/s", duration="5min")
    found = plan(requirement, load_profile("vertex-plus"))
    assert found.mean_rate == pytest.approx(108.2e6, rel=0.01)
    assert not found.fits and found.fifo_words is None and found.drives == 2
    # 11.8 MB/s too much fill a GiB.
    assert found.lasts_seconds == pytest.approx(2 ** 30 / 11.8e6, rel=0.2)
    assert plan(Requirement.of("120MB/s", duration="30s"), load_profile("vertex-plus")).fits


def test_a_deeper_fifo_than_is_built_does_not_fit():
    deep = Requirement.of("150MB/s", size="100GB", fifo="64MiB")
    assert not plan(deep, load_profile("pm1725b")).fits
    enough = Requirement.of("150MB/s", size="100GB", fifo="1GiB")
    assert plan(enough, load_profile("pm1725b")).fifo_words == \
        pytest.approx(1_073_741_824 * (150 / 130 - 1) / 4, rel=0.01)


def test_striping_divides_rate_and_bytes():
    requirement = Requirement.of("1GB/s", duration="10s", fifo="1MiB")
    found = plan(requirement, load_profile("dc-s3700"))
    assert found.drives == 4 and not found.fits
    assert "link: 1000 MB/s are more than the 289" in found.reasons[0]


def test_no_number_of_drives():
    found = plan(Requirement.of("500GB/s", duration="1s"), load_profile("ts32gssd25s"))
    assert found.drives is None and found.striped_fifo_words is None


def test_life():
    half = Requirement.of("100MB/s", duration="1h", duty=0.5)
    years = 360e12 / (50e6 * 365.25 * 86400)
    assert plan(half, load_profile("870-qvo")).drives == 2
    assert plan(half, load_profile("870-qvo")).life_years == pytest.approx(2 * years)
    assert plan(half, load_profile("x25-e")).life_years is None
    given = Requirement.of("50MB/s", duration="1min", rated_tb=1000)
    assert plan(given, load_profile("x25-e")).life_years == \
        pytest.approx(1000e12 / (50e6 * 365.25 * 86400))


def test_every_input_has_its_origin():
    origins = {one.name: one.origin for one in plan(HOUR, load_profile("x25-e")).inputs}
    assert origins["write.mb_per_s"] == "fitted"
    assert origins["write.buffer_bytes"] == "estimate"
    assert origins["capacity_sectors"] == "estimate"
    assert origins["write.completion_us"] == "default"
    assert origins["generation"] == "published"
    assert origins["rate"] == "asked" and origins["clocks a Data FIS"] == "simulated"
    assert "write.cache.bytes" not in origins


def test_data_can_be_json():
    for name in profile_names():
        data = plan(HOUR, load_profile(name)).as_data()
        assert json.loads(json.dumps(data, allow_nan=False))["drive"] == name


@pytest.mark.parametrize("text, seconds", [("1h", 3600), ("90 min", 5400), ("1h30min", 5400),
                                           ("2.5s", 2.5), ("1d", 86400), ("20ms", 0.02)])
def test_durations(text, seconds):
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "1", "h", "-1h", "0s", "1y", "1h x", "1e3s"])
def test_no_durations(text):
    with pytest.raises(ValueError, match="duration"):
        parse_duration(text)


@pytest.mark.parametrize("fields, words", [
    ({}, "exactly one"), ({"seconds": 1, "size": 1}, "exactly one"),
    ({"seconds": 0}, "seconds = 0: must be"), ({"seconds": math.nan}, "seconds = nan"),
    ({"seconds": math.inf}, "seconds = inf"), ({"size": 0}, "size = 0"),
    ({"seconds": 1, "duty": 0}, "duty = 0: must be above 0"),
    ({"seconds": 1, "duty": 1.5}, "duty = 1.5"),
    ({"seconds": 1, "generation": 4}, "generation = 4"),
    ({"seconds": 1, "command_sectors": 65537}, "command_sectors = 65537"),
    ({"seconds": 1, "turnaround_us": -1}, "turnaround_us = -1"),
    ({"seconds": 1, "fifo_bytes": 0}, "fifo_bytes = 0"),
    ({"seconds": 1, "rated_tb": 0}, "rated_tb = 0"),
])
def test_refusals(fields, words):
    with pytest.raises(JobError, match=words):
        Requirement(1e8, **fields)


@pytest.mark.parametrize("rate", [0, -1, 1e13, math.nan])
def test_refused_rates(rate):
    with pytest.raises(JobError, match="rate = "):
        Requirement(rate, seconds=1)
