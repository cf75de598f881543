"""What a recording on an array, or at a rate that was assumed, does not show."""

import re
from types import SimpleNamespace

import pytest

from sata_recorder.lab.measurement import DriveOptions, Measurement, StreamOptions, TransferOptions, make_job
from sata_recorder.lab.measurement.limits import caveats
from sata_recorder.simulation import Profile

MIB = 1 << 20


def drive(**write):
    return Profile.from_data({"name": "a", "model": "A", "description": "a", "generation": 2,
                              "capacity_sectors": 1 << 21, "source": "a test",
                              "write": {"buffer_bytes": 8192, "stalls": []} | write})


def told(size, profile, *, drives=2, raid="0", rate=None, fifo_words=None):
    """The caveats of recording ``size`` bytes on an array, at ``rate`` without loss."""
    job = make_job(TransferOptions(operation="record", sectors=size // 512),
                   DriveOptions(drive=profile, drives=drives, raid=raid),
                   StreamOptions(input_rate=rate, fifo_words=fifo_words))
    transfers = []
    if rate is not None:
        transfers.append(SimpleNamespace(
            operation="record", source=SimpleNamespace(rate=1e6 * float(rate.removesuffix("MB/s")), lost=0),
            ceiling=590e6, ledger=SimpleNamespace(total=0, accounts={"flush": 0}), bytes=size, clock_hz=150e6,
            counters={"longest_stall": 0}, turnaround=None))
    return caveats(Measurement(job, "A", "S", "F", 1 << 22, True, transfers, [], 0, 0))


@pytest.mark.parametrize("raid, drives, size, hidden", [
    ("0", 4, 2, True), ("0", 4, 8, False), ("1", 2, 2, False), ("1", 2, 1, True), ("linear", 2, 2, False)])
def test_what_each_drive_of_an_array_got_decides_what_it_did_not_show(raid, drives, size, hidden):
    found = told(size * MIB, drive(mb_per_s=20.0, cache={"bytes": MIB}), drives=drives, raid=raid)
    assert any("fits into the drive's cache of 1,048,576 bytes" in text for text in found) is hidden


def test_drives_that_share_a_rate_are_not_held_against_all_of_it():
    assert told(8 * MIB, drive(mb_per_s=100.0), rate="150MB/s", fifo_words=1 << 20) == []


def test_when_drives_that_share_a_rate_lose_the_first_word():
    """From 5/8 of the drives on, each takes less than its half."""
    (found,) = told(MIB, drive(zones=[[0.0, 100.0], [1.0, 60.0]]), rate="150MB/s", fifo_words=1 << 16)
    seconds = re.fullmatch(r"150 MB/s is above the (?:119|120)\.[0-9]+ MB/s that the drive a sustains: by arithmetic "
                           r"the first word is lost after (\S+) s", found)[1]
    assert float(seconds) == pytest.approx(2 * 5 / 8 * (1 << 30) / 150e6, rel=0.1)


@pytest.mark.parametrize("raid, drives, fits", [("0", 4, True), ("0", 2, False), ("linear", 2, False), ("1", 2, False)])
def test_the_buffers_of_all_lanes_hold_a_short_recording(raid, drives, fits):
    found = told(64 * 1024, drive(mb_per_s=100.0), drives=drives, raid=raid, rate="50MB/s", fifo_words=1)
    assert ("the recording fits into FIFO and buffer: any drive would do" in found) is fits


@pytest.mark.parametrize("operation, sides", [("play", ["reading "]), ("record", [""]), ("both", ["", "reading "])])
def test_a_rate_that_is_assumed_is_told_of_what_was_done(operation, sides):
    job = make_job(TransferOptions(operation=operation, sectors=1 << 20),
                   DriveOptions(drive="exos-x20-20tb", assume_rate="200MB/s"))
    found = caveats(Measurement(job, "A", "S", "F", 1 << 22, True, [], [], 0, 0))
    assert [text for text in found if "assumed" in text] == [
        f"its rate of {side and 'reading of '}200 MB/s is assumed by you: nobody has published that of a exos-x20-20tb"
        for side in sides]


@pytest.mark.parametrize("operation", ["play", "record"])
def test_a_medium_that_was_simulated_for_these_bytes_only_is_not_good(operation):
    job = make_job(TransferOptions(operation=operation, sectors=2048),
                   DriveOptions(drive="870-evo-4tb", medium="flash"))
    found = Measurement(job, "A", "S", "F", 1 << 22, True, [], [], 0, 0)
    assert found.verdict == "limited"
    assert found.caveats[0] == "its flash was simulated for these bytes only; how it goes on is in no arithmetic"
