"""`sata-recorder measure --logical-sector 4096`: a drive whose commands count sectors of 4096 bytes."""

import pytest

from sata_recorder.firmware import unavailable

pytestmark = pytest.mark.wide

LONG = "--logical-sector", 4096, "--max-command", 64


def test_both_ways(measured):
    told = measured(*LONG, "--sectors", 200, "--lba", 8, "--flush")
    assert told["good"] and told["problems"] == []
    assert told["drive"]["logical_sector"] == 4096 and told["configuration"]["long_logical_sectors"]


@pytest.mark.long
@pytest.mark.parametrize("options", [
    ("ring", "--sectors", 64, "--stop-after", 50_000), ("fixed", "--sectors", 64, "--words", 1000),
    ("trigger", "--sectors", 1024, "--segments", 2, "--words", 3000, "--trigger", 9000, "--trigger", 90_000)])
def test_modes(measured, options):
    told = measured(*LONG, "--mode", *options, "--lba", 1000)
    assert told["good"] and told["problems"] == []


@pytest.mark.long
def test_an_input_fills_whole_sectors(measured, tmp_path):
    source, image = tmp_path / "numbers", tmp_path / "disk.img"
    source.write_bytes(bytes(range(256)) * 20)
    told = measured(*LONG, "--input", source, "--image", image, "--capacity", 1000)
    assert told["good"]
    assert image.read_bytes()[:8192] == source.read_bytes().ljust(8192, b"\0")


@pytest.mark.long
@pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
def test_firmware(measured):
    assert measured(*LONG, "--controller", "picorv32", "--sectors", 128)["good"]
