"""Arrays of block devices: loop devices of Linux, which stand for drives."""

import random
import subprocess
from dataclasses import replace

import pytest
from click.testing import CliRunner

from sata_recorder.cli.verbs import cli
from sata_recorder.facts.array import RAID0, RAID1, mirror_superblock_lba
from sata_recorder.pc.array import compare_mirrors, open_disk, open_target, opening, prepare_array
from sata_recorder.pc.volume import Drive, Refused, disk_writer, finalise_target, verify
from sata_recorder.pc.volume.device import device_of

ALIGN = 64 << 10
SIZES = 8 << 20, 9 << 20


@pytest.fixture
def loops(judge, tmp_path, monkeypatch):
    """Two block devices full of old data, and their serial numbers, LOOP0 and LOOP1."""
    program = judge("losetup", "mount")
    paths = []
    try:
        for number, size in enumerate(SIZES):
            image = tmp_path / f"disk{number}"
            image.write_bytes(random.Random(number).randbytes(size))
            made = subprocess.run([program, "--find", "--show", image], capture_output=True, text=True, timeout=60)
            if made.returncode:
                pytest.skip(f"losetup: {made.stderr.strip()}")
            paths.append(made.stdout.strip())
        serials = {path: f"LOOP{number}" for number, path in enumerate(paths)}
        for module in disk_writer, opening:     # loop devices have none
            monkeypatch.setattr(module, "device_of",
                                lambda path: replace(device_of(path), serial=serials[str(path)]))
        yield paths
    finally:
        for path in paths:
            subprocess.run([program, "--detach", path], check=True, timeout=60)


def contents(paths):
    found = []
    for path in paths:
        with open(path, "rb") as file:
            found.append(file.read())
    return found


@pytest.mark.parametrize("serials, words", [
    ([], "{0}: is a block device, all on it would be lost"), (["LOOP0"], "{1}: is a block device, all on it"),
    (["LOOP1"], "{0}: is a block device, all on it"), (["LOOP1", "LOOP2"], "--serial LOOP2: {0} has another serial"),
    (["LOOP0", "LOOP1", "LOOP2"], "--serial LOOP2: is that of none of these drives")])
def test_serial_numbers(loops, serials, words):
    """Each must have been typed: else nothing is written to any."""
    before = contents(loops)
    for overwrite in False, True:
        with pytest.raises(Refused) as error:
            prepare_array(loops, RAID0, recordings=3, align=ALIGN, serials=serials, overwrite=overwrite)
        assert words.format(*loops) in str(error.value)
    assert contents(loops) == before


def test_one_is_in_use(loops):
    before = contents(loops)
    with disk_writer.new_target(loops[1], serial="LOOP1"), \
            pytest.raises(Refused, match=f"{loops[1]}: cannot be written: Device or resource busy"):
        prepare_array(loops, RAID0, recordings=3, align=ALIGN, serials=["LOOP0", "LOOP1"])
    assert contents(loops) == before


def test_recordings(loops):
    """Old data are everywhere; nothing of them gets into the file system, nor looks like another array."""
    prepare_array(loops, RAID0, recordings=3, align=ALIGN, serials=["LOOP1", "LOOP0"])
    for content, size in zip(contents(loops), SIZES, strict=True):
        assert not any(content[:4096]) and not any(content[4096 + 512:2048 * 512])
        assert not any(content[-(128 << 10):]) or size == SIZES[0]
    data = random.Random(2).randbytes(200_001)
    with pytest.raises(Refused, match="give its serial number"), open_target(loops):
        pass
    with open_target(loops, ["LOOP1", "LOOP0"]) as target:
        target.write(Drive(target.path, target).slots[1].lba, data.ljust(391 * 512, b"\0"))
        finalise_target(target, 2, len(data))
    with open_disk(loops[::-1]) as array:
        drive = Drive(array.path, array)
        assert verify(drive).problems == [] and drive.read(drive.recordings[0]).tobytes() == data
    result = CliRunner().invoke(cli, ["prepare", *loops, "--raid", "linear", "--recordings", "1", "--align", "64KiB",
                                      "--serial", "LOOP0", "--serial", "LOOP1"])
    assert result.exit_code == 2 and "holds the recording REC00002.dat; --overwrite permits" in result.output
    result = CliRunner().invoke(cli, ["prepare", *loops, "--raid", "linear", "--recordings", "1", "--align", "64KiB",
                                      "--serial", "LOOP0", "--serial", "LOOP1", "--overwrite"])
    assert result.exit_code == 0 and "raid        2 drives, linear" in result.output, result.output
    result = CliRunner().invoke(cli, ["prepare", *loops, "--raid", "0", "--size", "8MiB", "--recordings", "1"])
    assert result.exit_code == 2 and "--size: not for" in result.output


def test_mirrors(loops):
    """Old data stay where no file is; the drives are mirrors for md, and are not written one at a time."""
    places = [mirror_superblock_lba(size // 512) for size in SIZES]
    with pytest.raises(Refused, match=f"{loops[1]}: is a block device, all on it would be lost"):
        prepare_array(loops, RAID1, recordings=3, align=ALIGN, serials=["LOOP0"])
    prepare_array(loops, RAID1, recordings=3, align=ALIGN, serials=["LOOP1", "LOOP0"])
    for content, place in zip(contents(loops), places, strict=True):
        assert content[512 * place:][:4] == bytes.fromhex("fc4e2ba9") and not any(content[512 * place + 512:])
    data = random.Random(2).randbytes(200_001)
    for serials in ["LOOP0"], ["LOOP1"]:
        with pytest.raises(Refused, match="give its serial number"), open_target(loops, serials):
            pass
    with open_target(loops, ["LOOP1", "LOOP0"]) as target:
        target.write(Drive(target.path, target).slots[1].lba, data.ljust(391 * 512, b"\0"))
        finalise_target(target, 2, len(data))
    with pytest.raises(Refused, match="is not written alone"), open_target(loops[1:], ["LOOP1"]):
        pass
    for paths in loops, loops[::-1], loops[:1], loops[1:]:
        with open_disk(paths) as source:
            drive = Drive(source.path, source)
            found = verify(drive)
            compare_mirrors(drive, found)
            assert found.problems == [] and drive.read(drive.recordings[0]).tobytes() == data
            assert source.is_device == (len(paths) == 1)
            [note] = found.notes
            assert ("the mirrors differ where no file is" if len(paths) == 2 else "was not looked at") in note
