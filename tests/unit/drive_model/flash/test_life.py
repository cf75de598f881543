"""Rates, slices of drives, and whole lives."""

import pytest
from sata_drive_model.flash import Work, closed_law, first_fill
from sata_drive_model.flash.life import Life
from sata_drive_model.flash.parameters import FlashDrive, load
from sata_drive_model.flash.slice import endurances, slice_of
from sata_drive_model.flash.timing import Timing

_MIB = 1 << 20


def small(policy=None, cap=None, **physical):
    """A drive of a few MiB, all of which is simulated."""
    values = {"physical": {"flash_bytes": 80 * 32 * 4096, "user_bytes": 64 * 32 * 4096, "page_bytes": 4096, "pages": 32,
                           "cell_bits": 2, "dies": 4, "planes": 2, "program_us": 1000, "read_us": 50,
                           "erase_us": 2000} | physical, "policy": policy or {}, "cap": cap or {}}
    values["estimates"] = {f"{kind}.{field}": "a test" for kind, fields in values.items() for field, value in
                           fields.items() if not isinstance(value, dict) and value is not None}
    values["estimates"] |= {f"physical.{field}.{name}": "a test" for field, value in physical.items()
                            if isinstance(value, dict) for name in value}
    return FlashDrive.from_data({"name": "small", "description": "a small drive"} | values)


def test_times_follow_from_the_chips():
    timing = Timing(small())
    # 8 planes program 4 KiB in a ms each.
    assert timing.rate(Work(host=1000)) == pytest.approx(8 * 4096 / 1e-3)
    assert timing.limit(Work(host=1000)) == "flash"
    copied = timing.parts(Work(host=100, copied=300, erases=10))["flash"]
    assert copied == pytest.approx(400 / 8 * 1e-3 + 300 / 8 * 50e-6 + 10 / 8 * 2e-3)


def test_a_bus_and_a_controller_may_be_slower():
    drive = small(cap={"write_mb_per_s": 10, "direct_mb_per_s": 2}, channels=1, channel_mb_per_s=20)
    assert Timing(drive).rate(Work(host=1000)) == pytest.approx(2e6)
    assert Timing(drive).limit(Work(host=1000)) == "cap"
    assert Timing(drive).rate(Work(host=1000, cached=1000)) == pytest.approx(10e6)
    assert Timing(drive, caps=False).rate(Work(host=1000)) == pytest.approx(20e6)
    assert Timing(drive, caps=False).limit(Work(host=1000)) == "bus"


def test_what_is_not_known_has_no_time():
    drive = small(dies=None)
    assert Timing(drive).rate(Work(host=1000)) is None
    assert Timing(drive).limit(Work(host=1000)) is None


@pytest.mark.parametrize("name", ["c300-256gb", "870-qvo-4tb", "840-pro-256gb"])
def test_a_slice_has_the_drives_share_of_spare(name):
    drive = load(name)
    part = slice_of(drive, 512)
    block = part.rules.slots * drive.policy.map_bytes
    busy = (drive.physical.flash_bytes - drive.policy.free_blocks * drive.physical.block_bytes
            ) / drive.physical.user_bytes
    found = (part.rules.blocks - 3) / part.rules.chunks
    assert found - 1 == pytest.approx(busy - 1, rel=0.01)
    assert part.factor * part.rules.chunks * block == pytest.approx(drive.physical.user_bytes, rel=1e-9)


def test_endurances_are_the_shares():
    failures = load("840-pro-256gb").physical.failures
    found = sorted(endurances(failures, 1000))
    assert found[0] >= failures.first_cycles
    # 5.94 of 1,000 blocks fail within the first 1,000 erases after that.
    assert sum(end < failures.first_cycles + 1000 for end in found) in (5, 6)
    assert endurances(None, 10) is None


@pytest.mark.wide
@pytest.mark.parametrize("pattern", ["random", "ring", "sequential"])
def test_jumps_change_little(pattern):
    """Of a small drive each erase is simulated, until it is read-only; and the same with jumps."""
    drive = small(flash_bytes=160 * 32 * 4096, user_bytes=128 * 32 * 4096,
                  failures={"first_cycles": 120, "share_per_1000": 0.8})
    found = []
    for jumps in False, True:
        life = Life(drive, pattern, 10e6, jumps=jumps, chunks=128)
        assert life.slice.factor == 1
        life.until(level=20)
        assert life.read_only
        found.append(life.samples[-1])
    every, jumped = found
    assert jumped.host_bytes == pytest.approx(every.host_bytes, rel=0.03)
    assert jumped.flash_bytes == pytest.approx(every.flash_bytes, rel=0.03)
    assert jumped.seconds == pytest.approx(every.seconds, rel=0.03)
    assert jumped.mean == pytest.approx(every.mean, rel=0.03)
    assert jumped.bad_blocks == pytest.approx(every.bad_blocks, abs=1)
    assert every.spare_left == jumped.spare_left == 0


@pytest.mark.wide
def test_the_last_spare_blocks_fail_one_by_one():
    """However many spare blocks there were: the end is where that of the last one is."""
    drive = small(flash_bytes=640 * 4 * 4096, user_bytes=512 * 4 * 4096, pages=4,
                  failures={"first_cycles": 120, "share_per_1000": 0.8})
    every, jumped = (Life(drive, "ring", 10e6, jumps=jumps, chunks=512).until(level=20)[-1] for jumps in (False, True))
    assert jumped.mean == pytest.approx(every.mean, rel=0.003)
    assert jumped.host_bytes == pytest.approx(every.host_bytes, rel=0.003)


def test_until_cycles_and_until_a_time():
    drive = small()
    life = Life(drive, "random", 2e6, chunks=64)
    samples = life.until(cycles=1000)
    assert samples[-1].mean == pytest.approx(1000, rel=0.03)
    assert 15 <= len(samples) <= 25
    assert 0.75 < samples[-1].amplification / closed_law(75 / 64) < 0.9     # blocks of 32 pages are small
    assert samples[-1].most - samples[-1].least < 20
    assert samples[-1].seconds == pytest.approx(samples[-1].host_bytes / 2e6, rel=0.05)
    day = Life(drive, "random", 2e6, chunks=64).until(seconds=86400)
    assert day[-1].seconds == pytest.approx(86400, rel=0.03)
    assert day[-1].host_bytes == pytest.approx(2e6 * 86400, rel=0.05)


def test_a_drive_that_is_too_slow_is_written_at_its_own_rate():
    life = Life(small(), "ring", 1e9, chunks=64)
    last = life.until(cycles=100)[-1]
    assert last.rate == pytest.approx(last.taken)
    assert last.taken < 8 * 4096 / 1e-3


def test_the_end_of_a_drive_whose_failures_are_unknown_is_refused():
    with pytest.raises(ValueError, match="physical.failures: nobody knows how its blocks fail"):
        Life(small(), "ring", 1e6).until()


def test_a_pattern_is_refused():
    with pytest.raises(ValueError, match="pattern 'zigzag': must be one of sequential, random, ring"):
        Life(small(), "zigzag", 1e6)


def cached(rule, **more):
    return small(policy={"cache_bytes": _MIB, "after_cache": rule} | more, slc_mb_per_s=20)


def test_idle_time_empties_the_cache():
    """A host that is slower than folding finds room in the cache each time: all is written twice."""
    life = Life(cached("direct"), "ring", 2e6, chunks=64)
    slow = life.until(cycles=50)[-1]
    # The cache takes 80 MB/s, and has to be emptied again: a read and a program of each unit, an erase of each block.
    unit, block = 4096, 32 * 4096
    each = 1 / (4 * 20e6) + (50e-6 + 1e-3) / (8 * unit) + 2e-3 / (8 * block)
    assert slow.taken == pytest.approx(1 / each, rel=0.05)
    assert life.limit == "flash"
    assert slow.cached == 1
    assert slow.amplification == pytest.approx(2, rel=0.03)
    fast = Life(cached("direct"), "ring", 1e9, chunks=64).until(cycles=50)[-1]
    assert fast.cached == 0
    assert fast.amplification == pytest.approx(1, rel=0.03)


def test_a_drive_that_folds_writes_all_of_it_twice():
    last = Life(cached("folding"), "ring", 1e9, chunks=64).until(cycles=50)[-1]
    assert last.cached == 1
    assert last.amplification == pytest.approx(2, rel=0.03)


def test_teeth_of_a_saw():
    """Some goes to the cache, and as much again past it while the cache is emptied."""
    last = Life(cached("saw-tooth"), "ring", 1e9, chunks=64).until(cycles=50)[-1]
    assert last.cached == pytest.approx(0.5, abs=0.05)


def test_a_ring_has_less_of_a_dynamic_cache():
    """TRIM gives the dynamic part back; a ring that is never trimmed has none."""
    drive = small(policy={"dynamic_bytes": _MIB, "after_cache": "direct"}, slc_mb_per_s=20)
    assert Life(drive, "ring", 1e9, chunks=64).until(cycles=20)[-1].cached == 0
    assert 0.05 < Life(drive, "sequential", 1e9, chunks=64).until(cycles=20)[-1].cached < 0.2


def test_the_cliff_of_a_fill():
    """A drive of 2 TB with a cache of 78 GB at best, most of which shrinks as the drive fills."""
    fast, slow = first_fill(load("870-qvo-2tb"))
    assert fast.rate == pytest.approx(486.92e6) and slow.rate == pytest.approx(150e6)
    # c = 6 GB + 72 GB * (1 - c / 2000 GB)
    assert fast.end == pytest.approx(78e9 / (1 + 72 / 2000), rel=0.02)
    assert slow.end == pytest.approx(2000.4e9, rel=0.001)
    assert [one.limit for one in first_fill(load("c300-256gb"))] == ["flash"]
    assert first_fill(load("840-pro-256gb")) == []


def test_a_fill_with_teeth():
    teeth = first_fill(cached("saw-tooth"))
    assert len(teeth) > 4
    assert {round(one.rate / 1e6) for one in teeth[::2]} != {round(one.rate / 1e6) for one in teeth[1::2]}
