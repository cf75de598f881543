"""Figures become a profile that the tools take, with what it rests on."""

import pytest

from sata_recorder.board.qualification.standstills import Periodic, Standstill
from sata_recorder.board.qualification import BadLog, DriveFigures, figures_of_logs, profile_of, profile_text


def figures(**more):
    return DriveFigures(**({
        "model": "A DRIVE", "capacity": 1_000_000, "generation": 2, "sectors": 50_000,
        "link_rate": 2.94e8, "write_rate": 6e7, "cache_bytes": 9_000_000, "cache_rate": 1.4e8,
        "write_buffer": 700_000, "write_command": 43e-6, "write_completion": 21e-6,
        "flush": 3.3e-3, "read_rates": [(0.1, 1.87e8), (0.5, 1.871e8)], "read_command": 71e-6,
        "read_access": 150e-6, "read_completion": 1e-6} | more))


def profile(found):
    return profile_of(profile_text(found, "x", "a test"), "x")


def test_all_figures():
    made = profile(figures())
    write, read = made.write, made.read
    assert (write.mb_per_s, write.cache.mb_per_s, write.cache.bytes) == (60.0, 140.0, 9_000_000)
    assert (write.command_us, write.completion_us, write.flush_us) == (43.0, 21.0, 3300.0)
    assert write.buffer_bytes == 700_000 and write.stall_shows == "hold"
    assert read.mb_per_s == pytest.approx(187.05) and read.command_us == 71.0
    assert made.capacity_sectors == 1_000_000 and made.source == "a test"
    assert set(made.estimates) == {"read.buffer_bytes", "write.access_us"}


def test_rates_of_a_part_are_those_of_the_part():
    points = [(0.0, 0.0), (25_600_000, 0.4)]
    assert profile(figures(written=points)).write.measured_bytes == 512 * 50_000
    assert profile(figures(written=points, sectors=950_000)).write.measured_bytes is None
    assert profile(figures()).write.measured_bytes is None      # it was only read


def test_standstills():
    made = profile(figures(write_access=2e-4, regular_stalls=Periodic(0.3, 134e6, 168e6),
                           flush_resets_stalls=True, write_rates=[(0.1, 1e8), (0.9, 5e7)]))
    (stall,) = made.write.stalls
    assert (stall.every_bytes, stall.first_bytes, stall.ms) == (168_000_000, 134_000_000, 300)
    assert made.write.flush_resets_stalls and made.write.access_us == 200 and stall.when == "always"
    assert [rate for _, rate in made.write.zones] == [100, 100, 50, 50]
    (one,) = profile(figures(regular_stalls=Periodic(0.3, 134e6, 134e6),
                             stalls_of_full_cache=True)).write.stalls
    assert one.first_bytes is None and one.when == "cache full"
    made = profile(figures(regular_stalls=Periodic(0.3, 134e6, None)))
    assert {"write.stalls", "write.flush_resets_stalls"} < set(made.estimates)
    made = profile(figures(stalls=[Standstill(1e6, 0.1), Standstill(2e6, 0.4)], misaligned=2e-4))
    assert made.write.stalls == () and "2 times, at most 400.0 ms, and not regularly" in made.notes
    assert "not aligned to 4 KiB took 200.0 us more" in made.notes
    assert "not aligned to 4 KiB took no longer" in profile(figures(misaligned=-1e-7)).notes


def test_never_the_limit():
    made = profile(figures(write_rate=None, cache_bytes=None, cache_rate=None, write_buffer=None,
                           read_rates=[(0.5, None)]))
    assert made.write.mb_per_s is None and made.write.cache is None and made.read.mb_per_s is None
    assert "write.buffer_bytes" in made.estimates and "never slower" in made.notes
    assert "No cache showed itself" in made.notes


def test_zones():
    made = profile(figures(read_rates=[(0.1, 1.2e8), (0.5, 1.0e8), (0.9, 6e7)]))
    assert made.read.mb_per_s is None
    assert [tuple(knot) for knot in made.read.zones] == [
        (0.0, 120.0), (0.1, 120.0), (0.5, 100.0), (0.9, 60.0), (1.0, 60.0)]


@pytest.mark.parametrize("model", ['"quoted" \\ back', "\x07bell\n", "", "x" * 60])
def test_any_name(model):
    """Names come from drives: whatever they are, the file is one."""
    assert profile(figures(model=model)).model


def log(rows):
    return "".join(f"{', '.join(map(str, row))}\n" for row in rows)


def test_logs_of_fio():
    """A log of 150 MB/s for 4 s, then 50 MB/s; and one of reading at 200 MB/s."""
    bandwidth = log([(100 * n, round((150e6 if n <= 40 else 50e6) / 1024), 1, 1 << 20, 0, 0)
                     for n in range(1, 121)] +
                    [(100 * n, round(200e6 / 1024), 0, 1 << 20, 0, 0) for n in range(1, 41)])
    latency = log([(n, 2_000_000 + 7_000_000 + 1000 * n, 1, 1 << 20, 0, 0) for n in range(9)])
    found = figures_of_logs(bandwidth, latency, model="FIO", capacity=10**9)
    made = profile(found)
    assert made.write.cache.mb_per_s == pytest.approx(150, rel=0.01)
    assert made.write.mb_per_s == pytest.approx(50, rel=0.01)
    assert made.write.cache.bytes == pytest.approx(600e6, rel=0.02)
    assert made.read.mb_per_s == pytest.approx(200, rel=0.01)
    # 1 MiB at 150 MB/s takes 6.99 ms of the 9 ms.
    assert made.write.command_us == pytest.approx(2010, rel=0.02)
    assert "write.flush_us" in made.estimates and "read.command_us" in made.estimates


def at(rate, direction, first, last):
    """Lines of a log of so many bytes a second, one each 100 ms."""
    return [(100 * n, round(rate / 1024), direction, 0, 0, 0) for n in range(first, last)]


def test_a_side_that_no_line_of_a_log_shows_is_not_measured():
    write, read = log(at(50e6, 1, 1, 61)), log(at(200e6, 0, 1, 61))
    only_read = profile(figures_of_logs(read, model="FIO", capacity=10**8))
    assert only_read.unknown == {"write.mb_per_s": "writing was not measured"}
    assert only_read.notes == "1,200 MB were read."
    only_written = profile(figures_of_logs(write, model="FIO", capacity=10**8))
    assert only_written.unknown == {} and "MB were written. Reading was not measured" in only_written.notes


def test_rates_hold_for_what_was_written_whatever_was_read():
    capacity = 12 * 10**9 // 512
    found = figures_of_logs(log([*at(50e6, 1, 1, 61), *at(200e6, 0, 1, 601)]), model="FIO", capacity=capacity)
    assert profile(found).write.measured_bytes == pytest.approx(300e6, rel=0.02)


@pytest.mark.parametrize("rates", [(400e6, 150e6, 50e6), (400e6, 50e6, 150e6)])
def test_of_three_rates_none_is_promised_longer_than_it_was_measured(rates):
    rows = [row for n, rate in enumerate(rates) for row in at(rate, 1, 1 + 60 * n, 61 + 60 * n)]
    write = profile(figures_of_logs(log(rows), model="FIO", capacity=10**8)).write
    assert (write.cache.mb_per_s, write.mb_per_s) == (pytest.approx(400, rel=0.02), pytest.approx(50, rel=0.02))
    assert write.cache.bytes == pytest.approx(2.4e9, rel=0.02)


def means(jobs=1, origin=0, late=0, block=1 << 20):
    """The log of a drive that takes 150 MB/s for 4 s, then 50 MB/s, the mean of each 100 ms; the share
    of each of the ``jobs`` is a log of its own, one after the other in a file."""
    return log([(origin + 100 * n + late * job, round((150e6 if n <= 40 else 50e6) / 1024 / jobs), 1, block)
                for job in range(jobs) for n in range(1, 121)])


def each(depth=1, block=1 << 20, jobs=1, origin=0):
    """As :func:`means`, with a line for each I/O, of which each of the ``jobs`` has ``depth`` under way:
    it takes this many times as long as its share of the drive's time."""
    rows, seconds = [], 0.0
    while seconds < 12:
        took = block / (150e6 if seconds < 4 else 50e6)
        seconds += took
        rows.append((origin + int(1e3 * seconds), round(block / (depth * jobs * took) / 1024), 1, block))
    return log([row for job in range(jobs) for row in rows[job::jobs]])


@pytest.mark.parametrize("text", [
    means(), means(block=0), means(block=0, jobs=4, late=30), means(origin=1_700_000_000_000), means(jobs=3),
    means(jobs=3, late=2),
    means(jobs=2, origin=1_700_000_000_000), each(), each(depth=32), each(depth=32, block=1 << 16),
    each(depth=4, jobs=3), each(depth=4, origin=1_700_000_000_000),
], ids=["means", "no block", "jobs of their own time", "clock", "jobs", "jobs apart", "jobs by the clock", "each",
        "each of 32", "small", "each of jobs",
        "each by the clock"])
def test_every_kind_of_log_shows_the_cliff(text):
    found = figures_of_logs(text, model="FIO", capacity=10**7)
    assert found.cache_rate == pytest.approx(150e6, rel=0.02)
    assert found.write_rate == pytest.approx(50e6, rel=0.02)
    assert found.cache_bytes == pytest.approx(600e6, rel=0.03)
    assert found.sectors == pytest.approx(1e9 / 512, rel=0.02)


def test_an_interval_without_an_io_has_no_line_and_no_bytes():
    """The drive stops for 2 s; the line after that is the mean of 100 ms."""
    text = log([(100 * n + 2000 * (n > 30), 100_000, 1, 0) for n in range(1, 61)])
    found = figures_of_logs(text, model="FIO", capacity=10**7)
    assert 512 * found.sectors == pytest.approx(60 * 10_240_000, rel=0.03)
    assert found.written[-1][1] == pytest.approx(8, rel=0.01)


def test_a_pause_before_the_first_line_is_none_of_the_drive():
    """As with `ramp_time`, or where something else was done before."""
    found = figures_of_logs(means(origin=60_000), model="FIO", capacity=10**7)
    assert found.cache_rate == pytest.approx(150e6, rel=0.02)
    assert found.cache_bytes == pytest.approx(600e6, rel=0.03)


def test_more_than_the_drive_holds_is_refused():
    assert figures_of_logs(means(), model="FIO", capacity=1_950_000).sectors == 1_950_000
    with pytest.raises(BadLog, match="bytes written are more than the capacity of 998,400,000"):
        figures_of_logs(each(), model="FIO", capacity=1_950_000)
    with pytest.raises(BadLog, match="999,997,440 bytes written are more than the capacity of 512,000,000: "
                                     "it must be one pass over the drive"):
        figures_of_logs(means(), model="FIO", capacity=10**6)


@pytest.mark.parametrize("text, told", [
    ("", "0 lines: at least 4"), ("1, 2, 1, 4\n", "1 lines: at least 4"),
    ("1, 2, 1, 4\nhello\n", "line 2: 'hello' is no line of a log of fio"),
    ("1, -2, 1, 4\n", "line 1: .*no number may be negative"),
    ("1, 2, 7, 4\n", "direction is 0 to 2"),
])
def test_bad_logs(text, told):
    with pytest.raises(BadLog, match=told):
        figures_of_logs(text, model="FIO", capacity=10**9)
