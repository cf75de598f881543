"""Prepared drives and their recordings, judged by exfatprogs, The Sleuth Kit and Linux."""

import hashlib
import itertools
import random
import re
import subprocess

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort
from sata_drive_model.qemu import PACKAGE

from foreign.linux import boot, unpacked
from sata_recorder.pc import volume
from sata_recorder.interface.configuration import Configuration
from sata_recorder.pc.volume import FLUSH, Log, Timestamp, finalise, prepare, verify
from sata_recorder.pc.volume.exfat import FileSet, Volume, check
from sata_recorder.simulation import Compiled, Session
from sata_recorder.simulation.analyser import PortAnalyser

SECTORS, ALIGN = 16384, 64 << 10
TIME = Timestamp(46 << 25 | 11 << 21 | 22 << 16)


@pytest.fixture
def image(tmp_path):
    """A small prepared image with three slots."""
    path = tmp_path / "disk.img"
    prepare(path, sectors=SECTORS, recordings=3, align=ALIGN)
    return path


def put(image, number, data):
    """The data of a recording, in its slot."""
    with volume.Drive(image) as drive:
        slot = drive.slots[number - 1]
    with open(image, "r+b") as file:
        file.seek(512 * slot.lba)
        file.write(data)
    return slot


@pytest.mark.sample(5)
@pytest.mark.parametrize("size, options", [     # of the drive; 3 TiB are too much for an MBR
    (8 << 20, {"recordings": 3, "align": ALIGN}), (8 << 20, {"recordings": 3, "align": ALIGN, "logical": 4096}),
    (40 << 20, {"recordings": 1}),
    (100 << 20, {"recording_bytes": 1, "align": 4096}), (1 << 30, {"recordings": 100}),
    (3 << 40, {"recording_bytes": 10**11})], ids=str)
def test_prepared(fsck, tmp_path, size, options):
    path = tmp_path / "disk.img"
    made = prepare(path, sectors=size // 512, **options)
    assert f"files {made.table.slots}" in fsck(path)
    with volume.Drive(path) as drive:
        assert verify(drive).problems == []


def test_partition_table(judge, image):
    told = subprocess.run([judge("sfdisk", "fdisk"), "--verify", image], capture_output=True,
                          text=True, timeout=60)
    assert told.returncode == 0 and "No errors detected" in told.stdout, told.stdout + told.stderr
    with volume.Drive(image) as drive:
        told = subprocess.run([judge("sfdisk", "fdisk"), "--dump", image], capture_output=True,
                              text=True, check=True, timeout=60).stdout
        assert "label: gpt" in told and f"first-lba: {drive.table.partition_lba}" in told
        assert re.search(rf"start= *{drive.table.partition_lba}, "
                         rf"size= *{drive.table.partition_sectors}, type=EBD0A0A2", told)


def test_exact_lengths(fsck, sleuth, image):
    """Recordings of random lengths have exactly these, and nothing else has changed."""
    rng = random.Random(7)
    with volume.Drive(image) as drive:
        most = drive.slots[0].bytes
    data = [rng.randbytes(size) for size in (rng.randrange(1, most), 1, most)]
    for number, part in enumerate(data, 1):
        put(image, number, part)
        volume.finalise_image(image, number, len(part))
        fsck(image)
    found = sleuth(image)
    assert [found[f"REC0000{number}.dat"] for number in (1, 2, 3)] == data
    assert len(found["REC00001.unused"]) == most - -(-len(data[0]) // 4096) * 4096
    assert "REC00003.unused" not in found


def test_power_fails(fsck, sleuth, image, tmp_path):
    """Each set of the writes, as a cache may let them reach the medium: sound; and the recording
    before is whole, and this one, too, if its sector of the directory was written."""
    put(image, 1, b"first" * 1000)
    volume.finalise_image(image, 1, 5000)
    rng = random.Random(3)
    data = rng.randbytes(rng.randrange(1, 400_000))
    slot = put(image, 2, data)
    with volume.Drive(image) as drive:
        sector = drive.source.read(512 * slot.directory_lba, 512)
    steps = finalise(slot, sector, 4096, Log(2, len(data), slot.lba, started=TIME))
    writes = [step for step in steps if step is not FLUSH]
    content = image.read_bytes()
    for count in range(len(writes) + 1):
        for kept in itertools.combinations(writes, count):
            after = bytearray(content)
            for write in kept:
                after[512 * write.lba:512 * write.lba + len(write.content)] = write.content
            cut = tmp_path / "cut.img"
            cut.write_bytes(after)
            fsck(cut)
            found = sleuth(cut)
            assert found["REC00001.dat"] == b"first" * 1000
            written = any(write.lba == slot.directory_lba for write in kept)
            assert found.get("REC00002.dat") == (data if written else None)


def test_core_records(fsck, sleuth, image):
    """The core writes the data, and then, as one sector after the other, log and directory."""
    data = random.Random(11).randbytes(77 * 512 - 100)
    with volume.Drive(image) as opened:
        slot = opened.slots[0]
    drive = Drive(DiskImage(image), behaviour=Behaviour.random(11))
    port = DrivePort(drive, seed=11, observer=PortAnalyser())
    with Compiled(Configuration(max_command_sectors=2048), port.clock) as engine:
        session = Session(engine, port)
        session.bring_up()
        assert session.record(data.ljust(77 * 512, b"\xee"), slot.lba).error == 0
        played = session.play(slot.directory_lba, 1)
        log = Log(1, len(data), slot.lba, 75_000_000, started=TIME, model="M", serial="S")
        for step in finalise(slot, played.data, 4096, log):
            if step is FLUSH:
                assert session.flush().error == 0
            else:
                assert session.record(step.content, step.lba).error == 0
        assert session.violations() == []
    fsck(image)
    assert sleuth(image)["REC00001.dat"] == data
    with volume.Drive(image) as opened:
        assert opened.memmap(opened.recordings[0]).tobytes() == data


@pytest.mark.parametrize("name", ["REC00002.dat", "rec00002.DAT"])
def test_a_name_that_is_taken(fsck, image, name):
    """Somebody has put a file there under the name that a recording will get: fsck.exfat has nothing
    against two of them, so we say it, before and after the recording."""
    with volume.Drive(image) as drive:
        folder = 512 * drive.volume.lba(drive.volume.find("RECORDINGS").set.first_cluster)
        slot, cluster = drive.slots[1], drive.cluster_bytes
        sector = drive.source.read(512 * slot.directory_lba, 512)
    with open(image, "r+b") as file:
        file.seek(folder)
        file.write(FileSet(name, 0, 0, 0, 0x20, created=TIME).pack())
    fsck(image)
    with volume.Drive(image) as drive:
        assert drive.taken_names == [(2, f"RECORDINGS/{name}")]
        problem, = verify(drive).problems
        assert problem == f"slot 2: its recording would be another file RECORDINGS/{name}; move that away"
    volume.finalise_image(image, 1, 512)
    with pytest.raises(volume.Refused, match="there is such a file"):
        volume.finalise_image(image, 2, 512)
    with open(image, "r+b") as file:
        for step in finalise(slot, sector, cluster, Log(2, 512, slot.lba, started=TIME)):
            if step is not FLUSH:
                file.seek(512 * step.lba)
                file.write(step.content)
    with volume.Drive(image) as drive:
        assert drive.taken_names == []
        assert any("there are two of this name" in one for one in verify(drive).problems)


def test_lost_clusters_are_found(fsck, image):
    """The judge sees what a file shorter than its clusters would leave."""
    with volume.Drive(image) as drive:
        slot = drive.slots[0]
    with open(image, "r+b") as file:
        file.seek(512 * slot.directory_lba)
        file.write(FileSet("short", slot.first_cluster, 5000, 5000).pack())
        for place in 96, 128, 160:
            file.seek(512 * slot.directory_lba + place)
            file.write(bytes([0x05]))
    with pytest.raises(AssertionError, match="LOST.FOUND/FILE"):
        fsck(image)


@pytest.mark.parametrize("cluster", ["4K", "32K", "512"])
def test_volumes_of_others(judge, tmp_path, cluster):
    """The reader finds nothing wrong with what mkfs.exfat makes."""
    path = tmp_path / "volume"
    with open(path, "wb") as file:
        file.truncate(64 << 20)
    subprocess.run([judge("mkfs.exfat", "exfatprogs"), "-c", cluster, "-L", "label", path],
                   check=True, capture_output=True, timeout=60)
    with volume.DiskReader(path) as source:
        found = Volume(source)
        assert check(found) == [] and list(found.walk()) == []
        assert found.boot.cluster_bytes == {"4K": 4096, "32K": 32768, "512": 512}[cluster]


@pytest.mark.long
def test_linux_mounts_it(judge, fsck, image, tmp_path):
    """Linux reads the recordings, writes a file of its own, renames one, deletes another; what is
    left is sound for both judges."""
    qemu = judge("qemu-system-x86_64", PACKAGE)
    root = unpacked(tmp_path)
    data = [random.Random(number).randbytes(size) for number, size in ((1, 300_001), (2, 70_000))]
    for number, part in enumerate(data, 1):
        put(image, number, part)
        volume.finalise_image(image, number, len(part))
    told = boot(qemu, root, tmp_path, image, """
for n in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/sda1 ] || sleep 1; done
mkdir /mnt
mount -t exfat /dev/sda1 /mnt && echo MOUNTED
cd /mnt/RECORDINGS
for file in *; do echo FILE $file $(stat -c %s $file) $(sha256sum < $file); done
echo mine > mine.txt
mv REC00002.dat a-name-of-more-than-fifteen-characters.dat
rm REC00001.dat
cd /
umount /mnt && echo UNMOUNTED
dmesg | grep -i exfat
""", modules=("exfat",), keep=True)
    assert "MOUNTED" in told and "UNMOUNTED" in told, told
    found = {name: (int(size), digest) for name, size, digest in re.findall(
        r"FILE (\S+) (\d+) ([0-9a-f]{64})", told)}
    for number, part in enumerate(data, 1):
        assert found[f"REC0000{number}.dat"] == (len(part), hashlib.sha256(part).hexdigest())
    with volume.Drive(image) as drive:
        most = drive.slots[2].bytes
    assert found["REC00003.unused"] == (most, hashlib.sha256(bytes(most)).hexdigest())
    fsck(image)
    with volume.Drive(image) as drive:
        result = verify(drive)
        assert result.problems == []
        assert [drive.state(slot) for slot in drive.slots] == ["changed", "recorded", "free"]
        kept = next(one for one in drive.recordings if one.slot == 2)
        assert kept.name == "a-name-of-more-than-fifteen-characters.dat"
        assert drive.memmap(kept).tobytes() == data[1]
        assert drive.volume.find("RECORDINGS/mine.txt").set.size == 5
