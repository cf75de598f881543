"""Prepared block devices: a loop device of Linux, which stands for a drive."""

import json
import os
import random
import subprocess
from dataclasses import replace

import pytest
from click.testing import CliRunner

from sata_recorder.pc import volume
from sata_recorder.cli.verbs import cli
from sata_recorder.pc.volume import Refused, disk_writer, finalise_image, prepare, verify
from sata_recorder.pc.volume.device import device_of

ALIGN = 64 << 10


@pytest.fixture
def loop(judge, tmp_path):
    """A block device of 8 MiB, full of old data."""
    program = judge("losetup", "mount")
    image = tmp_path / "disk"
    image.write_bytes(random.Random(1).randbytes(8 << 20))
    made = subprocess.run([program, "--find", "--show", image], capture_output=True, text=True,
                          timeout=60)
    if made.returncode:
        pytest.skip(f"losetup: {made.stderr.strip()}")
    path = made.stdout.strip()
    yield path
    subprocess.run([program, "--detach", path], check=True, timeout=60)


@pytest.fixture
def serial(monkeypatch):
    """Loop devices have no serial number; this gives them one."""
    monkeypatch.setattr(disk_writer, "device_of",
                        lambda path: replace(device_of(path), serial="LOOP1"))
    return "LOOP1"


def content(path):
    with open(path, "rb") as file:
        return file.read()


def test_without_a_serial_number(loop):
    before = content(loop)
    for given in None, "", "LOOP1":
        with pytest.raises(Refused, match="reports no serial number"):
            prepare(loop, recordings=3, align=ALIGN, serial=given)
    assert content(loop) == before


def test_refusals(loop, serial):
    before = content(loop)
    for given, words in (None, "give its serial number"), ("LOOP2", "another serial number"):
        for overwrite in False, True:
            with pytest.raises(Refused, match=words):
                prepare(loop, recordings=3, align=ALIGN, serial=given, overwrite=overwrite)
            with pytest.raises(Refused, match=words):
                finalise_image(loop, 1, 1, device_serial=given)
    with pytest.raises(Refused, match="has its own size"):
        prepare(loop, sectors=1000, recordings=3, serial=serial)
    handle = os.open(loop, os.O_RDONLY | os.O_EXCL)     # as a mounted file system has it
    try:
        with pytest.raises(Refused, match="cannot be written: Device or resource busy"):
            prepare(loop, recordings=3, align=ALIGN, serial=serial)
    finally:
        os.close(handle)
    assert content(loop) == before


def test_recordings(loop, serial):
    """Old data are everywhere; nothing of them gets into the file system."""
    prepare(loop, recordings=3, align=ALIGN, serial=serial)
    data = random.Random(2).randbytes(200_001)
    with volume.Drive(loop) as drive:
        assert verify(drive).problems == [] and drive.recordings == []
        lba = drive.slots[1].lba
    with open(loop, "r+b") as file:
        file.seek(512 * lba)
        file.write(data)
    finalise_image(loop, 2, len(data), device_serial=serial)
    with volume.Drive(loop) as drive:
        assert verify(drive).problems == [] and len(verify(drive).checked) == 1
        assert drive.memmap(drive.recordings[0]).tobytes() == data
    with pytest.raises(Refused, match="holds the recording REC00002.dat"):
        prepare(loop, recordings=3, align=ALIGN, serial=serial)
    prepare(loop, recordings=2, align=ALIGN, serial=serial, overwrite=True)
    with volume.Drive(loop) as drive:
        assert drive.recordings == [] and len(drive.slots) == 2


def test_no_health(loop, serial, judge, tmp_path):
    """smartctl finds no drive for a loop device, and the tool reports it; the recording is there without."""
    judge("smartctl", "smartmontools")
    prepare(loop, recordings=1, align=ALIGN, serial=serial)
    finalise_image(loop, 1, 5000, device_serial=serial, model="M", serial="SN0001")
    result = CliRunner().invoke(cli, ["extract", loop, "-o", str(tmp_path / "out")])
    assert result.exit_code == 0
    assert result.output.startswith(f"health   is not in the sidecar: smartctl: {loop}: ")
    assert json.loads((tmp_path / "out.json").read_text())["health"] is None
