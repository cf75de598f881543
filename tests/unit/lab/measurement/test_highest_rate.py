"""The search of the highest rate ends at it, whatever the drive is like."""

from dataclasses import replace

import pytest

from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.measurement import (Job, JobError, exact_rate, highest_rate, parse_rate,
                                       words_per_clock)
from sata_recorder.lab.measurement.source_rate import Probe
from sata_recorder.simulation import ENDLESS, Pattern, Rate

JOB = Job(configuration=Configuration(), operation="record", lba=0, sectors=8, capacity=100,
          data=Pattern("random", 0, ENDLESS), input_rate=Rate(1, 1), fifo_words=64)


def drive(limit):
    """A recording that loses words above ``limit`` bytes a second."""
    def probing(job, *, store, engine):
        rate = 4 * job.configuration.clock_hz * job.input_rate.words / job.input_rate.clocks
        lost = 1000 if rate > limit else 0
        arrived = 1024 + lost
        seconds = 4 * 1024 / min(rate, limit)
        return Probe(rate, 64, arrived, lost, bool(lost), 64, 100, 4096, seconds)
    return probing


@pytest.mark.parametrize("limit", [299e6, 220e6, 100e6, 9e6, 1.1e6, 123456])
def test_finds_it(limit):
    calls = []
    found = highest_rate(JOB, probing=drive(limit), progress=lambda *call: calls.append(call))
    assert found.rate <= limit < found.lossy
    assert found.lossy - found.rate <= 0.005 * found.lossy
    assert len(calls) == len(found.probes) <= 24
    assert calls[0] == (None, None, 0) and calls[-1][2] == len(found.probes) - 1


def test_nothing_lost_at_any_rate():
    found = highest_rate(JOB, probing=drive(1e9))
    assert (found.rate, found.lossy, len(found.probes)) == (300e6, None, 1)


def test_lost_at_every_rate():
    found = highest_rate(JOB, probing=drive(0.01))
    assert found.rate is None and found.lossy == pytest.approx(300e6 / 4096, rel=1e-5)
    assert len(found.probes) < 20


def test_tolerance():
    found = highest_rate(JOB, probing=drive(100e6), tolerance=0.0001)
    assert found.lossy - found.rate <= 0.0001 * found.lossy


def test_a_fifo_without_an_end():
    with pytest.raises(JobError, match="fifo_words = endless"):
        highest_rate(replace(JOB, fifo_words=None), probing=drive(1e6))


@pytest.mark.parametrize("limit", [220e6, 9.1e6, 123456])
def test_both_rates_can_be_written_and_run_again(limit):
    found = highest_rate(JOB, probing=drive(limit))
    clock_hz = JOB.configuration.clock_hz
    for rate in found.rate, found.lossy:
        text = exact_rate(rate, clock_hz)
        assert len(text.replace(".", "").strip("0")) <= 6
        share = words_per_clock(parse_rate(f"{text}MB/s"), clock_hz)
        assert 4 * clock_hz * share.numerator / share.denominator == rate
