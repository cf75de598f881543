"""Mirrors that `prepare --raid 1` has made, judged by mdadm, fsck.exfat and md in Debian 12's Linux kernel."""

import hashlib
import os
import random
import re

import pytest
from sata_drive_model.qemu import PACKAGE

from foreign.linux import boot, unpacked
from foreign.recorded_array import examined, recorded_array
from sata_recorder.facts.array import CLEAN, RAID1, mirror_superblock_lba
from sata_recorder.pc.array import MirrorReader, compare_mirrors, members, open_disk, open_target, superblock_of
from sata_recorder.pc.volume import DiskReader, Drive, Refused, finalise_target, verify
from unit.pc.array.members_on_disk import change, mark

#: Of the drives, in bytes: they need not be whole MiB.
SIZES = (8 << 20) + 4096, (9 << 20) + 512


@pytest.fixture
def pair(tmp_path):
    """The paths of two mirrors, and what their recordings are, by name."""
    return recorded_array(tmp_path, RAID1, SIZES)


def check_examined(mdadm, paths, state="clean", events="2", members="AA"):
    """Each as it is to be; the smaller drive decides how much is used."""
    found = [examined(mdadm, path) for path in paths]
    places = [mirror_superblock_lba(os.path.getsize(path) // 512) for path in paths]
    for lane, one in enumerate(found):
        assert one["Checksum"].endswith("- correct") and one["Version"] == "1.0" and one["State"] == state
        assert one["Raid Level"] == "raid1" and one["Raid Devices"] == "2" and one["Name"] == "recorder"
        assert one["Device Role"] == f"Active device {lane}" and one["Array State"].startswith(members + " ")
        assert one["Super Offset"] == f"{places[lane]} sectors" and one["Events"] == events
        assert one["Avail Dev Size"].startswith(f"{min(places)} sectors")
        assert one["Array Size"].startswith(f"{min(places) // 2} KiB") and "Data Offset" not in one
    for name in "Array UUID", "Creation Time":
        assert len({one[name] for one in found}) == 1
    assert len({one["Device UUID"] for one in found}) == len(paths)


def test_examined(judge, pair):
    mdadm, (paths, _) = judge("mdadm"), pair
    check_examined(mdadm, paths)
    for path in paths:
        mark(path, events=3, resync=0)
    check_examined(mdadm, paths, "active", "3")
    mark(paths[1], events=5, dropped=0)
    check_examined(mdadm, paths[:1], "active", "3")
    assert examined(mdadm, paths[1])["Array State"].startswith(".A ")


def test_each_alone_has_a_sound_file_system(fsck, pair):
    for path in pair[0]:
        fsck(path)


_BEGIN = """
export MDADM_NO_UDEV=1
for n in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/sdb ] || sleep 1; done
echo KERNEL $(uname -r)
mkdir /mnt
files() {{
    cd /mnt/RECORDINGS
    for file in *.dat; do echo $1 $file $(stat -c %s $file) $(sha256sum < $file); done
    cd /
}}
"""
_STOP = """
umount /mnt
{mdadm} --stop /dev/md0
"""
#: Each alone, as a PC does that knows no md; both, read-only; then as a PC mounts them that writes.
_BOTH = _BEGIN + """
for disk in sda sdb; do
    mount -t exfat -o ro /dev/${{disk}}1 /mnt && files ALONE-$disk
    umount /mnt
done
{mdadm} --assemble --readonly /dev/md0 /dev/sdb /dev/sda
cat /proc/mdstat
echo SIZE $(cat /sys/block/md0/size)
echo WHOLE $(sha256sum < /dev/md0)
for n in 1 2 3 4 5; do [ -b /dev/md0p1 ] || sleep 1; done
mount -t exfat -o ro /dev/md0p1 /mnt && files FILE
""" + _STOP + """
{mdadm} --assemble /dev/md0 /dev/sda /dev/sdb
for n in 1 2 3 4 5; do [ -b /dev/md0p1 ] || sleep 1; done
mount -t exfat /dev/md0p1 /mnt && echo written by Linux >/mnt/NOTE.TXT
""" + _STOP
#: What md does with them by itself, until there is nothing left to resynchronise.
_STARTED = _BEGIN + """
{mdadm} --assemble --run /dev/md0 /dev/sda /dev/sdb 2>&1
cat /proc/mdstat
for n in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/md0p1 ] || sleep 1; done
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ "$(cat /sys/block/md0/md/sync_action)" = idle ] || sleep 1
done
cat /proc/mdstat
mount -t exfat -o ro /dev/md0p1 /mnt && files FILE
""" + _STOP


#: A new drive takes the place of the one that was dropped. Which of the two gets which name is left to chance: the
#: survivor is the larger one.
_REPLACED = _BEGIN + f"""
new=sda; survivor=sdb
[ $(cat /sys/block/sda/size) = {SIZES[1] // 512} ] && new=sdb && survivor=sda
echo SURVIVOR $(cat /sys/block/$survivor/size)
""" + """
{mdadm} --assemble --run /dev/md0 /dev/$survivor 2>&1
{mdadm} --zero-superblock /dev/$new
{mdadm} --add /dev/md0 /dev/$new 2>&1
{mdadm} --wait /dev/md0
cat /proc/mdstat
{mdadm} --stop /dev/md0
"""


def started(judge, tmp_path, paths, script, logical=512):
    """What a kernel tells that has the drives, with logical sectors of so many bytes."""
    qemu = judge("qemu-system-x86_64", PACKAGE)
    root = unpacked(tmp_path, "mdadm")
    mdadm = root / "sbin/mdadm"
    if logical != 512:
        script = re.sub(r"\bsd([ab])\b", r"vd\1", script)
    told = boot(qemu, root, tmp_path, list(paths), script.format(mdadm=mdadm), modules=("raid1", "exfat"),
                programs=(mdadm,), keep=True, logical=logical)
    assert "FAILED" not in told, told
    return told


def files(told, word="FILE"):
    """Those that the kernel has read, as (bytes, SHA-256) by name."""
    return {name: (int(size), digest) for name, size, digest in re.findall(
        rf"{word} (\S+) (\d+) ([0-9a-f]{{64}})", told)}


def digests(data):
    return {name: (len(one), hashlib.sha256(one).hexdigest()) for name, one in data.items()}


def sound(paths, data, notes=()):
    """What is read here afterwards: all recordings, and mirrors that are alike."""
    with open_disk(paths) as source:
        drive, found = Drive(source.path, source), verify(Drive(source.path, source))
        compare_mirrors(drive, found)
        assert found.problems == [] and found.notes == list(notes), found
        assert {one.name: drive.read(one).tobytes() for one in drive.recordings} == data
        return {node.path for node in drive.volume.walk()}


@pytest.mark.long
@pytest.mark.parametrize("logical", [512, 4096])
def test_linux_assembles_them(judge, tmp_path, logical):
    """And each alone is mounted; what Linux writes to both leaves them alike, with equal events."""
    paths, data = recorded_array(tmp_path, RAID1, [size // logical * logical for size in SIZES], logical)
    with open_disk(paths) as array:
        whole, size = hashlib.sha256(array.read(0, array.size)).hexdigest(), array.size
    told = started(judge, tmp_path, paths, _BOTH, logical)
    assert told.count("/dev/md0 has been started with 2 drives") == 2, told
    assert "[2/2] [UU]" in told and f"SIZE {size // 512}" in told and f"WHOLE {whole}" in told, told
    for word in "FILE", *(f"ALONE-{'sd' if logical == 512 else 'vd'}{letter}" for letter in "ab"):
        assert files(told, word) == digests(data), told
    assert "NOTE.TXT" in sound(paths[::-1], data)
    with DiskReader(paths[0]) as one, DiskReader(paths[1]) as other:
        found = members([one, other])
        assert found.superblocks[0].events > 2 and found.superblocks[0].resync == CLEAN


@pytest.mark.long
@pytest.mark.parametrize("lane", [0, 1])
@pytest.mark.parametrize("is_dirty", [True, False])
def test_linux_starts_the_one_that_survived(judge, pair, tmp_path, lane, is_dirty):
    """A recorder has dropped ``lane`` while it recorded: what that one has is old, and the other one is started alone,
    whether the power failed then or the recording ended."""
    paths, data = pair
    survivor = paths[1 - lane]
    for path in paths:
        mark(path, events=3, resync=0)
    with Drive(survivor) as drive:
        lba = drive.slots[0].lba
    change(paths[lane], lba, random.Random(9).randbytes(100_000))
    mark(survivor, events=5, dropped=lane)
    if not is_dirty:
        mark(survivor, events=6, resync=CLEAN)
    with pytest.raises(Refused, match=f"{paths[lane]}: is in the array no more"):
        open_disk(paths)
    told = started(judge, tmp_path, paths, _STARTED)
    assert "has been started with 1 drive (out of 2)" in told and f"[2/1] [{'U_' if lane else '_U'}]" in told, told
    assert files(told) == digests(data), told
    with open_disk([survivor]) as source:
        assert source.is_degraded and {one.name: Drive(survivor, source).read(one).tobytes()
                                       for one in Drive(survivor, source).recordings} == data


@pytest.mark.long
def test_linux_makes_dirty_ones_alike(judge, pair, tmp_path):
    """Those that a failure of the power has left unlike: with what lane 0 has, which is what is read here, too."""
    paths, data = pair
    with Drive(paths[0]) as drive:
        lba = drive.slots[2].lba
    change(paths[1], lba, random.Random(9).randbytes(100_000))
    for path in paths:
        mark(path, events=3, resync=0)
    with open_disk(paths) as source:
        assert isinstance(source, MirrorReader) and source.notes[0].startswith("not marked clean")
        assert source.read(512 * lba, 512) == bytes(512)
    told = started(judge, tmp_path, paths, _STARTED)
    assert "has been started with 2 drives" in told and files(told) == digests(data), told
    sound(paths, data)
    with DiskReader(paths[1]) as disk:
        assert disk.read(512 * lba, 100_000) == bytes(100_000)


@pytest.mark.long
def test_linux_replaces_a_drive(judge, pair, tmp_path):
    """With `mdadm --add`: afterwards there are two mirrors again, of which the new one has a number of its own."""
    paths, data = pair
    mark(paths[1], events=4, dropped=0)
    with open(paths[0], "r+b") as file:
        file.write(random.Random(9).randbytes(1 << 20))
    told = started(judge, tmp_path, paths, _REPLACED)
    assert f"SURVIVOR {SIZES[1] // 512}" in told and "mdadm: added /dev/sd" in told and "[2/2] [UU]" in told, told
    sound(paths, data)
    with DiskReader(paths[0]) as disk:
        assert superblock_of(disk).lane == 0 and disk.read(512 * superblock_of(disk).lba + 160, 4) == b"\2\0\0\0"
    with open_target(paths) as target:
        finalise_target(target, 3, 1000)
    assert "RECORDINGS/REC00003.dat" in sound(paths, data | {"REC00003.dat": bytes(1000)})
