"""The rate that a drive takes without an end, by hand and beside the simulation of the core."""

import pytest

from sata_recorder.lab.measurement import Job, execute
from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import ENDLESS, Pattern, Profile, load_profile
from sata_recorder.facts.throughput import Host, stalls_known, sustained_rate, waiting


def of(**write):
    return Profile.from_data({"name": "a", "model": "A", "description": "a", "generation": 3,
                              "capacity_sectors": 1 << 24, "source": "a test",
                              "write": {"buffer_bytes": 1 << 20} | write})


@pytest.mark.parametrize("write, each", [
    ({"mb_per_s": 50}, 20e-9),
    ({"zones": [[0, 100], [1, 50]]}, 20e-9),
    ({"mb_per_s": 50, "cache": {"bytes": 10 ** 6, "mb_per_s": 200}}, 20e-9),
    ({"mb_per_s": 100, "crowded": {"from_fill": 0.9, "mb_per_s": 40}}, 25e-9),
    ({"mb_per_s": 50, "stalls": [{"every_bytes": 10 ** 6, "ms": 10}]}, 30e-9),
    ({"mb_per_s": 100, "dips": [{"every_bytes": 10 ** 6, "bytes": 250_000, "mb_per_s": 50}]}, 12.5e-9),
    ({"mb_per_s": 50, "command_us": 1000}, 20e-9),      # the RAM hides 20 ms
])
def test_by_hand(write, each):
    assert 1 / sustained_rate(Host(), of(**write)) == pytest.approx(each, rel=1e-6)


def test_the_gaps_between_commands():
    """300 + 200 us in commands of 256 sectors, of which RAM for 82 us hides a part."""
    slow = of(mb_per_s=200, command_us=300, completion_us=200, buffer_bytes=16384)
    rate = sustained_rate(Host(2, 256), slow)
    assert rate == pytest.approx(131072 / (131072 / 200e6 + 500e-6 - 16384 / 200e6), rel=2e-3)
    assert sustained_rate(Host(2, 2048), slow) > rate
    assert sustained_rate(Host(2, 256, 100), slow) < rate
    # A jitter is half of its most in the mean.
    assert sustained_rate(Host(2, 256), of(mb_per_s=200, command_us=300, completion_us=150, jitter_us=100,
                                           buffer_bytes=16384)) == pytest.approx(rate)


def test_without_a_profile_link_and_host_are_the_limit():
    assert sustained_rate(Host(2)) == pytest.approx(294.27e6, rel=1e-4)
    assert sustained_rate(Host(2, 256, 1600)) == pytest.approx(64.07e6, rel=1e-3)


@pytest.mark.wide
@pytest.mark.parametrize("drive, sectors, size", [("x25-e", 256, 2048), ("dc-s3700", 256, 4096)])
def test_the_core_takes_as_long(drive, sectors, size):
    profile = load_profile(drive)
    job = Job(configuration=Configuration(pacing="programmable"), operation="record", lba=0, sectors=size,
              data=Pattern("random", 0, ENDLESS), generation=2, profile=profile, command_limit=sectors,
              samples=0)
    transfer, = execute(job).transfers
    assert transfer.steady_rate == pytest.approx(sustained_rate(Host(2, sectors), profile), rel=1e-3)


def test_a_stream_slower_than_that_waits_for_ever_in_no_fifo():
    profile = load_profile("x25-e")
    lasting = sustained_rate(Host(2), profile)
    slower, faster = (waiting(Host(2), profile, share * lasting, 10 ** 10, 10 ** 6)
                      for share in (0.999, 1.001))
    assert slower.lasts is None and faster.lasts is not None


def test_stalls_are_known_where_the_profile_states_them_or_that_there_are_none():
    assert stalls_known(load_profile("vertex-plus")) and stalls_known(load_profile("ideal"))
    assert not stalls_known(load_profile("dc-s3700"))
    assert stalls_known(of(stalls=[]))
