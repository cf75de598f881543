"""What the 512 bytes of IDENTIFY DEVICE say, of drives of the drive model and by hand."""

import struct

import pytest
from sata_drive_model.device.identify import identify_page

from sata_recorder.pc.console.identify_data import identify_rows


def page(**words):
    data = [0] * 256
    for number, value in words.items():
        data[int(number[1:])] = value
    return struct.pack("<256H", *data)


def test_a_drive_of_the_model():
    told = dict(identify_rows(identify_page(sectors=1000, model="M", serial="S", firmware="F",
                                            speeds=2, wwn=0x5001_2345_6789_ABCD)))
    assert told == {
        "speeds of the link": "1.5 Gbit/s, 3 Gbit/s", "newest standard": "ATA8-ACS",
        "medium": "solid state", "logical sector": "512 bytes", "physical sector": "512 bytes",
        "48-bit commands": "yes",
        "queued commands (NCQ)": "no", "write cache": "on", "read look-ahead": "on",
        "SMART": "not there", "ATA Security": "not there", "TRIM": "no", "World Wide Name": told["World Wide Name"]}
    assert told["World Wide Name"] in ("none", "500123456789abcd")


def test_a_disk_with_everything():
    told = dict(identify_rows(page(
        w75=31, w76=1 << 1 | 1 << 3 | 1 << 8, w80=1 << 10, w82=1 | 1 << 5, w85=1, w87=1 << 8,
        w106=0x6003, w108=0x5000, w109=0xC500, w110=0x1234, w111=0xABCD, w169=1, w217=7200)))
    assert told["speeds of the link"] == "1.5 Gbit/s, 6 Gbit/s"
    assert told["newest standard"] == "ACS-3" and told["medium"] == "7,200 rotations a minute"
    assert told["physical sector"] == "4,096 bytes"
    assert told["queued commands (NCQ)"] == "up to 32"
    assert told["write cache"] == "off" and told["SMART"] == "on" and told["TRIM"] == "yes"
    assert told["World Wide Name"] == "5000c5001234abcd"


@pytest.mark.parametrize("fields, logical, physical", [
    ({"w106": 0x5000, "w117": 2048}, "4,096 bytes", "4,096 bytes"),
    ({"w106": 0x7001, "w117": 2048}, "4,096 bytes", "8,192 bytes"),
    ({"w106": 0x1000, "w117": 2048}, "512 bytes", "512 bytes")])
def test_long_logical_sectors(fields, logical, physical):
    told = dict(identify_rows(page(**fields)))
    assert (told["logical sector"], told["physical sector"]) == (logical, physical)


def test_nothing_is_told():
    told = dict(identify_rows(bytes(512)))
    assert told["speeds of the link"] == told["newest standard"] == told["medium"] == "not reported"


def test_another_length():
    with pytest.raises(ValueError, match="511 bytes, not 512"):
        list(identify_rows(bytes(511)))
