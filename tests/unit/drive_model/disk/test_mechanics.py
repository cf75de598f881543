"""Tracks, arm and platters of a disk."""

import random

from hypothesis import given
from hypothesis import strategies as st

from sata_drive_model.disk import Geometry, Mechanics

from unit.drive_model.disk.disks import HZ, disk

FINE = 1 << 32
SHAPES = st.builds(
    lambda outer, share, **rest: disk(outer_mb_per_s=outer, inner_mb_per_s=outer * share, **rest).physical,
    outer=st.floats(10, 300), share=st.floats(0.2, 1), heads=st.integers(1, 9), zones=st.integers(1, 40),
    rpm=st.floats(3000, 15_000), sector_bytes=st.sampled_from([512, 4096]), switch_ms=st.floats(0.1, 3))


@given(SHAPES, st.data())
def test_a_place_has_one_sector_and_a_sector_one_place(physical, data):
    geometry = Geometry(physical)
    zone = geometry.cylinders * geometry.heads // physical.zones
    ends = [geometry.sector(zone * number, 0) - 1 for number in range(1, physical.zones)]
    sector = data.draw(st.one_of(st.integers(0, geometry.sectors - 1), st.sampled_from([0, *ends])))
    sector = min(sector, geometry.sectors - 1)
    track, index, sectors = geometry.place(sector)
    assert geometry.sector(track, index) == sector
    assert 0 <= index < sectors
    assert 0 <= track < geometry.cylinders * geometry.heads
    if sector + 1 < geometry.sectors:
        after = geometry.place(sector + 1)
        assert (after.track, after.index) in ((track, index + 1), (track + 1, 0))
        assert after.index or index == sectors - 1


@given(SHAPES, st.data())
def test_no_sector_is_waited_for_longer_than_a_turn(physical, data):
    mechanics = Mechanics(physical, HZ)
    sectors = st.integers(0, mechanics.geometry.sectors - 1)
    mechanics.read(0, data.draw(sectors), 1)
    sector = data.draw(sectors)
    seek = mechanics.seek(mechanics.geometry.place(sector).track)
    wait = mechanics.reached(mechanics.clock, sector) - mechanics.clock - seek
    assert 0 <= wait < mechanics.turn
    assert seek <= physical.full_seek_ms / 1e3 * HZ * FINE + FINE


@given(SHAPES, st.data())
def test_what_follows_is_passed_without_a_wait(physical, data):
    whole, parts = Mechanics(physical, HZ), Mechanics(physical, HZ)
    start = data.draw(st.integers(0, whole.geometry.sectors - 1))
    count = data.draw(st.integers(1, min(5000, whole.geometry.sectors - start)))
    sizes = data.draw(st.lists(st.integers(1, 700), max_size=8))
    end, place = whole.read(0, start, count), start
    for size in [*sizes, count]:
        size = min(size, start + count - place)
        if size:
            parts.read(0, place, size)
        place += size
    # A step to another track may be one of the longer ones of the arm, where a part ends with a track.
    assert parts.clock == end


def test_the_rate_is_that_of_the_zones():
    physical = disk().physical
    for start, rate in (0, 60), (Geometry(physical).sectors - 40_000, 30):
        mechanics = Mechanics(physical, HZ)
        begin = mechanics.read(0, start, 1)
        for sector in range(start + 1, start + 40_000):
            mechanics.read(0, sector, 1)
        seconds = (mechanics.clock - begin) / FINE / HZ
        assert abs(39_999 * 512 / seconds / 1e6 / rate - 1) < 0.02


def test_an_access_at_random_takes_a_seek_and_half_a_turn():
    mechanics = Mechanics(disk().physical, HZ)
    draw = random.Random(1).randrange
    for _ in range(2000):
        mechanics.read(0, draw(mechanics.geometry.sectors), 1)
    # The mean of the arm's way is a third of all tracks.
    assert 8.5 < mechanics.clock / FINE / HZ / 2000 * 1e3 < 10.5


def test_a_part_of_a_sector_costs_a_turn_more():
    for sector in 0, 5000:
        plain, partial = (Mechanics(disk(sector_bytes=4096).physical, HZ) for _ in range(2))
        plain.write(0, sector, 2)
        partial.write(0, sector, 2, partial=True)
        assert partial.clock - plain.clock == plain.turn
