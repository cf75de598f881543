"""The timing engine asked directly: rates, caches, stalls, and where they show."""

import pytest
from sata_drive_model import Medium
from sata_drive_model.medium.profile import load, timed_names

from unit.drive_model.medium.profiled import (
    COMMAND, FIS, HANDSHAKE, HZ, buffered, medium, rate, read, write)

# Rates --------------------------------------------------------------------------------------------


@pytest.mark.sample(5)
@pytest.mark.parametrize("hz", [37_500_000, 75_000_000, 150_000_000])
@pytest.mark.parametrize("shows", ["hold", "activate", "status"])
@pytest.mark.parametrize("mb_per_s", [0.5, 91, 140, 155.0])
def test_write_rate_is_exact(hz, shows, mb_per_s):
    one = medium(hz, write={"mb_per_s": mb_per_s, "stall_shows": shows, "buffer_bytes": 16384})
    link = 8192 * hz / (FIS + HANDSHAKE) / 1e6
    got = rate(write(one), hz=hz)
    assert got == pytest.approx(min(mb_per_s, link), rel=1e-3)
    if mb_per_s < link:     # what is still in the RAM counts as written
        assert got == pytest.approx(mb_per_s / (1 - 16384 / 2 ** 25), rel=3e-4)


@pytest.mark.parametrize("hz", [37_500_000, 75_000_000, 150_000_000])
@pytest.mark.parametrize("shows", ["hold", "data"])
@pytest.mark.parametrize("mb_per_s", [0.5, 91, 140, 286.6])
def test_read_rate_is_exact(hz, shows, mb_per_s):
    one = medium(hz, read={"mb_per_s": mb_per_s, "stall_shows": shows})
    link = 8192 * hz / (FIS + HANDSHAKE) / 1e6
    assert rate(read(one), hz=hz) == pytest.approx(min(mb_per_s, link), rel=1e-3)


@pytest.mark.wide
def test_no_drift():
    # Ten thousand commands of 128 KiB: the medium is where its rate puts it, to the dword.
    one = medium(write={"mb_per_s": 91.3, "buffer_bytes": 131072})
    now = 0
    for number in range(10_000):
        now = write(one, now, lba=256 * number, fises=16)
    done = (10_000 * 131072 - buffered(one, now)) / 91.3e6 * HZ
    assert now == pytest.approx(done, abs=2)


def test_rates_without_limit():
    one = medium()
    end = write(one)
    assert end == read(one, end) - end == COMMAND * (FIS + HANDSHAKE)
    assert one.flush(2 * end) == 0


def test_scale():
    assert write(medium(scale=0.1, write={"mb_per_s": 910})) == \
        write(medium(write={"mb_per_s": 91}))


def test_zones():
    sectors = 1 << 22
    one = medium(write={"zones": [[0, 110], [0.5, 100], [1, 55]], "buffer_bytes": 8192})
    now, got = 0, []
    for place in (0, 0.25, 0.5, 0.75, 1):
        lba = max(0, int(place * sectors) - 65536)
        end = write(one, now, lba=lba)
        got.append(rate(end - now))
        now = end
    # Each command covers 1/64 of the drive.
    assert got == pytest.approx([110, 105, 100, 78, 55], rel=0.02)
    assert got[0] < 110 and got[4] > 55


# RAM ----------------------------------------------------------------------------------------------


def test_buffer_takes_at_link_speed():
    link = FIS + HANDSHAKE
    for shows in ("hold", "activate", "status"):
        one = medium(write={"mb_per_s": 1, "buffer_bytes": 100 * 8192, "stall_shows": shows})
        # The 101st would not fit: what drains in the meantime is less than a FIS.
        assert write(one, fises=100) == 100 * link
        assert buffered(one, 100 * link) > 99 * 8192


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", timed_names())
def test_memory_is_that_of_the_buffer(name):
    """What is on the medium is forgotten, on one that keeps up as well."""
    one = Medium(load(name), HZ)
    held = one.profile.write.buffer_bytes // 8192
    if one.profile.write.stall_shows == "status":
        held += 256
    now, most = 0, 0
    for number in range(40):
        now = write(one, now, lba=4096 * number, fises=256)
        most = max(most, len(one.segments))
    assert most <= held + 2


def test_idle_time_empties_the_buffer():
    one = medium(write={"mb_per_s": 10, "buffer_bytes": 100 * 8192})
    end = write(one, fises=100)
    full = buffered(one, end)
    assert buffered(one, end + HZ // 100) == pytest.approx(full - 100_000, abs=1)
    later = end + HZ
    assert buffered(one, later) == 0
    assert write(one, later, lba=1600, fises=100) - later == 100 * (FIS + HANDSHAKE)


def test_flush_waits_for_the_buffer():
    one = medium(write={"mb_per_s": 10, "buffer_bytes": 100 * 8192, "flush_us": 1000})
    end = write(one, fises=100)
    left = buffered(one, end)
    assert one.flush(end) == pytest.approx((left / 10e6 + 1e-3) * HZ, abs=2)
    assert one.flush(end + HZ) == HZ // 1000


def test_reading_waits_for_the_buffer():
    one = medium(write={"mb_per_s": 10, "buffer_bytes": 100 * 8192}, read={"mb_per_s": 200})
    end = write(one, fises=100)
    left = buffered(one, end) / 10e6 * HZ
    assert read(one, end, fises=1) - end == pytest.approx(left + 8192 / 200e6 * HZ, abs=HANDSHAKE)


def test_power_on_starts_over():
    one = medium(write={"mb_per_s": 1, "buffer_bytes": 100 * 8192})
    write(one, 10 ** 9, fises=150)
    one.power_on()
    assert write(one, fises=100) == 100 * (FIS + HANDSHAKE)


# Where it shows -----------------------------------------------------------------------------------


def steady(shows, **side):
    """The medium after a command, and the present time."""
    one = medium(write={"mb_per_s": 150, "stall_shows": shows, "buffer_bytes": 65536} | side)
    return one, write(one, fises=200)


@pytest.mark.parametrize("slices", [1, 2, 8, 64])
def test_holds_are_spread(slices):
    one, now = steady("hold", hold_slices=slices)
    assert one.begin_write(now, 3200, FIS) == 0
    holds = one.plan_frame(now, FIS)
    assert [place for place, _ in holds] == [1 + FIS // slices * n for n in range(slices)][
        -len(holds):]
    assert len(holds) >= slices - 1
    # From one FIS to the next it takes as long as the medium does.
    assert HANDSHAKE + FIS + sum(length for _, length in holds) == \
        pytest.approx(8192 / 150e6 * HZ, abs=3)
    assert one.wrote(now, FIS, FIS) == one.end_write(now) == 0


@pytest.mark.parametrize("slices", [1, 8])
@pytest.mark.parametrize("place", [20 * 8192, 20 * 8192 + 3000])
def test_a_stall_is_one_hold(slices, place):
    one = medium(write={"mb_per_s": 140, "buffer_bytes": 65536, "hold_slices": slices,
                        "stalls": [{"every_bytes": place, "ms": 10}]})
    now, holds = one.begin_write(0, 0, FIS), []
    for _ in range(30):
        made = one.plan_frame(now, FIS)
        holds += [length for _, length in made]
        now += FIS + sum(length for _, length in made)
        now += one.wrote(now, FIS, FIS)
    assert max(holds) == pytest.approx(10e-3 * HZ, rel=0.02)
    assert sum(length > 1e-3 * HZ for length in holds) == 1


@pytest.mark.parametrize("place", [8192, 12000, 65536])
def test_a_stall_is_where_it_is_told_to_be(place):
    one = medium(write={"mb_per_s": 100, "buffer_bytes": 1 << 20,
                        "stalls": [{"every_bytes": place, "ms": 10}]})
    write(one, fises=-(-place // 8192))
    time = place / 100e6 * HZ
    before, after = (one.drained(end) / 2 ** 32 for end in (place, place + 1))
    assert before == pytest.approx(time, abs=FIS + HANDSHAKE)
    assert place % 8192 == 0 or after - before == pytest.approx(10e-3 * HZ, rel=0.01)


def test_late_activate():
    one, now = steady("activate")
    assert one.begin_write(now, 3200, FIS) > 0
    assert one.plan_frame(now, FIS) == []
    assert one.wrote(now + FIS, FIS, FIS) > 0
    assert one.end_write(now + FIS) == 0


def test_late_status():
    one, now = steady("status")
    assert one.begin_write(now, 3200, FIS) == 0
    assert one.plan_frame(now, FIS) == [] and one.wrote(now + FIS, FIS, FIS) == 0
    assert one.end_write(now + FIS) > 0


def test_read_holds():
    one = medium(read={"mb_per_s": 150})
    now = read(one, fises=50)
    one.begin_read(now, 800)
    late, holds = one.next_read(now, FIS)
    assert len(holds) == 7 and late < FIS // 8      # the first slice is there before SOF
    one = medium(read={"mb_per_s": 150, "stall_shows": "data"})
    now = read(one, fises=50)
    one.begin_read(now, 800)
    late, holds = one.next_read(now, FIS)
    assert late > FIS // 8 and holds == []


# Latencies ----------------------------------------------------------------------------------------


def test_command_and_completion():
    one = medium(write={"command_us": 450, "completion_us": 20},
                 read={"command_us": 10, "completion_us": 3})
    assert one.begin_write(0, 0, FIS) == 450 * 75
    assert one.end_write(10 ** 6) == 20 * 75
    one.begin_read(10 ** 6, 0)
    assert one.next_read(10 ** 6, FIS) == (750, [])
    assert one.next_read(10 ** 6 + 3000, FIS) == (0, [])
    assert one.end_read(0) == 3 * 75


def test_access_only_where_a_command_does_not_follow():
    one = medium(read={"access_us": 1000, "mb_per_s": 100})
    ends = [0]
    for lba in (0, 16, 64, 64):
        ends.append(read(one, ends[-1], lba=lba, fises=1))
    spans = [b - a for a, b in zip(ends, ends[1:])]
    assert [span > 75_000 for span in spans] == [True, False, True, True]
    one = medium(write={"access_us": 1000, "mb_per_s": 100, "buffer_bytes": 1 << 20})
    left = []
    now = 0
    for lba in (0, 16, 64, 80):
        now = write(one, now, lba=lba, fises=1)
        left.append(one.flush(now))
        now += left[-1]
    assert [wait > 70_000 for wait in left] == [True, False, True, False]


def test_read_ahead():
    # While the host pauses, the drive fills its buffer, and no more than that.
    for ahead, fast in ((True, 16), (False, 0)):
        one = medium(read={"mb_per_s": 20, "buffer_bytes": 16 * 8192, "ahead": ahead})
        now = read(one, fises=4) + HZ
        one.begin_read(now, 64)
        spans = []
        for _ in range(20):
            delay, holds = one.next_read(now, FIS)
            spans.append(delay + sum(length for _, length in holds))
            now += spans[-1] + FIS
            one.sent(now, FIS)
        # It continues while the host takes what is there: one more at most.
        assert fast <= [span > 0 for span in spans].index(True) <= fast + 1


def test_jitter():
    def latencies(seed):
        one = medium(seed=seed, write={"command_us": 10, "jitter_us": 4})
        return [one.begin_write(0, 0, FIS) for _ in range(200)]

    first = latencies(1)
    assert first == latencies(1) != latencies(2)
    assert min(first) >= 750 and max(first) <= 1050 and len(set(first)) > 50


# All profiles -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", timed_names())
def test_supplied_profiles_are_deterministic(name):
    def run():
        one = Medium(load(name), HZ)
        now = write(one, fises=300)
        now = read(one, now, fises=100)
        now += one.flush(now)
        return write(one, now + HZ, lba=300 * 16, fises=100)

    assert run() == run()


def test_refuses_a_clock_of_zero():
    with pytest.raises(ValueError, match="dword_hz = 0"):
        Medium(load("ideal"), 0)
