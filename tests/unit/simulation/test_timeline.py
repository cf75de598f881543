"""Samples stay equally spaced and few, however long an operation takes."""

import pytest

from sata_recorder.simulation.timeline import Sample, Timeline, command_columns, split_overhead

ACCOUNTS = tuple(range(14))


@pytest.mark.parametrize("most", [1, 2, 7, 200])
@pytest.mark.parametrize("clocks", [10, 999, 12345])
def test_samples(most, clocks):
    timeline = Timeline(most, 10)
    clock = 0
    while clock < clocks:
        clock += 1
        if timeline.due(clock):
            timeline.add(Sample(clock, 3 * clock, ACCOUNTS, 1, 0))
    timeline.end(Sample(clocks, 3 * clocks, ACCOUNTS, 0, 0))
    found = timeline.columns()
    assert found["clock"][:-1] == [timeline.stride * (n + 1)
                                   for n in range(len(found["clock"]) - 1)]
    assert found["clock"][-1] == clocks and found["words"][-1] == 3 * clocks
    assert len(found["clock"]) <= most
    if clocks >= 10 * most:
        assert len(found["clock"]) >= most // 2
    assert found["accounts"]["flush"] == [13] * len(found["clock"])


class Record:
    def __init__(self, number):
        self.start, self.end = 1000 + 100 * number, 1090 + 100 * number
        self.lba, self.sectors = 8 * number, 8
        self.overhead = 105 if number else None
        self.overhead_split = tuple(range(14)) + (0,) * 0


def test_course():
    records = [Record(n) for n in range(10)]
    found = command_columns(records, 1000, 100)
    assert found["thinned"] == 1 and found["start"] == [100 * n for n in range(10)]
    assert set(found["clocks"]) == {90} and found["lba"][3] == 24
    # device_hold, activate_wait, data_wait, completion_wait, flush; host_hold, turnaround.
    assert found["drive"][1] == 5 + 7 + 8 + 9 + 13 and found["host"][1] == 6 + 11
    assert found["protocol"][1] == 1 + 2 + 3 + 4 + 10
    assert found["host"][0] is found["overhead"][0] is None


def test_equal_overheads_share_their_split():
    one, other, slower = (Record(n) for n in range(1, 4))
    slower.overhead_split = tuple(range(1, 15))
    assert split_overhead(one) is split_overhead(other) != split_overhead(slower)


def test_the_slowest_of_many_are_told():
    records = [Record(n) for n in range(1000)]
    records[77].end += 500
    found = command_columns(records, 1000, 64)
    assert found["thinned"] == 16 and len(found["lba"]) == 63
    assert found["lba"] == [8 * (77 if n == 4 else 16 * n) for n in range(63)]
    assert max(found["clocks"]) == 590
