"""Arrays of small images."""

import random

import pytest

from sata_recorder.facts.array import LINEAR, RAID0, RAID1, mirror_superblock_lba
from sata_recorder.pc.array import open_target, prepare_array
from sata_recorder.pc.volume import Drive, finalise_target

SECTORS = 8192
ALIGN = 64 << 10
#: Where each of two mirrors has its superblock.
PLACE = mirror_superblock_lba(SECTORS)
#: Level and number of drives.
KINDS = [(RAID0, 2), (RAID0, 3), (RAID0, 8), (LINEAR, 2), (LINEAR, 3)]


@pytest.fixture
def made(tmp_path):
    """`made(level, drives)`: the paths of the images of a new array with three slots, by lane."""
    def made(level=RAID0, drives=3, name="lane", **options):
        paths = [tmp_path / f"{name}{lane}" for lane in range(drives)]
        prepare_array(paths, level, sectors=SECTORS, recordings=3, align=ALIGN, **options)
        return paths

    return made


@pytest.fixture
def pair(made):
    """The paths of two new mirrors."""
    return made(RAID1, 2)


@pytest.fixture
def record():
    """`record(paths, number, size)`: a recording in slot ``number``, made a file; its data."""
    def record(paths, number, size):
        data = random.Random(number).randbytes(size)
        with open_target(paths) as target:
            lba = Drive(target.path, target).slots[number - 1].lba
            target.write(lba, data.ljust(-(-size // 512) * 512, b"\0"))
            finalise_target(target, number, size)
        return data

    return record
