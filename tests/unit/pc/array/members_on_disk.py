"""What tests do with the images of an array's members: look at superblocks, change sectors, and see them refused."""

import pytest

from sata_recorder.pc.array import open_disk, open_target, remarked, superblock_of
from sata_recorder.pc.volume import DiskReader, Drive, Refused, verify


def known(path):
    """The superblock of an image."""
    with DiskReader(path) as disk:
        return superblock_of(disk)


def change(path, lba, content):
    """Writes ``content`` from the sector ``lba`` on."""
    with open(path, "r+b") as file:
        file.seek(512 * lba)
        file.write(content)


def mark(path, **changes):
    """As Linux or a recorder changes the superblock of a mirror."""
    with DiskReader(path) as disk:
        one = superblock_of(disk)
        content = disk.read(512 * one.lba, 4096)
    change(path, one.lba, remarked(content, **{"events": one.events} | changes))


def notes(*paths):
    """Those of mirrors that are read; their tables and files are sound."""
    with open_disk(paths) as source:
        drive = Drive(source.path, source)
        assert verify(drive).problems == []
        return list(source.notes)


def refused(paths, *words):
    """By whoever reads, and by whoever writes; the reason has these words."""
    for opens in open_disk, open_target:
        with pytest.raises(Refused) as error, opens(paths):
            pass
        for word in words:
            assert word in str(error.value)
