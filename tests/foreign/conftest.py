"""Judges that nobody of this project wrote; a test is skipped where its judge is not installed."""

import shutil

import pytest
from sata_drive_model import QemuDisk
from sata_drive_model.qemu import PACKAGE


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
