"""Disk images in memory and on the file system."""

import random

import pytest
from sata_drive_model import DiskImage


@pytest.fixture(params=["memory", "file"])
def image(request, tmp_path):
    image = DiskImage(tmp_path / "disk" if request.param == "file" else None, sectors=1000)
    yield image
    image.close()


def test_untouched_sectors_are_zeros(image):
    assert image.read_sectors(999) == bytes(512)
    assert image.read_sectors(0, 1000) == bytes(512000)


def test_what_is_written_is_read(image):
    rng = random.Random(3)
    mirror = bytearray(512000)
    for _ in range(100):
        start = rng.randrange(511000)
        data = rng.randbytes(rng.choice((4, 512, 8192, 200_000)))[:512000 - start]
        image.write(start, data)
        mirror[start:start + len(data)] = data
        offset = rng.randrange(511000)
        assert image.read(offset, 1000) == mirror[offset:offset + 1000]
    assert image.read(0, 512000) == mirror


@pytest.mark.parametrize("offset, size", [(-1, 4), (512000, 1), (511999, 2)])
def test_outside(image, offset, size):
    with pytest.raises(ValueError, match="outside 1000 sectors"):
        image.read(offset, size)
    with pytest.raises(ValueError, match="outside"):
        image.write(offset, bytes(size))


def test_file_is_a_sparse_raw_image(tmp_path):
    path = tmp_path / "disk.img"
    image = DiskImage(path, sectors=1 << 21)
    image.write(512 * 5, b"abcd")
    assert path.stat().st_size == 1 << 30
    assert path.stat().st_blocks * 512 < 1 << 20
    with path.open("rb") as file:
        file.seek(512 * 5)
        assert file.read(6) == b"abcd\0\0"
    image.close()
    again = DiskImage(path)
    assert again.sectors == 1 << 21 and again.read(512 * 5, 4) == b"abcd"
    again.close()


def test_refusals(tmp_path):
    with pytest.raises(ValueError, match="sectors"):
        DiskImage(None)
    with pytest.raises(ValueError, match="sectors"):
        DiskImage(tmp_path / "new", sectors=0)
