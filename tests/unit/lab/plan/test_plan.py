"""The answers of a plan, held against arithmetic done by hand."""

import json
import math

import pytest

from sata_recorder.lab.measurement import JobError
from sata_recorder.lab.plan import BUFFER_WORDS, Requirement, parse_duration, plan, plans
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
    assert {one.profile.name for one in real if one.fits and not one.unknown} == \
        {"870-evo-4tb", "870-qvo-4tb", "870-qvo-2tb", "s4500-4tb", "s4600-4tb"}
    assert {one.profile.name for one in real if one.drives == 2} == \
        {"dc-s3700", "870-qvo", "hds721050cla362"}
    assert next(iter(found)) == "870-evo-4tb"
    assert found["hds721050cla362"].sustaining_drives == 3 and not found["hds721050cla362"].sustains
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
    # 11.8 MB/s too much fill a GiB, but for what waits after the latest stall.
    assert found.lasts_seconds == pytest.approx(2 ** 30 / 11.8e6, rel=0.05)
    assert plan(Requirement.of("120MB/s", duration="30s"), load_profile("vertex-plus")).fits


@pytest.mark.parametrize("rate, fifo, medium", [("150MB/s", "1GiB", 23.9), ("150MB/s", "64MiB", 23.9),
                                                ("24MB/s", "64MiB", 23.9)])
def test_one_lasts_until_the_fifo_is_full(rate, fifo, medium):
    """Not until the byte enters the drive that comes before the first one lost."""
    requirement = Requirement.of(rate, duration="3h", fifo=fifo)
    found = plan(requirement, load_profile("850-evo-m2"))
    seconds = requirement.fifo_bytes / (requirement.rate - 1e6 * medium)
    assert found.lasts_seconds == pytest.approx(seconds, rel=0.03)
    assert any(f"after {found.lasts_seconds:.4g} s the FIFO is full" in text for text in found.reasons)
    assert found.as_data()["lasts_seconds"] == found.lasts_seconds


def test_a_stream_above_the_link_fills_the_fifo_whatever_the_ram_of_the_drive():
    fast = drive(write={"buffer_bytes": 64_000_000})
    requirement = Requirement.of("296MB/s", size="200MB", fifo="1MiB")
    found = plan(requirement, fast)
    assert not found.fits and found.lasts_seconds == pytest.approx(
        (2 ** 20 + 4 * BUFFER_WORDS) / (296e6 - found.link_rate), rel=0.02)
    deep = plan(Requirement.of("296MB/s", size="200MB"), fast)
    assert 4 * deep.fifo_words == pytest.approx(200e6 * (1 - deep.link_rate / 296e6), rel=0.02)


def test_a_fifo_that_saves_a_slow_drive_is_named():
    requirement = Requirement.of("150MB/s", duration="4.75min")
    found = plan(requirement, load_profile("870-qvo"))
    assert found.fits and found.mean_rate > requirement.rate
    assert not any("enough" in text for text in found.reasons)
    assert any("after it the drive takes only 80.00 MB/s of 150, and the rest waits in the FIFO" in text
               for text in found.reasons)
    assert not found.sustains and found.sustaining_drives == 2
    enough = plan(Requirement.of("70MB/s", duration="2h"), load_profile("870-qvo"))
    assert any("after it the drive takes 80.00 MB/s, which is enough" in text for text in enough.reasons)
    slower = plan(Requirement.of("120MB/s", duration="30s"), load_profile("vertex-plus"))
    assert any("slower than they come: the rest waits in a FIFO" in text for text in slower.reasons)
    assert not any("stalls of" in text for text in slower.reasons)


def test_what_the_drives_sustain():
    found = plan(HOUR, load_profile("hds721050cla362"))
    assert (found.drives, found.sustaining_drives, found.sustains) == (2, 3, False)
    assert found.sustained_rate == pytest.approx(55e6, rel=1e-3)
    enough = plan(Requirement.of("54MB/s", duration="1h"), load_profile("hds721050cla362"))
    assert (enough.drives, enough.sustaining_drives, enough.sustains) == (1, 1, True)


def test_where_one_lacks_nothing_but_capacity_they_may_come_in_turn():
    found = plan(HOUR, load_profile("dc-s3700"))
    assert (found.drives, found.drives_in_turn) == (2, 2)
    slow = plan(HOUR, load_profile("x25-e"))
    assert slow.drives_in_turn == 17        # 201.7 MB/s, all over the drive
    assert plan(HOUR, load_profile("850-evo-m2")).drives_in_turn is None
    assert plan(Requirement.of("50MB/s", duration="1min"), load_profile("x25-e")).drives_in_turn is None


def test_the_kind_of_an_array():
    """One after the other each takes all of the rate, in turns its share."""
    stalls = [{"every_bytes": 400_000_000, "ms": 100}]
    one = drive(write={"mb_per_s": 200, "stalls": stalls}, capacity_sectors=1 << 28)        # 137 GB
    found = plan(Requirement.of("100MB/s", size="200GB"), one)
    assert (found.array, found.drives, found.takes_turns) == ("linear", 2, False)
    assert (found.lane.rate, found.lane.bytes) == (100e6, 1 << 37)
    assert found.lane_fifo_words == found.fifo_words > 1.9 * found.striped_fifo_words > 0
    assert found.words_per_stall_ms == 25_000 and found.memory_bytes is None
    assert plan(Requirement.of("100MB/s", size="10GB"), one).memory_bytes > 4 * found.lane_fifo_words
    fast = plan(Requirement.of("250MB/s", size="200GB"), one)
    assert (fast.array, fast.drives, fast.takes_turns) == ("raid0", 2, True)
    assert (fast.lane.rate, fast.lane.bytes) == (125e6, 10 ** 11)
    assert fast.lane_fifo_words == fast.striped_fifo_words and fast.words_per_stall_ms == 31_250
    assert plan(Requirement.of("100MB/s", size="10GB"), one).array is None
    cached = drive(write={"mb_per_s": 50, "stalls": [], "cache": {"bytes": 130_000_000_000, "mb_per_s": 200}},
                   capacity_sectors=256_000_000)       # a GB more than the cache
    slow = plan(Requirement.of("90MB/s", size="200GB"), cached)
    assert (slow.array, slow.drives, slow.sustaining_drives, slow.sustains) == ("linear", 2, 2, False)
    assert slow.joined_rate == slow.sustained_rate == pytest.approx(50e6, rel=0.01)
    many = plan(Requirement.of("100MB/s", size="2TB"), one)
    assert (many.array, many.drives) == (None, 15) and not many.takes_turns
    assert {"array": "linear", "lane_fifo_words": found.fifo_words}.items() <= found.as_data().items()


def test_a_verdict_on_a_drive_whose_stalls_nobody_published_is_unknown():
    requirement = Requirement.of("100MB/s", duration="1min")
    assert plan(requirement, load_profile("dc-s3700")).verdict == "unknown"
    assert plan(requirement, load_profile("vertex-plus")).verdict == "yes"
    assert plan(requirement, load_profile("850-evo-msata")).verdict == "no"
    assert plan(requirement, load_profile("ideal")).verdict == "yes"
    assert plan(requirement, drive(write={"mb_per_s": 200})).as_data()["verdict"] == "unknown"
    assert plan(requirement, drive(write={"mb_per_s": 200, "stalls": []})).verdict == "yes"


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


# What nobody has published ------------------------------------------------------------------------

UNSURE = {"unknown": {"write.mb_per_s": "nobody measured it"}, "capacity_sectors": 1 << 32}


def unsure(**write):
    return drive(**UNSURE, write={"up_to_mb_per_s": 250} | write)


def test_an_unknown_rate_is_no_answer():
    found = plan(HOUR, unsure())
    assert (found.verdict, found.fits, found.unknown) == ("unknown", True, ["its rate: nobody measured it"])
    assert found.reasons == ["unknown: its rate: nobody measured it"]
    assert found.at_best.drives == 1 and found.at_best.mean_rate == pytest.approx(249e6, rel=0.01)
    for figure in ("fifo_words", "last_rate", "mean_rate", "sustained_rate", "lasts_seconds", "drives",
                   "striped_fifo_words", "sustaining_drives", "drives_in_turn"):
        assert vars(found)[figure] is None
    assert not found.sustains and found.memory_bytes is None
    assert {one.name: (one.value, one.origin, one.why) for one in found.inputs}["write.mb_per_s"] == \
        (None, "unknown", "nobody measured it")


def test_what_the_makers_rate_does_not_take_nothing_takes():
    found = plan(Requirement.of("260MB/s", duration="1h"), unsure())
    assert (found.verdict, found.fits, found.drives) == ("no", False, None)
    assert found.at_best.drives == 2 and "rate: after" in found.reasons[-1]


def test_a_recording_within_a_known_cache_rests_on_nothing_unknown():
    one = unsure(stalls=[], cache={"bytes": 100_000_000_000, "mb_per_s": 200})
    assert plan(Requirement.of("150MB/s", size="90GB"), one).verdict == "yes"
    later = plan(Requirement.of("150MB/s", size="110GB"), one)
    assert later.verdict == "unknown" and later.unknown == ["its rate after the cache: nobody measured it"]


def test_a_rate_that_is_assumed_gives_an_answer():
    assert plan(HOUR, unsure(stalls=[]).assuming(200)).verdict == "yes"
    assert plan(HOUR, unsure(stalls=[]).assuming(100)).verdict == "no"


def test_rates_hold_for_the_bytes_that_were_measured():
    one = drive(write={"mb_per_s": 200, "stalls": [], "measured_bytes": 50_000_000_000}, capacity_sectors=1 << 32)
    assert plan(Requirement.of("150MB/s", size="50GB"), one).verdict == "yes"
    assert "what it does after 50,000,000,000 bytes" in plan(Requirement.of("150MB/s", size="51GB"), one).unknown[0]


@pytest.mark.parametrize("one", [
    drive(write={"mb_per_s": 200, "stalls": [], "measured_bytes": 50_000_000_000}, capacity_sectors=1 << 32),
    unsure(stalls=[], cache={"bytes": 50_000_000_000, "mb_per_s": 200})])
def test_what_comes_after_the_recording_is_unknown_where_nobody_has_published_it(one):
    """A recording of 40 GB fits; how long the drive goes on, and what it sustains, rests on what comes after 50."""
    found = plan(Requirement.of("150MB/s", size="40GB"), one)
    assert (found.verdict, found.drives, found.known_bytes) == ("yes", 1, 50_000_000_000)
    assert found.sustained_rate is found.lasts_seconds is found.sustaining_drives is found.sustains is None
    json.dumps(found.as_data())
    # That the FIFO overflows before is known.
    slow = plan(Requirement.of("250MB/s", size="40GB", fifo="1GB"), one)
    assert slow.lasts_seconds == pytest.approx(1e9 / 250e6 * 5, rel=0.02) and slow.drives == 2


def used(percent, **write):
    one = drive(write={"mb_per_s": 200, "stalls": []} | write, capacity_sectors=1 << 32)
    return plan(Requirement.of("150MB/s", size="50GB", fill=percent / 100), one)


def test_what_a_full_drive_does_is_unknown_unless_it_is_published():
    assert used(0).verdict == "yes" and used(50).verdict == "unknown"
    assert used(50).unknown == ["its rate when it is 50 % full and was not trimmed: not published"]
    assert used(50, dirty={"mb_per_s": 160}).verdict == "yes"
    slow = used(50, dirty={"mb_per_s": 60, "recovered_mb_per_s": 180, "idle_minutes": 30})
    assert "it took 60 MB/s, and after TRIM and 30 minutes 180" in slow.unknown[0]
    assert used(50, crowded={"from_fill": 0.8, "mb_per_s": 50}).verdict == "yes"
    assert used(90, crowded={"from_fill": 0.8, "mb_per_s": 50}).verdict == "no"
    disk = drive(write={"mb_per_s": 200, "stalls": []}, rotating=True, capacity_sectors=1 << 32)
    assert plan(Requirement.of("150MB/s", size="50GB", fill=1.0), disk).verdict == "yes"


def test_a_cache_that_shrinks_to_what_is_published():
    cache = {"bytes": 60_000_000_000, "mb_per_s": 200}
    slow = {"mb_per_s": 100, "dirty": {"mb_per_s": 160}}
    assert used(0, **slow, cache=cache).verdict == "yes"
    assert used(100, **slow, cache=cache).unknown == \
        ["how much of its cache is left when it is 100 % full: not published"]
    shrinks = used(100, **slow, cache=cache | {"minimum_bytes": 6_000_000_000})
    assert shrinks.cache_bytes == 6_000_000_000 and shrinks.verdict == "no"
    assert used(100, mb_per_s=180, dirty={"mb_per_s": 160}, cache=cache).verdict == "yes"


def test_what_was_written_before_is_gone_from_its_life():
    year = 150e6 * 365.25 * 86400 / 1e12
    one = drive(write={"mb_per_s": 200, "stalls": []}, capacity_sectors=1 << 32, rated_writes_tb=3 * year,
                warranty_years=2)
    found = plan(Requirement.of("150MB/s", duration="1h", written_tb=year), one)
    assert found.verdict == "yes" and found.life.years == pytest.approx(2)
    capacity = 512 * (1 << 32) / 1e12
    assert found.life.writes_per_day == pytest.approx(year / 365.25 / capacity)
    assert found.life.rated_per_day == pytest.approx(3 * year / (2 * 365) / capacity)
    worn = plan(Requirement.of("150MB/s", duration="1h", written_tb=3 * year), one)
    assert worn.life.years == 0 and worn.verdict == "unknown" and "when worn out" in worn.unknown[0]


def test_drive_writes_a_day_are_of_the_warranty():
    one = drive(write={"mb_per_s": 200}, capacity_sectors=1 << 32)
    asked = Requirement.of("150MB/s", duration="1h", dwpd=2, warranty_years=3)
    rated = 2 * 512 * (1 << 32) * 365 * 3
    assert plan(asked, one).life.years == pytest.approx(rated / (150e6 * 365.25 * 86400))
    assert plan(asked, one).life.rated_per_day == pytest.approx(2)
    assert plan(Requirement.of("150MB/s", duration="1h", dwpd=2), one).life.years is None
    assert plan(Requirement.of("150MB/s", duration="1h", dwpd=2), load_profile("870 evo 4tb")).life.years is not None
    origins = {found.name: found.origin for found in plan(asked, one).inputs}
    assert origins["rated_writes_tb"] == origins["warranty_years"] == "asked"


def test_the_workload_of_a_hard_disk():
    found = plan(Requirement.of("100MB/s", duration="1h", duty=0.5), load_profile("skyhawk-20tb")).life
    assert found.rated_workload == 550 and found.workload == pytest.approx(50e6 * 365.25 * 86400 / 1e12)
    assert found.years is None


def test_those_of_which_enough_is_known_come_first():
    found = plans(HOUR, [unsure(), drive(write={"mb_per_s": 40}, capacity_sectors=1 << 32),
                         drive(write={"mb_per_s": 200}, capacity_sectors=1 << 32)])
    assert [one.drives for one in found] == [1, 4, None]


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
    ({"seconds": 1, "fill": 1.5}, "fill = 1.5: must be 0 to 1"), ({"seconds": 1, "written_tb": -1}, "written_tb = -1"),
    ({"seconds": 1, "dwpd": 0}, "dwpd = 0"), ({"seconds": 1, "warranty_years": 101}, "warranty_years = 101"),
    ({"seconds": 1, "dwpd": 1, "rated_tb": 5}, "dwpd = 1: not together with rated_tb = 5"),
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
