"""Where the sectors of an array are: each has one place, and each place of a member's data one sector."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.facts.array import CHUNKS, DATA_OFFSET, LINEAR, RAID0, RAID1, mirror_superblock_lba
from sata_recorder.pc.array import Geometry, geometry


@st.composite
def arrays(draw, most=40):
    """Geometries of drives with up to ``most`` chunks."""
    level, chunk = draw(st.sampled_from([RAID0, LINEAR])), draw(st.sampled_from(CHUNKS))
    sizes = draw(st.lists(st.integers(DATA_OFFSET + chunk, DATA_OFFSET + most * chunk), min_size=2, max_size=8))
    return geometry(level, sizes, chunk)


@given(arrays(most=6))
def test_each_sector_has_one_place(array):
    places = [array.place(sector) for sector in range(array.sectors)]
    assert len(set(places)) == array.sectors == sum(array.data_sectors)
    assert {(lane, DATA_OFFSET + sector) for lane, size in enumerate(array.data_sectors)
            for sector in range(size)} == set(places)
    assert [array.sector(*place) for place in places] == list(range(array.sectors))


@given(arrays(), st.data())
def test_pieces_are_the_places_in_their_order(array, data):
    first = data.draw(st.integers(0, array.sectors))
    count = data.draw(st.integers(0, min(array.sectors - first, 1000)))
    places = [(piece.lane, piece.sector + step) for piece in array.pieces(first, count)
              for step in range(piece.sectors)]
    assert places == [array.place(sector) for sector in range(first, first + count)]
    for lane in range(array.drives):        # what a lane has of a range is in a row
        own = [sector for of, sector in places if of == lane]
        assert own == list(range(own[0], own[0] + len(own))) if own else True


@given(arrays(most=6))
def test_shares_and_runs_are_the_places(array):
    """What a lane has before each sector of the array, and what it has in its own order."""
    counts = [0] * array.drives
    for sector in range(array.sectors):
        assert [array.before(lane, sector) for lane in range(array.drives)] == counts
        counts[array.place(sector)[0]] += 1
    assert [array.before(lane, array.sectors) for lane in range(array.drives)] == list(array.data_sectors)
    for lane, size in enumerate(array.data_sectors):
        told = [first + n for first, count in array.runs(lane, 2048, size) for n in range(count)]
        assert told == [array.sector(lane, 2048 + own) for own in range(size)]


def test_raid_0_takes_turns():
    """Chunk q is on lane q mod N, in row q div N, as docs/array.md has it."""
    array = geometry(RAID0, [2048 + 1000, 2048 + 2000, 2048 + 1500], 8)
    assert array == Geometry(RAID0, 8, (1000, 1000, 1000)) and array.sectors == 3000
    assert [array.place(sector) for sector in (0, 7, 8, 16, 24, 2999)] == [
        (0, 2048), (0, 2055), (1, 2048), (2, 2048), (0, 2056), (2, 3047)]


def test_linear_is_one_after_the_other():
    array = geometry(LINEAR, [2048 + 1000, 2048 + 130], 128)
    assert array.data_sectors == (896, 128)
    assert [array.place(sector) for sector in (0, 895, 896, 1023)] == [(0, 2048), (0, 2943), (1, 2048), (1, 2175)]


@given(st.tuples(*2 * [st.integers(32, 1 << 40)]))
def test_mirrors_have_it_at_the_same_place(sizes):
    """From the first sector on, up to the nearest superblock, which is 8 to 12 KiB before the end (mdadm, super1.c)."""
    array = geometry(RAID1, sizes)
    places = [mirror_superblock_lba(size) for size in sizes]
    assert array == Geometry(RAID1, 0, (min(places), min(places))) and array.sectors == min(places)
    assert all(place % 8 == 0 and 16 <= size - place < 24 for place, size in zip(places, sizes, strict=True))
    last = array.sectors - 1
    assert [array.place(sector) for sector in (0, last)] == [(0, 0), (0, last)]
    assert list(array.pieces(0, array.sectors)) == [(0, 0, array.sectors)]
    for lane in 0, 1:
        assert [array.sector(lane, sector) for sector in (0, last)] == [0, last]
        assert array.before(lane, last) == last and list(array.runs(lane, 0, last)) == [(0, last)]
        with pytest.raises(ValueError, match="has no data of the array"):
            array.sector(lane, last + 1)


def test_no_mirrors():
    with pytest.raises(ValueError, match="31 sectors: a member has at least 32"):
        geometry(RAID1, [31, 5000])
    for drives in 1, 3:
        with pytest.raises(ValueError, match=f"{drives} drives: a RAID 1 has 2"):
            geometry(RAID1, drives * [5000])


@pytest.mark.parametrize("level", [RAID0, LINEAR])
def test_what_is_not_there(level):
    array = geometry(level, [3000, 4000])
    for sector in -1, array.sectors:
        with pytest.raises(ValueError, match=f"sector {sector}: the array has {array.sectors}"):
            array.place(sector)
    for place in (0, 2047), (0, 2048 + array.data_sectors[0]), (2, 2048), (-1, 2048):
        with pytest.raises(ValueError, match="has no data of the array"):
            array.sector(*place)
    with pytest.raises(ValueError, match="beyond|has"):
        list(array.pieces(array.sectors - 1, 2))
    with pytest.raises(ValueError, match="2175 sectors: a member has at least 2176"):
        geometry(level, [3000, 2175], 128)
