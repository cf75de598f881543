"""Judges that nobody of this project wrote; a test is skipped where its judge is not installed."""

import os
import re
import shutil
import subprocess

import pytest
from drive_images import saved
from sata_drive_model import QemuDisk
from sata_drive_model.qemu import PACKAGE

from sata_recorder.pc import volume
from sata_recorder.pc.volume.exfat import Volume


@pytest.fixture
def judge():
    """`judge("hdparm")`: the path of a program; the test is skipped where it is missing."""
    def judge(program, package=None):
        # Debian has some in folders that are not in every user's PATH.
        found = shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")
        if found is None:
            pytest.skip(f"no {program} is installed (Debian: {package or program})")
        return found

    return judge


@pytest.fixture
def fsck(judge, tmp_path):
    """`fsck(image)`: what fsck.exfat reports of the file system. It must be clean, and a rescue of
    clusters that no file has must find none."""
    program = judge("fsck.exfat", "exfatprogs")

    def run(*order):
        return subprocess.run(order, capture_output=True, text=True, timeout=60)

    def fsck(image):
        with volume.Drive(image) as drive:
            start = 512 * drive.table.partition_lba
            size = 512 * drive.table.partition_sectors
        part = tmp_path / "partition"
        sparse_copy(image, part, start, size)
        told = run(program, "-n", str(part))
        assert told.returncode == 0 and ": clean." in told.stdout, told.stdout + told.stderr
        run(program, "-y", "-s", str(part))
        with volume.DiskReader(part) as source:
            rescued = [node.path for node in Volume(source).walk() if "LOST" in node.path]
        assert rescued == ["LOST+FOUND"]
        return told.stdout

    return fsck


@pytest.fixture
def repair(judge, tmp_path):
    """``repair(image, planned, *options)``: what fsck.exfat makes of the volume; its exit status."""
    program = judge("fsck.exfat", "exfatprogs")
    part = tmp_path / "partition"

    def repair(image, planned, *options):
        place = slice(512 * planned.table.partition_lba,
                      512 * (planned.table.partition_lba + planned.table.partition_sectors))
        saved(image[place], part)
        told = subprocess.run([program, *options, str(part)], capture_output=True, text=True, timeout=120)
        if "-n" not in options:
            image[place] = part.read_bytes()
        return told.returncode

    return repair


def sparse_copy(source, target, start, size):
    with open(source, "rb") as reader, open(target, "wb") as writer:
        writer.truncate(size)
        place = start
        while place < start + size:
            try:
                place = os.lseek(reader.fileno(), place, os.SEEK_DATA)
            except OSError:
                return
            end = min(start + size, os.lseek(reader.fileno(), place, os.SEEK_HOLE))
            reader.seek(place)
            writer.seek(place - start)
            while place < end:
                part = reader.read(min(1 << 20, end - place))
                writer.write(part)
                place += len(part)


@pytest.fixture
def sleuth(judge):
    """`sleuth(image)`: the content of each file that The Sleuth Kit finds in RECORDINGS."""
    fls, icat = judge("fls", "sleuthkit"), judge("icat", "sleuthkit")

    def sleuth(image):
        with volume.Drive(image) as drive:
            offset = str(drive.table.partition_lba)
        told = subprocess.run([fls, "-r", "-p", "-u", "-o", offset, image], capture_output=True,
                              text=True, check=True, timeout=60).stdout
        found = {}
        for inode, name in re.findall(r"^r/r (\d+):\tRECORDINGS/(.*)$", told, re.MULTILINE):
            found[name] = subprocess.run([icat, "-o", offset, image, inode], capture_output=True,
                                         check=True, timeout=60).stdout
        return found

    return sleuth


@pytest.fixture
def qemu(judge):
    """`qemu(...)`: a `QemuDisk`, closed after the test."""
    judge("qemu-system-x86_64", PACKAGE)
    made = []

    def qemu(path=None, **options):
        made.append(QemuDisk(path, **options))
        return made[-1]

    yield qemu
    for disk in made:
        disk.close()
