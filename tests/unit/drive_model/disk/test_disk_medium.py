"""Delays that follow from the disk inside."""

import random

import pytest
from unit.drive_model.disk.disks import HZ, medium, ms, read, write

SECTORS = 1 << 18


def rate(one, command, lba, commands=24, sectors=2048):
    """MB/s of commands in a row, without the first, once RAM is full."""
    now, begin = 0, 0
    for number in range(commands):
        now = command(one, now, lba + number * sectors, sectors)
        if number == commands // 3:
            begin = now
    return (commands - commands // 3 - 1) * sectors * 512 / ((now - begin) / HZ) / 1e6


@pytest.mark.parametrize("shows", ["hold", "activate", "status"])
def test_a_stream_has_the_rate_of_its_zone(shows):
    policy = {"ram_bytes": 1 << 20, "look_ahead_bytes": 1 << 20, "stall_shows": shows}
    for lba, expected in (0, 60), (SECTORS - 24 * 2048, 30):
        assert abs(rate(medium(policy=policy), write, lba) / expected - 1) < 0.07
        assert abs(rate(medium(policy=policy), read, lba) / expected - 1) < 0.07


def test_without_look_ahead_each_command_waits_for_the_disk_to_come_round():
    slow = rate(medium(policy={"look_ahead": False}), read, 0, sectors=64)
    fast = rate(medium(), read, 0, sectors=64)
    assert slow < fast / 3


def test_without_a_write_cache_each_command_waits_for_the_disk():
    slow = rate(medium(policy={"write_cache": False}), write, 0, sectors=64)
    assert slow < rate(medium(), write, 0, sectors=64) / 3
    assert 512 * 64 / slow / 1e6 > 1 / 120      # a turn, at least


def at_random(offset=0, count=150, **parameters):
    """Milliseconds of a random write of 4 KiB."""
    one, draw, now = medium(sector_bytes=4096, **parameters), random.Random(5).randrange, 0
    for _ in range(count):
        now = write(one, now, 8 * draw(SECTORS // 8 - 1) + offset, 8)
    return ms(now + one.flush(now)) / count


def test_unaligned_writes_cost_a_turn():
    policy = {"order": "arrival", "ram_bytes": 1 << 16}
    aligned, unaligned = at_random(policy=policy), at_random(3, policy=policy)
    assert abs((unaligned - aligned) / (60_000 / 7200) - 1) < 0.1


def test_the_nearest_write_comes_first():
    policy = {"ram_bytes": 1 << 17}
    assert at_random(policy=policy | {"sorted_writes": 32}) < 0.6 * at_random(policy=policy | {"order": "arrival"})


def test_unaligned_commands_in_a_row_are_gathered():
    one = rate(medium(sector_bytes=4096), write, 3, sectors=100)
    assert one > 0.9 * rate(medium(sector_bytes=4096), write, 0, sectors=100)


def test_a_flush_waits_for_all_of_it():
    one = medium()
    now = write(one, 0, 0, 256)
    assert ms(one.flush(now)) > 131_072 / 60e3
    assert one.flush(now + one.flush(now)) == 0
    assert not one.store.waiting


def test_what_waits_in_ram_is_read_from_it():
    one = medium(policy={"ram_bytes": 1 << 22})
    now = write(one, 0, 100_000, 1)
    now = write(one, now, 5000, 8)      # behind another one
    assert ms(read(one, now, 5000, 8) - now) < 0.1


def test_writes_lose_turns_where_they_do():
    slow = rate(medium(policy={"ram_bytes": 1 << 20, "write_lost_turns": 0.5}), write, 0, commands=40)
    assert abs(slow / 60 - 1 / 1.5) < 0.05


SHINGLES = {"band_bytes": 1 << 20, "cache_bytes": 1 << 22, "idle_ms": 50}


def test_a_shingled_disk_is_slow_once_its_ring_is_full():
    policy = {"ram_bytes": 1 << 16, "shingles": SHINGLES}
    one, draw, times, now = medium(policy=policy), random.Random(2).randrange, [], 0
    for _ in range(160):
        begin = now
        now = write(one, now, 128 * draw(SECTORS // 128), 128)
        times.append(ms(now - begin))
    assert max(times[:55]) < 20
    assert sum(times[100:]) > 5 * sum(times[:60])
    # In idle time it cleans its bands.
    now += 60 * HZ
    begin = now
    now = write(one, now, 0, 64)
    assert ms(now - begin) < 20 or not one.store.waiting
    times = []
    for _ in range(30):
        begin = now
        now = write(one, now, 128 * draw(SECTORS // 128), 128)
        times.append(ms(now - begin))
    assert max(times) < 20


def test_reading_on_is_not_interrupted_by_what_waits_to_be_written():
    one = medium(policy={"ram_bytes": 1 << 22, "look_ahead_bytes": 1 << 20})
    now = write(one, 0, 200_000, 8000)
    begin = now = read(one, now, 0, 2048)
    for number in range(1, 6):
        now = read(one, now, 2048 * number, 2048)
    assert 5 * 2048 * 512 / ((now - begin) / HZ) / 1e6 > 55
    assert one.store.waiting
