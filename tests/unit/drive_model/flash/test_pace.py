"""A drive's flash behind its link: times of writes follow from it."""

import random

import pytest

from sata_drive_model.flash import FlashDrive, FlashPace, flash_medium, flash_profile, load_flash_drive
from sata_drive_model.medium import Profile, ProfileError

HZ = 75_000_000
FINE = 1 << 32
PHYSICAL = {"flash_bytes": 84 << 20, "user_bytes": 64 << 20, "page_bytes": 4096, "pages": 64, "cell_bits": 2, "dies": 4,
            "planes": 1, "read_us": 50, "program_us": 400, "erase_us": 2000}


def drive(policy=None, cap=None, **physical):
    tables = {"physical": PHYSICAL | physical, "policy": policy or {}, "cap": cap or {}}
    return FlashDrive.from_data({"name": "small", "description": "small", **tables, "estimates": {
        f"{table}.{field}": "for a test" for table, fields in tables.items() for field in fields}})


def seconds(pace, pieces, size=8192):
    """For writes of ``size`` bytes at these sectors."""
    return sum(pace.take(lba, size)[0] for lba in pieces) / HZ / FINE


def in_order(count, size=8192):
    return [number * size // 512 for number in range(count)]


def test_the_rate_is_that_of_the_dies():
    # 4 dies, a page of 4 KiB in 400 us, and an erase for every 64 pages once it is full.
    assert 2000 * 8192 / seconds(FlashPace(drive(), HZ), in_order(2000)) / 1e6 == pytest.approx(40.96, rel=1e-3)
    full = FlashPace(drive(), HZ, "filled")
    seconds(full, in_order(3000))       # its spare blocks, too
    assert 2000 * 8192 / seconds(full, in_order(2000)) / 1e6 == pytest.approx(40.96 / (1 + 2000 / 64 / 400), rel=0.02)


def test_random_writes_of_a_full_drive_amplify():
    pace, draw = FlashPace(drive(), HZ, "filled"), random.Random(3).randrange
    pieces = [8 * draw(16_384) for _ in range(30_000)]
    seconds(pace, pieces[:20_000], 4096)
    assert seconds(pace, pieces[20_000:], 4096) > 1.5 * 10_000 * 100e-6


def test_the_steady_state_of_random_writes():
    """By the closed law each write takes so many pages; a whole drive that was written long enough agrees."""
    steady, whole, draw = FlashPace(drive(), HZ, "steady"), FlashPace(drive(), HZ, "filled"), random.Random(3).randrange
    pieces = [8 * draw(16_384) for _ in range(40_000)]
    found = seconds(steady, pieces[30_000:], 4096)
    seconds(whole, pieces[:30_000], 4096)
    assert found == pytest.approx(seconds(whole, pieces[30_000:], 4096), rel=0.05)


@pytest.mark.wide
def test_a_slice_stands_for_a_large_drive():
    """In steady state the 256 GB of a C300 are a slice, whichever sectors are written."""
    pace, draw = FlashPace(load_flash_drive("c300-256gb"), HZ, "steady"), random.Random(5).randrange
    sectors = 256_060_514_304 // 512
    before = pace.flash.work.copy()
    seconds(pace, [8 * draw(sectors // 8) for _ in range(60_000)], 4096)
    assert (pace.flash.work - before).amplification == pytest.approx(9.1, rel=0.05)
    pace.take(sectors - 2048, 1 << 20)      # longer than what is left of the slice
    pace.trim(0, sectors)
    assert not pace.flash.map.mapped


CACHED = {"cache_bytes": 1 << 20, "dynamic_bytes": 4 << 20}


def test_the_cliff_is_where_the_cache_is_full():
    cap = {"write_mb_per_s": 400, "direct_mb_per_s": 50}
    pace = FlashPace(drive(CACHED, cap, dies=64), HZ)
    times = [seconds(pace, [lba]) for lba in in_order(1000)]
    cliff = next(number for number, time in enumerate(times) if time > 8192 / 60e6)
    assert 0.85 * (5 << 20) < cliff * 8192 < (5 << 20) + 300_000
    assert seconds(FlashPace(drive(CACHED, cap, dies=64), HZ, "filled"), [0]) > 8192 / 60e6
    rested = FlashPace(drive(CACHED, cap, dies=64), HZ, "rested")
    assert seconds(rested, in_order(50)) < 50 * 8192 / 390e6
    # What is left of the cache on a full drive is full, too; a pause makes room.
    assert seconds(rested, in_order(400)) > 200 * 8192 / 60e6
    rested.idle(10 * HZ * FINE)
    assert seconds(rested, in_order(50)) < 50 * 8192 / 390e6


@pytest.mark.parametrize("unit, share", [(16_384, 4 / 5), (32_768, 8 / 9), (65_536, 16 / 17)])
def test_writes_that_cross_a_unit_cost_two(unit, share):
    """Of 4 KiB at random: each that is not aligned crosses with a probability of 4 KiB in a unit."""
    one = drive({"map_bytes": unit}, page_bytes=unit, pages=16, user_bytes=56 << 20)
    draw, count = random.Random(9).randrange, 20_000
    places = [8 * draw(14_000) for _ in range(count)]
    times = []
    for offset in 0, 1:
        pace = FlashPace(one, HZ)
        before = pace.flash.work.copy()
        seconds(pace, [place + offset for place in places], 4096)
        times.append((pace.flash.work - before).host)
    assert times[0] / times[1] == pytest.approx(share, rel=0.01)


def test_a_stream_writes_each_unit_once():
    for unit, start in (4096, 3), (32_768, 0), (32_768, 5):
        pace = FlashPace(drive({"map_bytes": unit}, page_bytes=max(unit, 4096), pages=16), HZ)
        seconds(pace, [start + lba for lba in in_order(1000)])
        assert pace.flash.work.host == -(-(1000 * 8192 + 512 * start) // unit)


def test_a_part_of_a_unit_that_is_written_alone_takes_a_read_and_a_program():
    alone, gathered = (FlashPace(drive({"partial_writes": how}), HZ) for how in ("alone", "gathered"))
    pieces = [8 * place + 1 for place in range(0, 900, 3)]
    assert seconds(alone, pieces, 4096) / 300 == pytest.approx(2 * 450e-6 + 2 * 100e-6, rel=0.02)
    assert seconds(gathered, pieces, 4096) / 300 < 250e-6


def test_trimmed_data_are_not_copied():
    one, other = FlashPace(drive(), HZ, "filled"), FlashPace(drive(), HZ, "filled")
    other.trim(0, 131_072)
    draw = random.Random(3).randrange
    pieces = [8 * draw(16_384) for _ in range(12_000)]
    for pace in one, other:
        seconds(pace, pieces, 4096)
    assert other.flash.work.copied < one.flash.work.copied


def test_the_medium_behind_a_link():
    one = drive({"ram_bytes": 1 << 16}, {"write_mb_per_s": 20})
    timing = Profile.from_data({"name": "small", "model": "S", "description": "s", "capacity_sectors": 5,
                                "generation": 2, "source": "a test", "read": {"mb_per_s": 200},
                                "write": {"stall_shows": "activate", "mb_per_s": 9}})
    profile = flash_profile(one, timing)
    assert profile.capacity_sectors == (64 << 20) // 512 and profile.read.mb_per_s == 200
    assert profile.write.mb_per_s is None and profile.write.buffer_bytes == 1 << 16
    medium, now = flash_medium(one, profile, HZ), 0
    for lba in range(0, 20_000, 256):
        now += medium.begin_write(now, lba, 2048)
        for _ in range(16):
            now += 2048
            now += medium.wrote(now, 2048, 2048)
    assert 20_000 * 512 / (now / HZ) / 1e6 == pytest.approx(20, rel=0.02)


def test_a_drive_without_a_rate_is_refused():
    with pytest.raises(ProfileError, match="840-pro-256gb: no rate of its flash or its controller is known"):
        FlashPace(load_flash_drive("840-pro-256gb"), HZ)
