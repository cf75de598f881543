"""What a sensor needs so that nothing is lost, on the core and the drive model."""

from dataclasses import replace

import pytest

from sata_recorder.lab.measurement import (JobError, ProbeFailed, Store, as_data, execute, highest_rate,
                                       needed_fifo, source_rate)
from sata_recorder.lab.measurement.source_rate import probe
from sata_recorder.simulation import Profile, Rate, load_profile
from sata_recorder.lab.sweep import Plan

pytestmark = pytest.mark.wide

PAUSE_CLOCKS = 7500
BUFFER = 256


@pytest.fixture
def job():
    """100 MB/s, commands of 64 sectors, 100 us between two."""
    (cell,) = Plan.of({"command_sizes": [64], "rates": ["100MB/s"], "size": 256,
                       "turnarounds_us": [100], "buffer_words": BUFFER}).cells()
    return cell.job


def test_needed_depth_loses_nothing_and_one_word_less_does(job):
    depth = needed_fifo(job)
    assert PAUSE_CLOCKS / 3 - BUFFER < depth < PAUSE_CLOCKS / 3 + BUFFER
    enough, short = (probe(replace(job, fifo_words=words)) for words in (depth, depth - 1))
    assert enough.lost == 0 and enough.backlog_high == depth and enough.gaps == 0
    assert short.lost >= 1 and short.backlog_high == depth - 1 and short.gaps >= 1
    assert enough.rate == short.rate == 1e8


def test_highest_rate_of_a_pause(job, tmp_path, monkeypatch):
    store = Store(tmp_path)
    job = replace(job, fifo_words=512)
    found = highest_rate(job, store=store)
    # What flows in while the host pauses has to fit FIFO and buffer.
    assert found.rate == pytest.approx(300e6 * (512 + BUFFER) / PAUSE_CLOCKS, rel=0.1)
    assert found.rate < found.lossy <= found.rate / 0.995
    monkeypatch.setattr(source_rate, "execute", None)
    assert highest_rate(job, store=store) == found


def test_recording_that_fails(job):
    hasty = job.configuration.model_copy(update={"command_timeout": 1e-5, "retries": 0})
    with pytest.raises(ProbeFailed, match="record ended with error"):
        probe(replace(job, configuration=hasty, profile=load_profile("x25-e")))


@pytest.mark.quick
def test_recording_beyond_the_end(job):
    with pytest.raises(JobError, match=f"capacity of {job.capacity}"):
        replace(job, lba=job.capacity - 8)


def test_more_gaps_than_are_told(job):
    """The data are compared with what is left between all gaps."""
    job = replace(job, sectors=16384, command_limit=0, turnaround_clocks=0, fifo_words=1,
                  input_rate=Rate(299, 300))
    measurement = execute(job)
    assert measurement.problems == []
    told = as_data(measurement)["transfers"][0]["sensor"]
    assert told["gap_count"] > 10000 == len(told["gaps"])
    assert told["arrived"] - told["lost"] == 128 * job.sectors
    assert sum(words for _, words in told["gaps"]) < told["lost"]
    assert probe(job).gaps == told["gap_count"]


def test_a_stall_is_told_whole_and_its_fifo_loses_nothing(job):
    """A drive that stops for 5 ms: the meter shows them, and so deep the FIFO must be."""
    plain = job.profile.model_dump()
    plain["write"] |= {"mb_per_s": 140.0, "buffer_bytes": 65536, "hold_slices": 8,
                       "stalls": [{"first_bytes": 200_000, "every_bytes": 4_000_000, "ms": 5.0}]}
    stalling = Profile.from_data(plain)
    job = replace(job, profile=stalling, sectors=2048, turnaround_clocks=0, fifo_words=None,
                  input_rate=Rate(1, 4))
    transfer = execute(job).transfers[0]
    # The drive's RAM takes the first words of it, at the rate of the sensor.
    clocks = 5e-3 * job.configuration.clock_hz - 4 * 65536 // 4
    assert transfer.counters["longest_stall"] == pytest.approx(clocks, rel=0.01)
    assert transfer.source.backlog_high == pytest.approx(clocks / 4 - BUFFER, rel=0.01)
