"""SMART data of the drive model, read by smartctl."""

import re
from datetime import UTC, datetime

import pytest
from sata_drive_model import DiskImage, Drive, Health
from sata_drive_model.qemu import PACKAGE

from foreign.linux import boot, unpacked
from foreign.smartctl import told
from sata_recorder.pc.maintenance.smartctl import OPTIONS, health_told, parsed_answer

_ROW = re.compile(r"^ *(\d+) \S+ +(0x\w+) +(\d+) +(\d+) +(\d+) +(\S+) +\S+ +(\S+) +(\d+)",
                  re.MULTILINE)


@pytest.fixture
def smartctl(judge):
    return judge("smartctl", "smartmontools")


def rows(text):
    """{number: (flags, value, threshold, type, when failed, raw)} of smartctl's table."""
    return {int(number): (int(flags, 16), int(value), int(threshold), kind, failed, int(raw))
            for number, flags, value, _, threshold, kind, failed, raw in _ROW.findall(text)}


def pages(health):
    return {"IDENTIFY DEVICE": Drive(DiskImage(sectors=1 << 20), health=health).page,
            "SMART READ ATTRIBUTE VALUES": health.data(),
            "SMART READ ATTRIBUTE THRESHOLDS": health.thresholds()}


@pytest.mark.parametrize("health", [
    Health(), Health(written_bytes=5 << 30, amplification=2.5, endurance_bytes=100 << 30, hours=77),
    Health(celsius=61, reallocated=3, uncorrectable=2, crc_errors=9, power_cycles=12)], ids=str)
def test_attributes(smartctl, health):
    status, text = told(smartctl, pages(health), "-i", "-A", "-H", "-c")
    assert status == 0 and "PASSED" in text and "rror:" not in text and "Warning" not in text
    assert "SMART support is: Available" in text and "SMART support is: Enabled" in text
    assert "TRIM Command:     Available, deterministic, zeroed" in text
    found = rows(text)
    assert found == {number: (flags, value, threshold, "Pre-fail" if flags & 1 else "Old_age", "-",
                              raw)
                     for number, flags, value, threshold, raw in health.attributes()}
    assert "General Purpose Logging supported" in text


def test_worn_drive(smartctl):
    health = Health(written_bytes=109, endurance_bytes=100)
    assert health.spare == 10 and health.failing()
    status, text = told(smartctl, pages(health), "-A", "-H", failing=True)
    assert status & 8 and "FAILED!" in text
    assert rows(text)[232][4] == "FAILING_NOW"


def test_smartctl_notices(smartctl):
    found = pages(Health())
    page = bytearray(found["SMART READ ATTRIBUTE VALUES"])
    page[511] ^= 1
    _, text = told(smartctl, found | {"SMART READ ATTRIBUTE VALUES": bytes(page)}, "-A")
    assert "checksum" in text


def test_its_json(smartctl):
    """What a sidecar takes from the answer of the smartctl that is installed here."""
    health = Health(celsius=61, reallocated=3, written_bytes=5 << 30, endurance_bytes=100 << 30, hours=77)
    status, text = told(smartctl, pages(health), "--json", "-i", "-H", "-A")
    found = health_told(parsed_answer(text.encode()), "-", "SN0001", datetime.now(UTC)).fields
    assert status == 0 and (found["passed"], found["celsius"], found["power_on_hours"]) == (True, 61, 77)
    assert (found["reallocated_sectors"], found["verdict"]) == (3, "watch")
    assert [(one["number"], one["value"], one["threshold"], one["raw"]) for one in found["attributes"]] == [
        (number, value, threshold, raw) for number, _, value, threshold, raw in health.attributes()]
    assert re.fullmatch(r"\d+\.\d+", found["smartctl"])


@pytest.mark.long
def test_its_json_of_a_disk(smartctl, judge, tmp_path):
    """smartctl asks a disk of QEMU's through Linux, as `sata-recorder extract` lets it ask."""
    qemu = judge("qemu-system-x86_64", PACKAGE)
    (tmp_path / "disk.img").write_bytes(bytes(1 << 20))
    printed = boot(qemu, unpacked(tmp_path), tmp_path, tmp_path / "disk.img", f"""
for n in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/sda ] || sleep 1; done
echo BEGIN; {smartctl} {" ".join(OPTIONS)} /dev/sda; echo END $?
""", programs=(smartctl,))
    answer, status = re.search(r"BEGIN\s(.*)END (\d+)", printed, re.DOTALL).groups()
    found = health_told(parsed_answer(answer.encode()), "/dev/sda", "RECORDED", datetime.now(UTC))
    assert (status, found.fields["passed"], found.verdict.value) == ("0", True, "good")
    # Those that QEMU's hw/ide/core.c has.
    assert {one["number"]: one["raw"] for one in found.fields["attributes"]}[190] & 0xFF == found.fields["celsius"]
