"""Arrays that `prepare --raid` has made, judged by mdadm and by md in a Linux kernel.

Debian 12's kernel, 6.1, has md's linear level; kernels from 6.8 on had not, before it came back (docs/array.md).
"""

import hashlib
import re

import pytest
from sata_drive_model.qemu import PACKAGE

from foreign.linux import boot, unpacked
from foreign.recorded_array import examined, recorded_array
from sata_recorder.facts.array import LINEAR, RAID0
from sata_recorder.pc.array import open_disk
from sata_recorder.pc.volume import Drive, verify

#: Level, chunk in sectors, the sizes of the drives in MiB, and the bytes of their logical sectors.
ARRAYS = [(RAID0, 128, (8, 8), 512), (RAID0, 8, (8, 9, 10), 512), (RAID0, 32, (10, 8, 9, 8), 512),
          (LINEAR, 128, (8, 11, 9), 512), (RAID0, 64, (8, 9), 4096)]
_IDS = ["RAID 0 of 2", "RAID 0 of 3", "RAID 0 of 4", "linear", "RAID 0, long sectors"]


@pytest.fixture
def made(tmp_path):
    """`made(level, chunk, sizes, logical)`: the paths of the images of an array, by lane, and two recordings."""
    def made(level, chunk, sizes, logical):
        return recorded_array(tmp_path, level, [size << 20 for size in sizes], logical, chunk)

    return made


def check_examined(mdadm, level, chunk, sizes, paths):
    found = [examined(mdadm, path) for path in paths]
    where = open_disk(paths)
    with where:
        data = where.geometry.data_sectors
    for lane, one in enumerate(found):
        assert one["Checksum"].endswith("- correct") and one["Version"] == "1.2" and one["State"] == "clean"
        assert one["Raid Level"] == ("raid0" if level == RAID0 else "linear")
        assert one["Raid Devices"] == str(len(sizes)) and one["Device Role"] == f"Active device {lane}"
        assert one["Array State"].startswith(len(sizes) * "A" + " ")
        assert one["Chunk Size" if level == RAID0 else "Rounding"] == f"{chunk // 2}K"
        assert one["Avail Dev Size"].startswith(f"{data[lane]} sectors") and one["Data Offset"] == "2048 sectors"
        assert one["Super Offset"] == "8 sectors" and one["Name"] == "recorder" and one["Events"] == "0"
    for name in "Array UUID", "Creation Time":
        assert len({one[name] for one in found}) == 1
    assert len({one["Device UUID"] for one in found}) == len(sizes)


@pytest.mark.parametrize("level, chunk, sizes, logical", ARRAYS, ids=_IDS)
def test_examined(judge, made, level, chunk, sizes, logical):
    paths, _ = made(level, chunk, sizes, logical)
    check_examined(judge("mdadm"), level, chunk, sizes, paths)


#: Read-only first, as somebody does who only copies; then as a PC mounts it that knows no better.
_SCRIPT = """
export MDADM_NO_UDEV=1
for n in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/{last} ] || sleep 1; done
echo KERNEL $(uname -r)
{mdadm} --assemble --readonly /dev/md0 {disks}
cat /proc/mdstat
echo SIZE $(cat /sys/block/md0/size)
echo WHOLE $(sha256sum < /dev/md0)
mkdir /mnt
for n in 1 2 3 4 5; do [ -b /dev/md0p1 ] || sleep 1; done
mount -t exfat -o ro /dev/md0p1 /mnt && echo MOUNTED
cd /mnt/RECORDINGS
for file in *.dat; do echo FILE $file $(stat -c %s $file) $(sha256sum < $file); done
cd /
umount /mnt
{mdadm} --stop /dev/md0
{mdadm} --assemble /dev/md0 {disks}
for n in 1 2 3 4 5; do [ -b /dev/md0p1 ] || sleep 1; done
mount -t exfat /dev/md0p1 /mnt && echo written by Linux >/mnt/NOTE.TXT
umount /mnt
{mdadm} --stop /dev/md0
"""


@pytest.mark.long
@pytest.mark.parametrize("level, chunk, sizes, logical", ARRAYS, ids=_IDS)
def test_linux_assembles_it(judge, made, tmp_path, level, chunk, sizes, logical):
    """The array is what was written through :class:`sata_recorder.pc.array.ArrayWriter`, byte by byte, its files are
    mounted, and what Linux writes to it keeps it an array whose recordings are whole."""
    qemu = judge("qemu-system-x86_64", PACKAGE)
    root = unpacked(tmp_path, "mdadm")
    mdadm = root / "sbin/mdadm"
    paths, data = made(level, chunk, sizes, logical)
    check_examined(mdadm, level, chunk, sizes, paths)
    with open_disk(paths) as array:
        whole, size = hashlib.sha256(array.read(0, array.size)).hexdigest(), array.size
    names = [f"{'sd' if logical == 512 else 'vd'}{'abcdef'[lane]}" for lane in range(len(sizes))]
    told = boot(qemu, root, tmp_path, paths, _SCRIPT.format(
        mdadm=mdadm, last=names[-1], disks=" ".join(f"/dev/{name}" for name in reversed(names))),
        modules=("raid0", "linear", "exfat"), programs=(mdadm,), keep=True, logical=logical)
    assert "FAILED" not in told and told.count(f"/dev/md0 has been started with {len(sizes)} drives") == 2, told
    assert f"SIZE {size // 512}" in told and f"WHOLE {whole}" in told and "MOUNTED" in told, told
    found = {name: (int(length), digest) for name, length, digest in re.findall(
        r"FILE (\S+) (\d+) ([0-9a-f]{64})", told)}
    assert found == {name: (len(one), hashlib.sha256(one).hexdigest()) for name, one in data.items()}
    with open_disk(paths[::-1]) as array:
        drive = Drive(array.path, array)
        assert verify(drive).problems == [] and drive.state(drive.slots[2]) == "free"
        assert {one.name: drive.read(one).tobytes() for one in drive.recordings} == data
        note = next(node for node in drive.volume.walk() if node.path == "NOTE.TXT")
        assert array.read(512 * drive.volume.lba(note.set.first_cluster), note.set.size) == b"written by Linux\n"
