"""Answers of smartctl 7.3, as it has given them of the drive model and of this machine, and what is none."""

import copy
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sata_recorder.pc.maintenance import DriveVerdict, NoHealth, drive_health
from sata_recorder.pc.maintenance.smartctl import health_told, parsed_answer

ANSWERS = json.loads(Path(__file__).with_name("smartctl_7_3.json").read_text())
ASKED = datetime(2026, 11, 23, 12, 0, 0, 500_000, UTC)


def told(answer, serial="SN0001"):
    return health_told(parsed_answer(json.dumps(answer).encode()), "/dev/sdb", serial, ASKED)


def changed(name, value, answer="worn"):
    """An answer with another value at the end of the path ``name``; Ellipsis: without it."""
    whole = copy.deepcopy(ANSWERS[answer])
    *path, last = name.split(".")
    place = whole
    for word in path:
        place = place[int(word) if word.isdecimal() else word]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return whole


def test_what_it_says():
    found = told(ANSWERS["worn"], serial=" SN0001 ")
    attributes = {one["number"]: one for one in found.fields.pop("attributes")}
    assert found.fields == {
        "asked": "2026-11-23T12:00:00Z", "smartctl": "7.3", "passed": True, "verdict": "watch",
        "reasons": ["reallocated sectors: 3"], "celsius": 35, "worn_percent": 12, "worn_at_least": False,
        "spare_percent": 100, "written_bytes": 5368709120,
        "attributes_known_by": "docs/drive-model.md, the drive model", "reallocated_sectors": 3, "power_on_hours": 77}
    assert (found.verdict, found.reasons) == (DriveVerdict.WATCH, ("reallocated sectors: 3",))
    assert {number: one["raw"] for number, one in attributes.items()} == {
        5: 3, 9: 77, 12: 1, 187: 0, 194: 35, 199: 0, 232: 100, 233: 12, 241: 10485760, 242: 0, 249: 12}
    assert attributes[5] == {"number": 5, "name": "Reallocated_Sector_Ct", "value": 100, "worst": 100,
                             "threshold": 10, "raw": 3}


def statistic(offset, value, valid=True):
    return {"offset": offset, "value": value, "flags": {"valid": valid}}


def test_device_statistics_come_first():
    """As smartctl -l devstat has them."""
    answer = ANSWERS["worn"] | {"ata_device_statistics": {"pages": [
        {"number": 1, "table": [statistic(16, 78), statistic(24, 1000)]},
        {"number": 5, "table": [statistic(8, 90, valid=False)]},
        {"number": 7, "table": [statistic(8, 255)]}]}}
    fields = told(answer).fields
    assert (fields["worn_percent"], fields["worn_at_least"], fields["written_bytes"]) == (255, True, 512_000)
    assert fields["celsius"] == 35 and "worn to at least 255 %" in fields["reasons"]


@pytest.mark.parametrize("log", [5, [], {"pages": 5}, {"pages": [5, {"table": 7}, {"number": 7, "table": [5, {}]}]},
                                 {"pages": [{"number": 7, "table": [{"offset": 8, "flags": {"valid": True}}]}]}])
def test_statistics_that_are_none(log):
    assert told(ANSWERS["worn"] | {"ata_device_statistics": log}).fields["worn_percent"] == 12


@pytest.mark.parametrize("celsius", [0, 128, 255, -1, True, "35"])
def test_a_temperature_that_is_none(celsius):
    assert told(changed("temperature.current", celsius)).fields["celsius"] == 35


def test_an_indilinx_barefoot():
    """smartctl's database has its attributes as one count of 64 bits, without normalised values."""
    answer = ANSWERS["good"] | {"model_name": "OCZ-ONYX", "ata_smart_attributes": {"table": [
        {"id": number, "name": "A", "raw": {"value": raw}} for number, raw in ((9, 2109), (209, 86))]}}
    del answer["power_on_time"]
    fields = told(answer).fields
    assert (fields["worn_percent"], fields["power_on_hours"]) == (14, 2109)


def test_a_failing_drive():
    found = told(ANSWERS["failing"])
    assert (found.verdict, found.fields["passed"]) == (DriveVerdict.FAILING, False)
    assert any("spare left: 10, threshold 10" in reason for reason in found.reasons)


def test_what_the_drive_alone_does_not_say():
    """smartctl's own reading of temperature and hours wins, as its database knows the drive."""
    assert told(ANSWERS["good"]).verdict is DriveVerdict.GOOD
    assert told(changed("temperature.current", 41)).fields["celsius"] == 41
    assert told(changed("power_on_time.hours", 5)).fields["power_on_hours"] == 5
    fields = told(changed("ata_smart_attributes", ...)).fields
    assert (fields["verdict"], fields["worn_percent"], fields["attributes"]) == ("good", None, [])
    assert told(changed("smart_status", ...)).fields["passed"] is None


@pytest.mark.parametrize("missing", [("thresh",), ("thresh", "worst"), ("thresh", "worst", "value")])
def test_columns_that_are_not_there(missing):
    """Drives without a page of thresholds, and rows that smartctl's database reads as one raw number."""
    answer = copy.deepcopy(ANSWERS["worn"])
    for row in answer["ata_smart_attributes"]["table"]:
        for name in missing:
            del row[name]
    found = told(answer)
    assert found.verdict is DriveVerdict.WATCH and found.fields["reasons"] == ["reallocated sectors: 3"]
    first = found.fields["attributes"][0]
    assert first["threshold"] is None and first["raw"] == 3
    assert (first["value"] is None) == ("value" in missing)
    assert found.fields["worn_percent"] == (None if "value" in missing else 12)


@pytest.mark.parametrize("passed", [True, False])
def test_a_verdict_that_is_smartctls_own(passed):
    """The drive, or the bridge before it, did not answer SMART RETURN STATUS."""
    answer = changed("smart_status.passed", passed, "good")
    text = "Warning: This result is based on an Attribute check."
    answer["smartctl"] |= {"exit_status": 4, "messages": [{"string": text, "severity": "warning"}]}
    found = told(answer)
    assert found.fields["passed"] is None and found.verdict is DriveVerdict.UNKNOWN
    assert found.reasons[-1] == f"smartctl: {text}"


def test_a_command_that_failed():
    answer = copy.deepcopy(ANSWERS["good"])
    answer["smartctl"]["exit_status"] = 4
    found = told(answer)
    assert (found.fields["passed"], found.verdict) == (True, DriveVerdict.WATCH)
    assert found.reasons == ("a SMART command failed, or its data had a wrong checksum",)


@pytest.mark.parametrize("answer, why", [
    (ANSWERS["no SMART"], "the drive has no SMART"),
    (ANSWERS["no drive"], "smartctl: /dev/vda: Unable to detect device type"),
    (changed("smart_support.enabled", False), "SMART is switched off in the drive"),
    (changed("serial_number", "SN0002"), "/dev/sdb is the drive SN0002, and the recording was made on SN0001"),
    (changed("serial_number", "SN\n\x1b[2J" + "9" * 999),
     "/dev/sdb is the drive SN ?[2J" + "9" * 153 + ", and the recording was made on SN0001"),
    (changed("serial_number", ...), "smartctl reports no serial number of the drive"),
    (changed("serial_number", 5), "smartctl reports no serial number of the drive"),
    (changed("smart_status.passed", "yes"), "smartctl's answer is not as it should be"),
    (changed("ata_smart_attributes.table", {}), "smartctl's answer is not as it should be"),
    *[(changed(f"ata_smart_attributes.table.2.{name}", value),
       "an attribute of smartctl's answer is not as it should be")
      for name, value in (("id", 256), ("id", True), ("value", -1), ("worst", "9"), ("raw.value", "5"),
                          ("raw.value", 1 << 64), ("raw", [1]))],
    (changed("ata_smart_attributes.table", [None]), "an attribute of smartctl's answer is not as it should be"),
    ({"smartctl": {}, "serial_number": "SN0001"}, "the drive reports nothing by SMART"),
    ({"smartctl": {"messages": [5, {}, {"string": "a\n b"}]}, "serial_number": "SN0001"}, "smartctl: a b"),
    ({"smartctl": {"messages": 5}}, "smartctl reports no serial number of the drive")])
def test_what_is_not_taken(answer, why):
    with pytest.raises(NoHealth) as error:
        told(answer)
    assert str(error.value) == why


@pytest.mark.parametrize("answer", [
    b"", b"smartctl 7.3\n", b"\xff\0", b"[]", b"5", b"{}", b'{"smartctl": 1}', b"[" * 100_000, b'{"a": ' * 100_000])
def test_junk(answer):
    with pytest.raises(NoHealth, match="none of its answers in JSON"):
        parsed_answer(answer)


@pytest.fixture
def program(tmp_path, monkeypatch):
    """`program(text)`: a shell script in the place of smartctl."""
    def program(text):
        path = tmp_path / "smartctl"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return program


def test_it_is_asked(program, tmp_path):
    """For what -A has and then for a log, read-only, by the name of the device itself, and its exit status is a part
    of its answer."""
    link, seen = tmp_path / "by-id", tmp_path / "seen"
    link.symlink_to("/dev/null")
    (tmp_path / "answer").write_text(json.dumps(ANSWERS["failing"]))
    program(f'echo "$@" >> {seen}; cat {tmp_path}/answer; exit 24')
    before = datetime.now(UTC).replace(microsecond=0)
    found = drive_health(link, "SN0001")
    assert found.verdict is DriveVerdict.FAILING
    assert before <= datetime.fromisoformat(found.fields["asked"]) <= datetime.now(UTC)
    assert seen.read_text() == "--json -i -H -A /dev/null\n--json -l devstat /dev/null\n"


@pytest.mark.wide
@pytest.mark.parametrize("text", ["exec sleep 9", "sleep 9", "while :; do echo; done"])
def test_a_program_that_hangs(program, text):
    """Its children, too, which hold the pipe."""
    program(text)
    with pytest.raises(NoHealth, match="did not answer within 0.2 s"):
        drive_health("/dev/null", "SN0001", patience=0.2)


def test_a_program_that_dies(program):
    program("kill -9 $$")
    with pytest.raises(NoHealth, match="none of its answers"):
        drive_health("/dev/null", "SN0001")


def test_without_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sata_recorder.pc.maintenance.smartctl_program.FOLDERS", str(tmp_path))
    with pytest.raises(NoHealth, match="smartctl of smartmontools is not installed"):
        drive_health("/dev/null", "SN0001")
    for serial in None, "":
        with pytest.raises(NoHealth, match="log has no serial number"):
            drive_health("/dev/null", serial)
    (tmp_path / "smartctl").write_text("#!/no/such/program\n")
    (tmp_path / "smartctl").chmod(0o755)
    with pytest.raises(NoHealth, match="No such file"):
        drive_health("/dev/null", "SN0001")
