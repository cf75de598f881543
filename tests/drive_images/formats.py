"""Cases: the partition, or the whole drive, has been formatted quickly by another system."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from .cases import ImageCase, Unavailable, saved
from .pc import SECTOR

_SECONDS = 120


def run(*order):
    """Runs a formatting program. Raises :exc:`.cases.Unavailable`."""
    program = shutil.which(order[0]) or shutil.which(order[0], path="/usr/sbin:/sbin")
    if program is None:
        raise Unavailable(f"no {order[0]} is installed")
    told = subprocess.run([program, *order[1:]], capture_output=True, text=True, timeout=_SECONDS)
    assert told.returncode == 0, f"{order}: {told.stdout}{told.stderr}"


def formatted(*order, whole=False):
    """Formats the partition in place: what the program does not write stays as it was."""
    def make(image, planned):
        first = 0 if whole else SECTOR * planned.table.partition_lba
        last = len(image) if whole else first + SECTOR * planned.table.partition_sectors
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "partition")
            saved(image[first:last], path)
            run(*order, str(path))
            image[first:last] = path.read_bytes()
    return make


CASES = {name: ImageCase(make, as_prepared=False, free=()) for name, make in {
    "formatted, exFAT": formatted("mkfs.exfat"),
    "formatted, exFAT with clusters of 128 KiB": formatted("mkfs.exfat", "-c", "128K"),
    "formatted, exFAT with clusters of 4 KiB": formatted("mkfs.exfat", "-c", "4K", "-b", "1M"),
    "formatted, exFAT with a packed bitmap": formatted("mkfs.exfat", "--pack-bitmap"),
    "formatted, NTFS": formatted("mkfs.ntfs", "-Q", "-F", "-q"),
    "formatted, FAT32": formatted("mkfs.vfat", "-F", "32", "-s", "1"),
    "formatted without a partition table, exFAT": formatted("mkfs.exfat", whole=True),
}.items()}
