"""SMART data that the core has fetched, of the drive model and of QEMU's disk: smartctl and our own
decoder say the same."""

import re

import pytest
from foreign.smartctl import told
from integration.benches import CoreBench
from integration.small import SMALL
from sata_drive_model import DiskImage, Drive, Health, QemuDrive

from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Operation
from sata_recorder.pc.maintenance import attributes, task
from sata_recorder.simulation import Compiled
from sata_recorder.simulation.drive_package import drive_port

CORE = SMALL | {"commands": True}
_ROW = re.compile(r"^ *(\d+) \S+ +0x\w+ +(\d+) +(\d+) +(\d+) +(\S+) +\S+ +\S+ +(\d+)", re.MULTILINE)


def fetched(b, name):
    one = task(name)
    found = b.command(Operation.FLUSH if one.data == "none" else Operation.PLAY, lba=one.lba,
                      blocks=one.data != "none", command=one.command, features=one.features,
                      count=one.count, device=one.device, pio=one.data == "pio")
    assert found.error == 0
    return found


@pytest.fixture
def bench():
    """`bench(drive)`: a running core with COMMAND, brought up."""
    engines = []

    def up(drive):
        port = drive_port(drive)
        engine = Compiled(Configuration(**CORE), port.clock)
        engines.append(engine)
        session = CoreBench(engine, port)
        assert session.bring_up()["ready"]
        return session

    yield up
    for engine in engines:
        engine.close()


def compare(smartctl, b):
    data, limits = (fetched(b, name).data for name in ("smart-read-data", "smart-read-thresholds"))
    signature = fetched(b, "smart-return-status").outputs["task_result_lba"] >> 8 & 0xFFFF
    assert signature in (0xC24F, 0x2CF4)
    status, text = told(smartctl, {
        "IDENTIFY DEVICE": b.identify(), "SMART READ ATTRIBUTE VALUES": data,
        "SMART READ ATTRIBUTE THRESHOLDS": limits}, "-i", "-A", "-H", failing=signature == 0x2CF4)
    assert "SMART support is: Enabled" in text and "checksum" not in text.lower()
    found = attributes(data, limits)
    rows = _ROW.findall(text)
    assert [(int(number), int(value), int(worst), int(threshold), kind == "Pre-fail")
            for number, value, worst, threshold, kind, _ in rows] == [
        (one.number, one.value, one.worst, one.threshold, one.prefail) for one in found.values()]
    # smartctl splits the raw value of a temperature into parts, and ours is the whole.
    assert [int(raw) for number, *_, raw in rows if number not in ("190", "194")] == [
        one.raw for one in found.values() if one.number not in (190, 194)]
    return found, status, text


@pytest.mark.parametrize("written, failing", [(0, False), (60, False), (109, True)])
def test_drive_model(bench, judge, written, failing):
    health = Health(written_bytes=written << 30, endurance_bytes=100 << 30, amplification=1.0)
    b = bench(Drive(DiskImage(sectors=1 << 20), health=health))
    found, status, text = compare(judge("smartctl", "smartmontools"), b)
    assert (status & 8 != 0) == failing and ("PASSED" in text) == (not failing)
    assert found[249].raw == written


def test_qemu(bench, judge, qemu):
    smartctl = judge("smartctl", "smartmontools")
    b = bench(QemuDrive(qemu(sectors=1 << 20)))
    found, status, text = compare(smartctl, b)
    assert status == 0 and "PASSED" in text and len(found) >= 5
    for name in "check-power-mode", "standby-immediate", "idle-immediate", "flush-cache":
        fetched(b, name)
