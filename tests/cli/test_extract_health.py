"""The health of the drive in the sidecar that `sata-recorder extract` writes. An image stands for the device,
and a script for smartctl."""

import json
import os
from pathlib import Path

import pytest

from sata_recorder.pc.volume import DiskReader, finalise_image

#: What smartctl has said of the drive model.
ANSWERS = json.loads((Path(__file__).parents[1] / "unit/pc/maintenance/smartctl_7_3.json").read_text())


@pytest.fixture
def extracted(run, tmp_path, monkeypatch):
    """`extracted(answer, serial)`: the text and the health in the sidecar of a recording of the drive
    ``serial``, where smartctl gives that answer."""
    asked = tmp_path / "asked"
    (tmp_path / "smartctl").write_text(f"#!/bin/sh\necho asked >> {asked}\ncat {tmp_path}/answer\n")
    (tmp_path / "smartctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def extracted(answer, serial="SN0001", *options, device=True, output="out", meta="out.json"):
        Path("answer").write_text(json.dumps(answer))
        monkeypatch.setattr(DiskReader, "is_device", device)
        assert run("prepare", "disk.img", "--size", "8MiB", "--recordings", 1, "--align", "64KiB",
                   "--overwrite").exit_code == 0
        finalise_image("disk.img", 1, 5000, model="M", serial=serial)
        result = run("extract", "disk.img", "-o", output, *options)
        assert result.exit_code == 0, result.output
        times = asked.read_text().count("\n") if asked.exists() else 0
        return result.output, json.loads(Path(meta).read_text()) if meta else None, times

    return extracted


def test_its_health_is_there(extracted):
    text, found, times = extracted(ANSWERS["worn"])
    assert text.startswith("health   watch; reallocated sectors: 3\nwrote    out: ") and times == 2
    assert (found["drive"]["serial"], found["health"]["worn_percent"]) == ("SN0001", 12)
    text, found, _ = extracted(ANSWERS["good"], "SN0001", "--datatype", "ru8", "--sample-rate", 1,
                               output="a.sigmf-data", meta="a.sigmf-meta")
    assert "health   good\n" in text
    assert found["global"]["sata_recorder:recording"]["health"]["verdict"] == "good"


@pytest.mark.parametrize("answer, serial, why", [
    (ANSWERS["worn"], "SN0002", "disk.img is the drive SN0001, and the recording was made on SN0002"),
    (ANSWERS["worn"], None, "the recording's log has no serial number that would show whose health it is"),
    (ANSWERS["no drive"], "SN0001", "smartctl: /dev/vda: Unable to detect device type"),
    (ANSWERS["no SMART"], "SN0001", "the drive has no SMART"), ("junk", "SN0001", "none of its answers in JSON")])
def test_why_it_is_not(extracted, answer, serial, why):
    text, found, _ = extracted(answer, serial)
    assert text.startswith("health   is not in the sidecar: ") and why in text.splitlines()[0]
    assert found["health"] is None


def test_nobody_is_asked(extracted):
    """Of an image, or where there is no sidecar."""
    text, found, times = extracted(ANSWERS["good"], device=False)
    assert "health" not in text and found["health"] is None and times == 0
    text, _, times = extracted(ANSWERS["good"], output="-", meta=None)
    assert "health" not in text and times == 0
