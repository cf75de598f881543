"""What recorders with arrays left on their drives when power or a drive failed, judged by md, exfat and the programs of
Debian 12's Linux: many arrays a boot."""

import hashlib
import random
import re
from typing import NamedTuple

import pytest
from integration import test_array_mirror_files as mirrors
from integration import test_array_power as arrays
from integration.files_station import CACHES
from integration.mirrors import PLACE, chosen
from sata_drive_model.qemu import PACKAGE
from unit.bricks.files.world import pattern

from foreign.linux import boot, unpacked
from sata_recorder.facts.array import LINEAR, RAID0
from sata_recorder.pc.array import open_disk, prepare_array

pytestmark = pytest.mark.long

_SIZES = 30_000, 90_000, 60_000, 4
_BEGIN = """
export MDADM_NO_UDEV=1
for n in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/{last} ] || sleep 1; done
mkdir /mnt
"""
#: What a PC does that finds the drives: md decides which it takes, and resynchronises them.
_SET = """
echo SET {number}
{mdadm} --assemble --run /dev/md0 {disks} 2>&1
cat /proc/mdstat
for n in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/md0p1 ] || sleep 1; done
for n in 1 2 3 4 5 6 7 8 9 10; do
    case "$(cat /sys/block/md0/md/sync_action 2>&1)" in idle|cat*) break;; esac
    sleep 1
done
mount -t exfat -o ro /dev/md0p1 /mnt
for file in /mnt/RECORDINGS/*.dat; do
    echo FILE $(basename $file) $(stat -c %s $file) $(sha256sum < $file)
done
umount /mnt
{mdadm} --stop /dev/md0 2>&1
"""


class LeftSet(NamedTuple):
    """The drives of an array that are to be judged."""

    images: list        # their contents, by lane
    whole: bytes        # what a PC without md reads: of mirrors one that md has to take
    lanes: list         # those that md has to take
    files: dict         # name to content, of those that are there


def of_mirrors(folder, rng, cuts, failure):
    """Sets of RAID 1 after power cuts, often while superblocks are marked, and at the end. In the second recording a
    lane fails: a sector in the middle of a command, or the drive is unplugged."""
    recorder = mirrors.recorder_on(mirrors.prepared(folder))
    recorder.until(mirrors.STATES)
    data = {}
    for index, size in enumerate(_SIZES):
        if failure == "sector" and index == 1:
            with mirrors.on_pc(folder, recorder.images[0].content) as volume:
                recorder.bench.ports[1].drive.behaviour.fail_lba = volume.slots[1].lba + 30
        slot = recorder.record(pattern(size, index), unplug=0 if failure == "unplugged" and index == 1 else None)
        data[slot] = pattern(size, index)
    recorder.until(mirrors.STATES)
    last = recorder.clock
    assert recorder.bench.dropped() == {"sector": 2, "unplugged": 1, None: 0}[failure]
    marks = [when for image in recorder.images for when, lba, _ in image.log if lba == PLACE]
    for number in range(cuts):
        clock = last if not number else (
            rng.randrange(last) if number % 3 == 0 else max(0, rng.choice(marks) + rng.randrange(-300, 1200)))
        images = [mirrors.LoggedImage(image.cut(clock, rng.choice(CACHES), rng)) for image in recorder.images]
        lanes = chosen(images)
        contents = [image.content for image in images]
        found = mirrors.check(folder, contents[lanes[0]], data, recorder.promises, clock, whole=False)
        yield LeftSet(contents, contents[lanes[0]], lanes, named(found, data))


def of_lanes(folder, rng, cuts, kind):
    """Sets of RAID 0 or linear after power cuts."""
    drives, _, chunk = next(one for one in arrays.KINDS if one[1] == kind)
    paths = [folder / f"{kind}{lane}.img" for lane in range(drives)]
    prepare_array(paths, {"raid0": RAID0, "linear": LINEAR}[kind], sectors=4096, recordings=4, align=16 << 10,
                  chunk_sectors=chunk)
    recorder = arrays.recorder_on(kind, chunk, paths)
    data = {recorder.record(pattern(size, index)): pattern(size, index) for index, size in enumerate(_SIZES)}
    for _ in range(cuts):
        clock = rng.randrange(recorder.clock)
        arrays.cut(recorder.images, paths, clock, rng)
        found = arrays.check(paths, data, recorder.promises, clock, whole=False)
        with open_disk(paths) as disk:
            whole = disk.read(0, disk.size)
        yield LeftSet([path.read_bytes() for path in paths], whole, [*range(drives)], named(found, data))


def named(found, data):
    return {one.name.rpartition("/")[2]: data[slot][:one.bytes] for slot, one in found.items()}


def name_of(place):
    return f"vd{'abcdefghijklmnopqrstuvwxyz'[place]}"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """The folder of the kernel and its programs."""
    return unpacked(tmp_path_factory.mktemp("linux"), "mdadm")


@pytest.mark.parametrize("failure", [None, "sector", "unplugged"])
@pytest.mark.parametrize("seed", range(9))
def test_linux_has_what_the_user_was_told_of(judge, fsck, root, tmp_path, seed, failure):
    """md takes the drives that it should, alone where one was dropped, and their files are those that the user was told
    of, whole. fsck.exfat finds the volume clean."""
    qemu = judge("qemu-system-x86_64", PACKAGE)
    mdadm = root / "sbin/mdadm"
    rng = random.Random(seed)
    sets = [*of_mirrors(tmp_path, rng, 8, failure), *of_lanes(tmp_path, rng, 2, "raid0"),
            *of_lanes(tmp_path, rng, 2, "linear")]
    paths, script = [], ""
    for number, one in enumerate(sets):
        names, image = [], tmp_path / "whole.img"
        image.write_bytes(one.whole)
        fsck(str(image))
        for lane, content in enumerate(one.images):
            names.append(f"/dev/{name_of(len(paths))}")
            paths.append(tmp_path / f"set{number}-{lane}.img")
            paths[-1].write_bytes(content)
        script += _SET.format(number=number, mdadm=mdadm, disks=" ".join(names))
    script = _BEGIN.format(last=name_of(len(paths) - 1)) + script
    told = boot(qemu, root, tmp_path, paths, script, modules=("raid0", "raid1", "linear", "exfat"), programs=(mdadm,),
                keep=True)
    assert "FAILED" not in told, told
    for number, one in enumerate(sets):
        of_set = told.partition(f"SET {number}\n")[2].partition("SET ")[0]
        degraded = len(one.lanes) < len(one.images)
        started = "1 drive (out of 2)" if degraded else f"{len(one.lanes)} drives"
        assert f"/dev/md0 has been started with {started}." in of_set, (number, of_set)
        if degraded:
            assert f"[2/1] [{'U_' if one.lanes == [0] else '_U'}]" in of_set, (number, of_set)
        files = {name: (int(size), digest) for name, size, digest in re.findall(
            r"FILE (\S+\.dat) (\d+) ([0-9a-f]{64})", of_set)}
        assert files == {name: (len(content), hashlib.sha256(content).hexdigest())
                         for name, content in one.files.items()}, (number, of_set)
    assert any(len(one.lanes) == 1 for one in sets) == (failure is not None)
    # The first one is that of the end.
    assert len(sets[0].files) == len(_SIZES)
