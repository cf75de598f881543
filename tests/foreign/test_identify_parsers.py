"""IDENTIFY DEVICE data of the drive model, read by the parsers of hdparm and smartctl."""

import re
import subprocess

import pytest
from sata_drive_model import DiskImage, Drive
from sata_drive_model.medium.profile import load, names
from sata_drive_model.medium import Medium

from unit.drive_model.scripted_host import connect


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
    drive = Drive(DiskImage(sectors=profile.capacity_sectors), medium=Medium(profile.at_best(), 75e6))
    lines, text = told(judge("hdparm"), drive.page)
    assert lines["Model Number"] == profile.model
    for generation in (1, 2, 3):
        assert (f"Gen{generation} signaling speed" in text) == (generation <= profile.generation)


def test_the_parser_notices(judge):
    page = bytearray(Drive(DiskImage(sectors=1000)).page)
    page[511] ^= 1
    with pytest.raises(AssertionError):
        told(judge("hdparm"), bytes(page))


# smartctl -----------------------------------------------------------------------------------------

def shown(smartctl, page, *options):
    """What smartctl reports of ``page``, which it takes in the form of its own debug output."""
    rows = "\n".join(f"{n:3}-{n + 15:3}: " + " ".join(f"{byte:02x}" for byte in page[n:n + 16])
                     + f" |{'.' * 16}|" for n in range(0, 512, 16))
    text = f"""REPORT-IOCTL: Device=/dev/sda Command=IDENTIFY DEVICE
REPORT-IOCTL: Device=/dev/sda Command=IDENTIFY DEVICE returned 0

===== [IDENTIFY DEVICE] DATA START (BASE-16) =====
{rows}
===== [IDENTIFY DEVICE] DATA END (512 Bytes) =====
"""
    reply = subprocess.run([smartctl, *options, "-"], input=text, capture_output=True, text=True)
    assert reply.returncode == 0 and reply.stderr == "", reply
    assert "Warning" not in reply.stdout and "rror" not in reply.stdout, reply.stdout
    return reply.stdout


def lines(text):
    return {name.strip(): value.strip() for name, _, value in
            (line.partition(":") for line in text.splitlines())}


def bits(text):
    """{(word, bits): (value, description)} of `smartctl --identify=w`."""
    rows = re.findall(r"^ *(\d+) +([\d:-]+) +(\w+) +(.*)$", text, re.MULTILINE)
    return {(int(word), place): (int(value, 16), what) for word, place, value, what in rows}


@pytest.mark.parametrize("options", [
    {}, {"lba48": False}, {"serial": "S" * 20, "firmware": "F" * 8, "model": "M" * 40},
    {"logical_sector": 4096}, {"wwn": 0x5002538D40123456}, {"dma": False},
], ids=str)
@pytest.mark.parametrize("sectors", [1 << 20, 62_533_296, 1 << 40])
def test_smartctl_reads_it(judge, sectors, options):
    drive = Drive(DiskImage(sectors=sectors), **options)
    text = shown(judge("smartctl", "smartmontools"), drive.page, "-i", "-g", "all")
    found = lines(text)
    assert found["Device Model"] == options.get("model", "SATA DRIVE MODEL")
    assert found["Serial Number"] == options.get("serial", "SN0001")
    assert found["Firmware Version"] == options.get("firmware", "1.0")
    assert found["User Capacity"].startswith(f"{drive.sectors * 512:,} bytes")
    assert found["Sector Size"].startswith(f"{options.get('logical_sector', 512)} bytes")
    assert found["Rotation Rate"] == "Solid State Device"
    assert found["ATA Version is"].startswith("ATA8-ACS")
    assert found["Rd look-ahead is"] == found["Write cache is"] == "Enabled"
    assert found["SMART support is"].startswith("Unavailable")
    assert found["TRIM Command"] == "Unavailable"
    wwn = options.get("wwn")
    assert found.get("LU WWN Device Id") == (wwn and "5 002538 d40123456")


@pytest.mark.parametrize("options", [{}, {"lba48": False}, {"dma": False}, {"wwn": 5 << 60}], ids=str)
def test_smartctl_finds_nothing_in_what_is_reserved(judge, options):
    drive = Drive(DiskImage(sectors=1 << 20), **options)
    found = bits(shown(judge("smartctl", "smartmontools"), drive.page, "--identify=w"))
    assert len(found) > 30
    for place, (value, what) in found.items():
        # Word 222 has a column for each transport.
        what = what.rpartition("|")[2].strip()
        assert not value or not what.startswith(("Reserved", "Vendor")), (place, value, what)
    assert found[255, "7:0"][0] == 0xA5 and "Checksum" in found[255, "15:8"][1]
    assert (82, "3") in found and "Power Management" in found[82, "3"][1]
    assert ((83, "10") in found) == options.get("lba48", True)
    assert ((49, "8") in found) == options.get("dma", True)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", names())
def test_smartctl_reads_that_of_a_profile(judge, name):
    profile = load(name)
    drive = Drive(DiskImage(sectors=profile.capacity_sectors), medium=Medium(profile.at_best(), 75e6))
    found = lines(shown(judge("smartctl", "smartmontools"), drive.page, "-i"))
    assert found["Device Model"] == profile.model
    assert found["SATA Version is"] == {
        1: "SATA 1.0a, 1.5 Gb/s", 2: "SATA 2.6, 3.0 Gb/s",
        3: "SATA 3.0, 6.0 Gb/s"}[profile.generation]


@pytest.mark.parametrize("feature, line, told", [
    (0x82, "Write cache is", "Disabled"), (0x55, "Rd look-ahead is", "Disabled")])
def test_smartctl_sees_what_was_set(judge, feature, line, told):
    host = connect()
    assert host.command(0xEF, 0, 0, 0x40, feature) == (0x50, 0)
    smartctl = judge("smartctl", "smartmontools")
    assert lines(shown(smartctl, host.identify(), "-g", "all"))[line] == told


def test_smartctl_sees_the_modes_that_were_set(judge):
    host = connect()
    host.command(0xC6, 0, 8)
    host.command(0xEF, 0, 0x45, 0x40, 0x03)
    found = bits(shown(judge("smartctl", "smartmontools"), host.identify(), "--identify=w"))
    assert found[59, "7:0"][0] == 8 and found[59, "8"][0] == 1
    assert found[88, "13"][0] == 1 and (88, "14") not in found


def test_smartctl_notices(judge):
    page = bytearray(Drive(DiskImage(sectors=1000)).page)
    page[511] ^= 1
    with pytest.raises(AssertionError):
        shown(judge("smartctl", "smartmontools"), bytes(page), "-i")
