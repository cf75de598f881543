"""A reading of SMART as JSON, and two side by side."""

import json

import pytest
from sata_drive_model import Health
from unit.pc.maintenance.real_drives import RealDrive, row64

from sata_recorder.pc.maintenance import (SmartReading, Task, BadTask, attributes, compared_attributes,
                                       compared_health, health_of, simulated_drive, task)

NOTHING = SmartReading({}, None, "command: timeout")


def reading(status=0xC24F, **health):
    drive = Health(**health)
    found = attributes(drive.data(), drive.thresholds(), simulated_drive())
    return SmartReading(found, health_of(found, status=status, known=simulated_drive()))


def barefoot():
    """Of a drive that tells its erase cycles."""
    found, health = RealDrive("OCZ-ONYX", "1.6", *(row64(206 + n, 100 + n) for n in range(3))).read()
    assert health.erased == (100, 102, 101)
    return SmartReading(found, health)


@pytest.mark.parametrize("one", [
    NOTHING, barefoot(), reading(), reading(0x2CF4, written_bytes=10**14, celsius=80, fails_after=1)])
def test_json(one):
    assert SmartReading.of(json.loads(json.dumps(one.data()))) == one


def test_side_by_side():
    before, after = reading(amplification=2.0, written_bytes=2**30), reading(
        amplification=2.0, written_bytes=2**40, endurance_bytes=2**42, uncorrectable=3)
    told = {name: values for name, *values in compared_health(before, after)}
    assert told["worn"] == ["0 %", "50 %"] and told["verdict"] == ["good", "watch"]
    assert told["write amplification"] == ["2.00", "2.00"]
    assert told["raw bit error rate"] == ["unknown", "unknown"] and "" not in told
    pairs = {pair[0].number: [one.raw for one in pair] for pair in compared_attributes(before, after)}
    assert pairs[187] == [0, 3] and pairs[241] == [2**21, 2**31]


@pytest.mark.parametrize("none", [None, NOTHING])
def test_what_was_not_told_is_unknown(none):
    one = reading(celsius=41)
    assert {name: values for name, *values in compared_health(none, one)}["temperature"] == [
        "unknown", "41 degrees Celsius"]
    assert all(pair[0] is None and pair[1] for pair in compared_attributes(none, one))
    assert list(compared_health(none, none)) == list(compared_attributes(none, none)) == []


@pytest.mark.parametrize("one", [task("smart-read-data"), task("sanitize-block"), task("read-log-dma", lba=4),
                                 Task(0xFF, 0xFFFF, 0xFFFF, 2**48 - 1, 0xFF, "in")])
def test_a_line_is_its_command(one):
    assert Task.of_line(one.line) == one


@pytest.mark.parametrize("line", ["flush", "command 1", "command 1 2 pio 3", "command 1 2 out"])
def test_no_command(line):
    with pytest.raises(BadTask):
        Task.of_line(line)
