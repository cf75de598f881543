"""The timing engine asked directly: what depends on what was written before."""

import pytest
from sata_drive_model import Medium
from sata_drive_model.medium.profile import load

from unit.drive_model.medium.profiled import HZ, medium, rate, write


def commands(one, count, now=0, lba=0, fises=16, gap=0):
    """(rate of each command, time at the end)."""
    rates = []
    for _ in range(count):
        end = write(one, now, lba=lba, fises=fises)
        rates.append(rate(end - now, fises))
        now, lba = end + gap, lba + 16 * fises
    return rates, now


CACHE = {"bytes": 50 * 131072, "mb_per_s": 200}


def test_cache_falls_off():
    one = medium(write={"mb_per_s": 40, "buffer_bytes": 8192, "cache": CACHE})
    rates, now = commands(one, 100)
    assert rates[1:50] == pytest.approx([200] * 49, rel=0.01)
    assert rates[51:] == pytest.approx([40] * 49, rel=0.01)
    again, _ = commands(one, 3, now + 10 * HZ)      # nothing drains it
    assert again[1:] == pytest.approx([40] * 2, rel=0.01)


def test_cache_drains_when_idle():
    one = medium(write={"mb_per_s": 40, "buffer_bytes": 8192, "cache": CACHE | {
        "drain_mb_per_s": 10, "idle_ms": 100}})
    _, now = commands(one, 60)
    full = one.pace.used
    assert full == 50 * 131072
    now = write(one, now + HZ // 10, lba=0, fises=1)    # shorter than idle_ms: nothing yet
    assert one.pace.used == full
    now = write(one, now + HZ // 10 * 3, lba=0, fises=1)
    assert one.pace.used == pytest.approx(full - 2_000_000 + 8192, abs=8192)
    rates, _ = commands(one, 2, now + HZ)
    assert rates[1] == pytest.approx(200, rel=0.01)


def test_cache_shrinks_with_the_fill():
    def fast(fill):
        one = medium(initial_fill=fill, write={
            "mb_per_s": 40, "buffer_bytes": 8192, "cache": CACHE | {"minimum_bytes": 10 * 131072}})
        rates, _ = commands(one, 60)
        return sum(value > 150 for value in rates)

    assert fast(0) >= 49 and fast(0.5) == pytest.approx(30, abs=1) and fast(1) <= 11


def test_crowded():
    one = medium(capacity_sectors=1 << 16, write={
        "mb_per_s": 100, "buffer_bytes": 8192, "crowded": {"from_fill": 0.5, "mb_per_s": 25}})
    rates, _ = commands(one, 256)
    assert rates[1:127] == pytest.approx([100] * 126, rel=0.05)
    assert rates[129:] == pytest.approx([25] * 127, rel=0.05)


def test_fill_counts_a_place_once():
    one = medium(capacity_sectors=1 << 16)
    for _ in range(5):
        write(one, lba=4096, fises=8)
    assert one.pace.filled == 8 * 8192
    write(medium(capacity_sectors=16), fises=5)     # beyond its capacity: no harm


def test_trim_gives_back_what_was_full():
    """As many bytes as were trimmed are written fast, wherever they are."""
    one = medium(capacity_sectors=1 << 16, initial_fill=1.0, write={
        "mb_per_s": 100, "buffer_bytes": 8192, "crowded": {"from_fill": 1.0, "mb_per_s": 25}})
    rates, now = commands(one, 10)
    assert rates[1:] == pytest.approx([25] * 9, rel=0.05)
    for place in 1000, 9000:        # these sectors again, and others
        one.trim(1000, 256 * 20)
        rates, now = commands(one, 40, now, lba=place)
        assert rates[1:19] == pytest.approx([100] * 18, rel=0.05)
        assert rates[22:] == pytest.approx([25] * 18, rel=0.05)
    one.trim(7, 1)
    rates, now = commands(one, 10, now, lba=30_000)
    assert rates[1:] == pytest.approx([25] * 9, rel=0.05)
    one.trim(0, 1 << 16)
    assert one.pace.filled == 0 and set(one.pace.granules) == {0}


def test_a_drive_that_is_written_in_order_is_full():
    """Wherever the parts of the drive begin in which its fill is counted."""
    one = medium(capacity_sectors=16 * 4099, write={
        "mb_per_s": 100, "buffer_bytes": 8192, "crowded": {"from_fill": 1.0, "mb_per_s": 25}})
    _, now = commands(one, 4099, fises=1)
    assert one.pace.filled == one.pace.capacity
    rates, _ = commands(one, 4, now)
    assert rates[1:] == pytest.approx([25] * 3, rel=0.05)


def test_trim_counts_a_place_once():
    one = medium(capacity_sectors=(1 << 16) + 77, initial_fill=1.0)
    full = one.pace.filled
    for _ in range(3):
        one.trim(1 << 16, 77)
    assert one.pace.filled <= full - 512 * 77 + 64 * 512
    one.trim(0, (1 << 16) + 77)
    assert one.pace.filled == 0
    write(one, lba=0, fises=2)
    assert one.pace.filled == 2 * 8192


def test_stalls():
    one = medium(write={"mb_per_s": 100, "buffer_bytes": 8192,
                        "stalls": [{"every_bytes": 5 * 131072, "ms": 10}]})
    rates, now = commands(one, 50)
    # The last one comes when all data are in the RAM.
    assert [n for n, value in enumerate(rates) if value < 50] == [5, 10, 15, 20, 25, 30, 35, 40, 45]
    assert (now + one.flush(now)) / HZ == pytest.approx(50 * 131072 / 100e6 + 0.1, rel=0.01)


def test_flush_and_stalls():
    for resets, stalls in ((True, 0), (False, 4)):
        one = medium(write={"mb_per_s": 100, "flush_us": 1000, "flush_resets_stalls": resets,
                            "stalls": [{"every_bytes": 5 * 131072, "ms": 10}]})
        now = 0
        for number in range(20):
            now = write(one, now, lba=256 * number, fises=16)
            now += one.flush(now)
        expected = 20 * (131072 / 100e6 + 1e-3) + stalls * 10e-3
        assert now / HZ == pytest.approx(expected, rel=0.01)


def test_dips():
    one = medium(write={"mb_per_s": 170, "buffer_bytes": 8192, "dips": [
        {"every_bytes": 40 * 131072, "bytes": 10 * 131072, "mb_per_s": 130}]})
    rates, _ = commands(one, 120)
    slow = sum(value == pytest.approx(130, rel=0.01) for value in rates)
    fast = sum(value == pytest.approx(170, rel=0.01) for value in rates)
    assert slow >= 27 and fast >= 84


def test_shingled_collapse():
    disk = load("st8000as0002")
    small = disk.model_copy(update={"write": disk.write.model_copy(update={
        "access_us": 0, "buffer_bytes": 16384,
        "cache": disk.write.cache.model_copy(update={"bytes": 64 << 20})})})
    one = Medium(small, HZ)
    now, rates = 0, []
    for number in range(8):
        end = write(one, now, lba=65536 * number)
        rates.append(rate(end - now))
        now = end
    assert rates[:2] == pytest.approx([100, 100], rel=0.01)
    assert sum(rates[3:]) / 5 == pytest.approx(50, rel=0.15)
    idle = now + 10 * HZ
    assert rate(write(one, idle, lba=0) - idle) == pytest.approx(100, rel=0.01)


def test_vertex_plus_blocks():
    one = Medium(load("vertex-plus"), 37_500_000)
    now, times = 0, []
    for number in range(15):
        end = write(one, now, lba=65536 * number)
        times.append((end - now) / 37_500)
        now = end
    assert times[:4] == pytest.approx([250] * 4, rel=0.01)
    assert times[4::5] == pytest.approx([550] * 3, rel=0.01)
    assert sum(times) == pytest.approx(3 * 1550, rel=0.01)
    one = Medium(load("vertex-plus"), 37_500_000)
    now = 0
    for number in range(10):
        now = write(one, now, lba=65536 * number)
        now += one.flush(now)
    assert now / 37_500 == pytest.approx(10 * 400, rel=0.01)
