"""The disk image and the IDENTIFY DEVICE page."""

import random
import struct

import pytest
from sata_drive_model import DiskImage
from sata_drive_model.identify import checksum, identify_page


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


def words_of(**parameters):
    parameters = {"sectors": 5_000_000_000, "model": "Model X", "serial": "S1", "firmware": "F2",
                  **parameters}
    page = identify_page(**parameters)
    assert len(page) == 512 and sum(page) & 0xFF == 0 and page[510] == 0xA5
    assert checksum(page) == page[510] | page[511] << 8
    return struct.unpack("<256H", page)


def text(words):
    return struct.pack(f">{len(words)}H", *words).decode()


def test_identify_48_bit():
    words = words_of()
    assert text(words[27:47]) == "Model X".ljust(40)
    assert text(words[10:20]) == "S1".ljust(20)
    assert text(words[23:27]) == "F2".ljust(8)
    assert words[0] >> 15 == 0
    assert words[49] >> 8 & 3 == 3
    assert words[60] | words[61] << 16 == 0x0FFFFFFF
    assert sum(words[100 + n] << 16 * n for n in range(4)) == 5_000_000_000
    for word in (83, 84, 87):
        assert words[word] >> 14 == 1
    assert words[83] >> 10 & 1 and words[83] >> 12 & 3 == 3 and words[86] >> 10 & 1
    assert words[76] & 0xF == 0b1110 and words[93] == 0 and words[106] == 0x4000


def test_identify_28_bit():
    words = words_of(sectors=1000, lba48=False)
    assert words[83] >> 10 & 1 == 0 and words[83] >> 13 & 1 == 0 and words[83] >> 12 & 1
    assert words[60:62] == (1000, 0) and words[100:104] == (0, 0, 0, 0)


def test_identify_without_dma_or_lba():
    assert words_of(dma=False)[49] >> 8 & 3 == 2
    words = words_of(lba=False)
    assert words[49] >> 8 & 3 == 1 and words[60:62] == (0, 0)


def test_identify_large_sectors():
    words = words_of(logical_sector=4096)
    assert words[106] >> 12 == 5 and words[117] | words[118] << 16 == 2048


def test_identify_string_too_long():
    with pytest.raises(ValueError, match="longer"):
        words_of(serial="x" * 21)
