"""Physical sectors: what IDENTIFY DEVICE reports, and which extents split one."""

import pytest
from sata_drive_model import DiskImage, Drive

from sata_recorder.pc.maintenance import Alignment


def words(**options):
    page = Drive(DiskImage(sectors=1000), **options).page
    assert sum(page) % 256 == 0
    return [int.from_bytes(page[n:n + 2], "little") for n in range(0, 512, 2)]


@pytest.mark.parametrize("options, found", [
    ({}, Alignment(1, 0)), ({"physical_sector": 4096}, Alignment(8, 0)),
    ({"physical_sector": 4096, "alignment": 1}, Alignment(8, 1)),
    ({"physical_sector": 4096, "alignment": 7}, Alignment(8, 7)),
    ({"physical_sector": 1024}, Alignment(2, 0)), ({"physical_sector": 8192}, Alignment(16, 0)),
    ({"logical_sector": 4096}, Alignment(8, 0)),
    ({"logical_sector": 4096, "physical_sector": 8192, "alignment": 1}, Alignment(16, 8)),
])
def test_what_a_drive_says(options, found):
    assert Alignment.of(words(**options)) == found


def test_a_drive_that_lies():
    assert Alignment.of(words(), sectors=8) == Alignment(8, 0)
    assert Alignment.of(words(physical_sector=4096, alignment=3), sectors=1) == Alignment(1, 0)


@pytest.mark.parametrize("word106, word209", [(0, 0xFFFF), (0x2003, 0x4003), (0xE003, 0), (0x600F, 0)])
def test_words_that_say_nothing(word106, word209):
    said = [0] * 256
    said[106], said[209] = word106, word209
    assert Alignment.of(said) == Alignment(1, 0)


@pytest.mark.parametrize("sectors, offset, told", [
    (0, 0, "physical sector of 0"), (3, 0, "power of two"), (256, 0, "up to 128"),
    (8, 8, "offset 8: must be below 8"), (8, -1, "offset -1")])
def test_refused(sectors, offset, told):
    with pytest.raises(ValueError, match=told):
        Alignment(sectors, offset)


@pytest.mark.parametrize("sectors, offset", [(1, 0), (8, 0), (8, 1), (8, 7), (2, 1)])
@pytest.mark.parametrize("lba", range(20))
def test_extents(sectors, offset, lba):
    """Against the sectors counted one by one."""
    alignment = Alignment(sectors, offset)
    for count in range(1, 30):
        physical = [(at + offset) // sectors for at in range(lba, lba + count)]
        whole = {one for one in physical if physical.count(one) == sectors}
        assert alignment.splits(lba, count) == (whole != set(physical))
        first, length = alignment.within(lba, count)
        inside = [at for at in range(lba, lba + count) if (at + offset) // sectors in whole]
        assert [*range(first, first + length)] == inside
