"""IDENTIFY DEVICE data of the drive model, read by hdparm's parser."""

import subprocess

import pytest
from sata_drive_model import DiskImage, Drive
from sata_drive_model.medium.profile import load, names
from sata_drive_model.medium import Medium


def told(hdparm, page):
    """What `hdparm --Istdin` prints of ``page``; it must have nothing to complain of."""
    words = [f"{page[n] | page[n + 1] << 8:04x}" for n in range(0, 512, 2)]
    text = "\n".join(" ".join(words[n:n + 8]) for n in range(0, 256, 8)) + "\n"
    reply = subprocess.run([hdparm, "--Istdin"], input=text, capture_output=True, text=True)
    assert reply.returncode == 0 and reply.stderr == "", reply
    assert "checksum: correct" in reply.stdout.lower(), reply.stdout
    for complaint in ("unknown", "invalid", "obsolete", "unrecognized", "???", "bad"):
        # Words that the command set leaves open are printed as unknown: the size of the buffer.
        found = [line for line in reply.stdout.lower().splitlines() if complaint in line
                 and "cache/buffer size" not in line]
        assert not found, found
    return {line.partition(":")[0].strip(): line.partition(":")[2].strip()
            for line in reply.stdout.splitlines()}, reply.stdout


@pytest.mark.parametrize("options", [
    {}, {"lba48": False}, {"serial": "S" * 20, "firmware": "F" * 8, "model": "M" * 40},
    {"logical_sector": 4096},
], ids=str)
@pytest.mark.parametrize("sectors", [1 << 20, 62_533_296, (1 << 28) + 8, 1 << 40])
def test_hdparm_reads_it(judge, sectors, options):
    drive = Drive(DiskImage(sectors=sectors), **options)
    lines, text = told(judge("hdparm"), drive.page)
    size = options.get("logical_sector", 512)
    held = drive.sectors * 512 // size
    assert lines["Serial Number"] == options.get("serial", "SN0001")
    assert lines["Model Number"] == options.get("model", "SATA DRIVE MODEL")
    assert lines["Firmware Revision"] == options.get("firmware", "1.0")
    assert lines["LBA    user addressable sectors"] == str(min(held, 0x0FFFFFFF))
    assert lines["Transport"].startswith("Serial")
    assert ("48-bit Address feature set" in text) == options.get("lba48", True)
    if options.get("lba48", True):
        assert lines["LBA48  user addressable sectors"] == str(held)
    assert lines["Logical  Sector size" if "Logical  Sector size" in lines
                 else "Logical/Physical Sector size"].split()[0] == str(size)
    assert "*udma6" in text and "Solid State Device" in text


@pytest.mark.parametrize("name", names())
def test_hdparm_reads_that_of_a_profile(judge, name):
    profile = load(name)
    drive = Drive(DiskImage(sectors=profile.capacity_sectors), medium=Medium(profile, 75e6))
    lines, text = told(judge("hdparm"), drive.page)
    assert lines["Model Number"] == profile.model
    for generation in (1, 2, 3):
        assert (f"Gen{generation} signaling speed" in text) == (generation <= profile.generation)


def test_the_parser_notices(judge):
    page = bytearray(Drive(DiskImage(sectors=1000)).page)
    page[511] ^= 1
    with pytest.raises(AssertionError):
        told(judge("hdparm"), bytes(page))
