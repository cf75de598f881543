"""Several channels in a measurement: each comes back as it was given, and what does not is reported."""

import random
from dataclasses import replace

import pytest
from short import short

from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.measurement import (DriveOptions, HostOptions, JobError, OutputOptions, StreamOptions,
                                           TransferOptions, as_data, channel_run, execute, make_job)
from sata_recorder.simulation import Compiled

pytestmark = pytest.mark.wide


def job_of(channels=3, operation="both", drive=DriveOptions(), host=HostOptions(), **stream):
    return make_job(TransferOptions(operation=operation, sectors=60), drive, StreamOptions(channels=channels, **stream),
                    host, OutputOptions(samples=0))


@pytest.mark.parametrize("job", short([
    job_of(3, width=8, hold=("host:3/2",)), job_of(2, drive=DriveOptions(hostile=True), pattern="inc32"),
    job_of(16, width=16, drive=DriveOptions(logical_sector=4096)), job_of(2, host=HostOptions(memory="1MiB"))],
    [job_of(3, width=8, hold=("host:3/2",))]))
def test_each_comes_back(job):
    measurement = execute(job)
    assert measurement.problems == [] and measurement.verdict == "good"
    told = as_data(measurement)["channels"]
    assert [one["channel"] for one in told] == list(range(job.configuration.channels))
    size, = {one["bytes"] for one in told}
    recorded = measurement.transfers[0]
    assert 0.8 * 512 * job.sectors < size * len(told) < recorded.bytes <= 512 * (job.sectors + 16)
    assert {one["bytes_per_second"] for one in told} == {size / recorded.seconds}
    assert len({one["crc32"] for one in told}) == len(told)


@pytest.mark.long
def test_both_translations():
    job = job_of(2, operation="record", width=16)
    assert execute(job, "compiled").hash == execute(job, "cxxrtl").hash


@pytest.fixture
def job():
    return job_of(2, operation="record")


def test_channels_that_are_swapped(job, monkeypatch):
    channels = Compiled.channels
    monkeypatch.setattr(Compiled, "channels", lambda engine, given, **more: channels(engine, given[::-1], **more))
    problems = execute(job).problems
    assert [text.partition(",")[0] for text in problems] == [
        f"channel {number} differs from what it gave" for number in range(2)]


class Damaged:
    """A source with a bit that is wrong in its first frames."""

    def __init__(self, source):
        self.size, self._source = source.size, source

    def read(self, offset, size):
        found = bytearray(self._source.read(offset, size))
        if offset <= 700 < offset + size:
            found[700 - offset] ^= 1
        return bytes(found)


def test_a_frame_that_is_gone(job, monkeypatch):
    frames = channel_run.frames
    monkeypatch.setattr(channel_run, "frames", lambda source: frames(Damaged(source)))
    assert any(text.startswith("channel 0: 1 gaps, 0 frames") for text in execute(job).problems)


def test_what_the_core_counts(job, monkeypatch):
    table = Compiled.table
    monkeypatch.setattr(Compiled, "table", lambda engine, address, data, *more: [
        number + (data == "channel_lost") for number in table(engine, address, data, *more)])
    assert execute(job).problems == [f"record: channel_lost of channel {number} is 1 instead of 0" for number in (0, 1)]


def test_it_is_refused_in_icarus(job):
    with pytest.raises(JobError, match="channels = 2: the engine icarus gives one stream"):
        execute(job, "icarus")


def test_a_job_that_has_no_room(job):
    with pytest.raises(JobError, match="sectors = 2: must be at least 3 with channels = 2"):
        replace(job, sectors=2)
    with pytest.raises(JobError, match="16 that a recording with channels = 2 leaves free"):
        replace(job, lba=job.capacity - job.sectors - 15)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_random_trials(seed):
    """Any number, width and packet, with a memory or without, before drives that do all that they may."""
    rng = random.Random(seed)
    memory = rng.choice(({}, {"memory": 1 << 20, "memory_width": rng.choice((64, 128)), "buffer_words": 2048}))
    core = Configuration(
        frames=True, frame_packets=True, channels=rng.choice((2, 3, 5, 16)), channel_width=rng.choice((8, 16, 32)),
        channel_words=rng.choice((1, 3, 112, 113, 496, 2032)), max_command_sectors=rng.choice((8, 64, 2048)),
        long_logical_sectors=rng.random() < 0.3, **memory)
    for trial in range(4):
        found = make_job(
            TransferOptions(sectors=8 * rng.randint(6, 60), lba=8 * rng.randint(0, 5), flush=rng.random() < 0.3),
            DriveOptions(hostile=rng.random() < 0.5, logical_sector=4096 if core.long_logical_sectors else 512),
            StreamOptions(seed=rng.randrange(1 << 30), pattern=rng.choice(("random", "inc32")),
                          hold=(f"host:{rng.randint(1, 60)}/{rng.randint(0, 40)}",)),
            HostOptions(config=core), OutputOptions(samples=0))
        assert execute(found).problems == [], (trial, found)
