"""Small prepared images, and disks in memory that lose what was not flushed."""

import random

import pytest

from sata_recorder import outputs
from sata_recorder.pc.volume import Drive, prepare

SECTORS = 16384
ALIGN = 64 << 10


@pytest.fixture
def image(tmp_path):
    """The path of an image of 8 MiB with three slots."""
    path = tmp_path / "disk.img"
    prepare(path, sectors=SECTORS, recordings=3, align=ALIGN)
    return path


@pytest.fixture
def recorded(image):
    """`recorded(number, size)`: the core's part of a recording: its data in slot ``number``."""
    def recorded(number, size):
        data = random.Random(number).randbytes(size)
        with Drive(image) as drive:
            lba = drive.slots[number - 1].lba
        with open(image, "r+b") as file:
            file.seek(512 * lba)
            file.write(data)
        outputs.mark(image)     # as `sata-recorder measure --image` does
        return data

    return recorded


class Disk:
    """A disk in memory, written and read like those of `sata_recorder.pc.volume`."""

    physical = 4096

    def __init__(self, content):
        self.content = bytearray(content)
        self.size = len(content)
        self.steps = []         # (LBA, content), or None for a flush

    def read(self, offset, size):
        if offset + size > self.size:
            raise OSError(22, f"byte {offset}")
        return bytes(self.content[offset:offset + size])

    def read_into(self, offset, view):
        view[:] = self.read(offset, len(view))

    def write(self, lba, content):
        assert len(content) % 512 == 0 and 512 * lba + len(content) <= self.size
        self.content[512 * lba:512 * lba + len(content)] = content
        self.steps.append((lba, bytes(content)))

    def zero(self, lba, sectors):
        self.write(lba, bytes(512 * sectors))

    def flush(self):
        self.steps.append(None)
