"""Which block devices are written: never one in use, never one whose serial number nobody typed."""

from dataclasses import replace

import pytest

from sata_recorder.pc.volume import Refused
from sata_recorder.pc.volume.device import check_device, read_device

FILES = {"size": "1000\n", "dev": "8:16\n", "ro": "0\n", "queue/logical_block_size": "512\n",
         "queue/physical_block_size": "4096\n", "sdb1/partition": "1\n", "sdb1/dev": "8:17\n"}


@pytest.fixture
def folder(tmp_path):
    """What sysfs has of a SATA drive with a partition."""
    made = tmp_path / "sdb"
    for name, text in FILES.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    for name in "holders", "sdb1/holders", "device":
        (made / name).mkdir()
    (made / "device/vpd_pg80").write_bytes(b"\0\x80\0\x14" + b"  WD-1234".ljust(20))
    return made


@pytest.fixture
def proc(tmp_path):
    """An empty /proc."""
    (tmp_path / "proc/self").mkdir(parents=True)
    return tmp_path / "proc"


def test_what_the_system_says(folder):
    device = read_device(folder)
    assert device.serial == "WD-1234" and device.sectors == 1000
    assert (device.logical_bytes, device.physical_bytes) == (512, 4096)
    assert device.numbers == ("8:16", "8:17") and not device.is_partition and not device.holders
    (folder / "device/vpd_pg80").write_bytes(b"\0\x83\0\x04abcd")
    assert read_device(folder).serial is None
    (folder / "device/serial").write_text("NVME1  \n")
    assert read_device(folder).serial == "NVME1"


def test_serial_number(folder, proc):
    device = read_device(folder)
    check_device("/dev/sdb", device, "WD-1234", proc=proc)
    for serial, words in ((None, "give its serial number with --serial"),
                          ("WD-1235", "/dev/sdb has another serial number"),
                          ("", "another serial number")):
        with pytest.raises(Refused, match=words):
            check_device("/dev/sdb", device, serial, proc=proc)
    with pytest.raises(Refused, match="reports no serial number"):
        check_device("/dev/sdb", replace(device, serial=None), None, proc=proc)


@pytest.mark.parametrize("line", ["36 1 8:16 / /data rw - exfat /dev/sdb rw",
                                  "36 1 8:17 / /data rw - ext4 /dev/sdb1 rw"])
def test_mounted(folder, proc, line):
    (proc / "self/mountinfo").write_text(f"1 1 8:32 / / rw - ext4 /dev/sdc rw\n{line}\n")
    with pytest.raises(Refused, match="mounted at /data"):
        check_device("/dev/sdb", read_device(folder), "WD-1234", proc=proc)


@pytest.mark.parametrize("change, words", [
    ({"sdb1/holders/dm-0": ""}, "in use by dm-0"), ({"holders/md0": ""}, "in use by md0"),
    ({"ro": "1"}, "read-only"), ({"queue/logical_block_size": "8192"}, "logical sectors of 8192"),
    ({"partition": "1"}, "is a partition")])
def test_unfit(folder, proc, change, words):
    for name, text in change.items():
        (folder / name).write_text(text)
    with pytest.raises(Refused, match=words):
        check_device("/dev/sdb", read_device(folder), "WD-1234", proc=proc)
