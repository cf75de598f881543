"""Linux works with a prepared drive between two recordings: they cost none of its files a byte, and are
there when it looks again."""

import hashlib
import random
import re
import shutil

import pytest
from drive_images import prepared, saved
from sata_drive_model.qemu import PACKAGE

from foreign.at_work import files_of, recorded
from foreign.linux import boot, unpacked
from sata_recorder import outputs
from sata_recorder.pc.volume import Drive, Refused, finalise_image, renew, verify

pytestmark = pytest.mark.long

SLOTS, SECTORS = 20, 64 << 11
MOUNT = """
for n in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/sda1 ] || sleep 1; done
mkdir /mnt
mount -t exfat /dev/sda1 /mnt && echo MOUNTED
cd /mnt
"""
SHOW = """
find . -type f ! -name '*.unused' | while read -r file; do echo "FILE $(sha256sum "$file")"; done
"""
UNMOUNT = """
cd /
umount /mnt && echo UNMOUNTED
"""

#: What is done, one after the other, and which of the slots are taken after it, beside those with
#: recordings: the unused files of some go.
DEEDS = {
    "nothing": "",
    "all is listed, read and copied": """
ls -laR > /list
find . -type f -exec cat {} + > /dev/null
mkdir /copy && mount -t tmpfs none /copy && cp -r RECORDINGS/*.dat /copy/
""",
    "40 files in and out": """
for n in $(seq 40); do echo $n > "RECORDINGS/a photograph with a long name $n.jpeg"; done
for n in $(seq 40); do head -c 20000 /dev/urandom > RECORDINGS/s$n; done
rm RECORDINGS/a\\ photograph* RECORDINGS/s*
head -c 300000 /dev/urandom > "mine after that.bin"
""",
    "files that stay": """
for n in $(seq 25); do head -c $((n * 997)) /dev/urandom > "RECORDINGS/one that stays $n.jpeg"; done
mkdir holiday; for n in $(seq 30); do head -c $((n * 3001)) /dev/urandom > holiday/$n.jpeg; done
""",
    "a recording is deleted": "rm $(ls RECORDINGS/R*.dat | head -n 1)\n",
    "a recording is renamed": "mv $(ls RECORDINGS/R*.dat | head -n 1) 'RECORDINGS/over the mountains, in summer.dat'\n",
    "a recording is moved": "mv $(ls RECORDINGS/R*.dat | head -n 1) holiday/flight.dat\n",
    "a recording is edited": "head -c 100000 /dev/urandom >> $(ls RECORDINGS/R*.dat | head -n 1)\n",
    "a recording is cut": "dd if=/dev/null of=$(ls RECORDINGS/R*.dat | head -n 1) bs=1 seek=5000 2>/dev/null\n",
    "the disk is filled": "dd if=/dev/urandom of=full.bin bs=64k 2>/dev/null\n",
    "the file is deleted, others come": """
rm full.bin; for n in $(seq 20); do head -c 50000 /dev/urandom > "again $n"; done
""",
}


@pytest.fixture(scope="module")
def linux(tmp_path_factory):
    if shutil.which("qemu-system-x86_64") is None:
        pytest.skip(f"no qemu-system-x86_64 is installed (Debian: {PACKAGE})")
    folder = tmp_path_factory.mktemp("linux")
    root = unpacked(folder)

    def run(image, script):
        told = boot(shutil.which("qemu-system-x86_64"), root, folder, image, script, modules=("exfat",),
                    keep=True)
        assert "MOUNTED" in told, told
        return told.replace("\r", "")

    return run


def seen(told):
    """Path to SHA-256 of the files that Linux has seen."""
    return {path: digest for digest, path in re.findall(r"^FILE ([0-9a-f]{64})  \./(.*)$", told, re.MULTILINE)}


def digests(image, planned):
    return {path: hashlib.sha256(data).hexdigest() for path, data in files_of(image, planned).items()}


def read_back(path, image):
    image[:] = path.read_bytes()
    outputs.mark(path)


def test_one_after_the_other(tmp_path, linux, repair, seed):
    """One drive, on which something is done between any two recordings."""
    random.seed(seed)
    path, slots = tmp_path / "disk.img", list(range(1, SLOTS + 1))
    image, planned = prepared(SLOTS, SECTORS)
    for number in slots[:3]:
        recorded(path, image, planned, number)
    for name, deed in DEEDS.items():
        wanted = digests(image, planned)
        told = linux(path, MOUNT + SHOW + deed + UNMOUNT)
        assert seen(told) == wanted, f"before: {name}"
        assert "UNMOUNTED" in told
        read_back(path, image)
        assert repair(image, planned, "-n") == 0, name
        with Drive(path) as drive:
            assert drive.changes == [], name
            free = [slot.number for slot in drive.slots if drive.state(slot) == "free"]
        if name in ("nothing", "all is listed, read and copied"):
            assert len(free) == SLOTS - 3 - (name != "nothing"), "reading changes no slot"
        # Of the slots some can be taken by files that stand in the place of their recordings.
        assert free, name
        before = files_of(image, planned)
        there, data = recorded(path, image, planned, free[0])
        after = files_of(image, planned)
        assert after.pop(there) == data and after == before, name
        assert repair(image, planned, "-n") == 0, name
    assert seen(linux(path, MOUNT + SHOW + UNMOUNT)) == digests(image, planned)


def test_reading_leaves_every_slot_free(tmp_path, linux):
    """Listing, reading and copying every file, the hidden ones too."""
    path = tmp_path / "disk.img"
    image, planned = prepared(SLOTS, SECTORS)
    saved(image, path)
    linux(path, MOUNT + """
ls -laR > /list; find . -type f -exec cat {} + > /dev/null; find . -exec stat {} + > /stat
mkdir /copy && mount -t tmpfs -o size=200M none /copy && cp -r . /copy/
for file in RECORDINGS/*; do head -c 1 $file > /dev/null; touch -a $file; done
sync
""" + UNMOUNT)
    with Drive(path) as drive:
        assert {drive.state(slot) for slot in drive.slots} == {"free"} and drive.changes == []
        assert verify(drive).problems == []
    assert path.read_bytes() != image, "the times of access are others"


def test_power_fails_under_linux(tmp_path, linux, repair):
    """The flag reports that it was not unmounted; the recording is made all the same, and stays when fsck has
    repaired what Linux has left."""
    path = tmp_path / "disk.img"
    image, planned = prepared(SLOTS, SECTORS)
    name, data = recorded(path, image, planned, 1)
    linux(path, MOUNT + """
for n in $(seq 30); do head -c 30000 /dev/urandom > "RECORDINGS/in the midst of it $n"; done
sync
for n in $(seq 30); do head -c 30000 /dev/urandom > "more $n"; done
poweroff -n -f      # without a sync
""")
    read_back(path, image)
    with Drive(path) as drive:
        assert any("not unmounted" in text for text in drive.problems)
        assert drive.changes == []
        free = [slot.number for slot in drive.slots if drive.state(slot) == "free"]
    before = files_of(image, planned)
    made = {name: data}
    if free:
        there, content = recorded(path, image, planned, free[0])
        made[there] = content
        after = files_of(image, planned)
        assert after.pop(there) == content and after == before
    repair(image, planned, "-y")
    assert repair(image, planned, "-n") == 0
    saved(image, path)
    found = seen(linux(path, MOUNT + SHOW + UNMOUNT))
    assert {path: found[path] for path in made} == {
        path: hashlib.sha256(content).hexdigest() for path, content in made.items()}


@pytest.mark.parametrize("deed", ["mv RECORDINGS OLD", "mv RECORDINGS OLD; mkdir RECORDINGS",
                                  "mkdir trash; mv RECORDINGS trash; mkdir RECORDINGS; echo 1 > RECORDINGS/1",
                                  "rm -r RECORDINGS", "rm -r RECORDINGS; mkdir RECORDINGS; "
                                  "head -c 9000000 /dev/urandom > RECORDINGS/mine"])
def test_the_folder(tmp_path, linux, repair, deed):
    """It is another one, or none: nothing is recorded, and nothing written."""
    path = tmp_path / "disk.img"
    image, planned = prepared(SLOTS, SECTORS)
    recorded(path, image, planned, 2)
    linux(path, MOUNT + deed + UNMOUNT)
    read_back(path, image)
    assert repair(image, planned, "-n") == 0
    for number in range(1, SLOTS + 1):
        with pytest.raises(Refused, match="folder RECORDINGS is not the one that was prepared"):
            finalise_image(path, number, 1000)
    with pytest.raises(Refused, match="the recording table stays as it is"):
        renew(path)
    assert path.read_bytes() == image


def test_the_folder_and_back(tmp_path, linux, repair):
    """Moved away and back its entry stands elsewhere: `--renew` finds that all is ours."""
    path = tmp_path / "disk.img"
    image, planned = prepared(SLOTS, SECTORS)
    recorded(path, image, planned, 2)
    linux(path, MOUNT + "mkdir away; mv RECORDINGS away; echo mine > mine.txt; mv away/RECORDINGS .; rmdir away"
          + UNMOUNT)
    read_back(path, image)
    with Drive(path) as drive:
        assert drive.changes
    assert renew(path).free == SLOTS - 1
    read_back(path, image)
    before = files_of(image, planned)
    there, data = recorded(path, image, planned, 5)
    after = files_of(image, planned)
    assert after.pop(there) == data and after == before
    assert repair(image, planned, "-n") == 0
    assert seen(linux(path, MOUNT + SHOW + UNMOUNT)) == digests(image, planned)
