"""The page of IDENTIFY DEVICE."""

import struct

import pytest
from sata_drive_model.device.identify import checksum, identify_page


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
