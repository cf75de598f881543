"""Block devices: what Linux reports about one, and which must not be written.

All of it is read from sysfs (Linux, Documentation/ABI/stable/sysfs-block) and /proc.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from ...facts.units import LONG_SECTOR_BLOCKS, SECTOR_BYTES
from .refused import Refused

__all__ = ["Device", "check_device", "device_of"]

#: Bytes of the logical sectors that are known.
_LOGICAL = SECTOR_BYTES, LONG_SECTOR_BLOCKS * SECTOR_BYTES
_SYSFS = Path("/sys/dev/block")
_SERIAL_PAGE = 0x80             # Unit Serial Number, SCSI Primary Commands 4, section 7.8.15


@dataclass(frozen=True)
class Device:
    """What the system reports about a block device."""

    name: str
    sectors: int
    serial: str | None
    logical_bytes: int
    physical_bytes: int
    is_partition: bool
    read_only: bool
    holders: tuple              # what is on it or on its partitions: device mapper, md
    numbers: tuple              # "major:minor" of it and of its partitions


def device_of(path: str | Path, sysfs: str | Path = _SYSFS) -> Device:
    """The :class:`Device` of the block device ``path``. Raises ``OSError``."""
    number = os.stat(path).st_rdev
    return read_device(Path(sysfs, f"{os.major(number)}:{os.minor(number)}").resolve())


def read_device(folder: Path) -> Device:
    """The :class:`Device` of a folder of sysfs."""
    parts = [child for child in sorted(folder.iterdir()) if (child / "partition").exists()]
    holders = [child.name for one in (folder, *parts) if (one / "holders").is_dir()
               for child in sorted((one / "holders").iterdir())]
    return Device(folder.name, int(_text(folder / "size")), _serial(folder),
                  int(_text(folder / "queue/logical_block_size") or SECTOR_BYTES),
                  int(_text(folder / "queue/physical_block_size") or SECTOR_BYTES),
                  (folder / "partition").exists(), _text(folder / "ro") == "1", tuple(holders),
                  tuple(_text(one / "dev") for one in (folder, *parts)))


def _text(path):
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _serial(folder):
    """The drive's serial number; None if the system does not report it."""
    try:
        page = (folder / "device/vpd_pg80").read_bytes()
    except OSError:
        page = b""
    if len(page) > 4 and page[1] == _SERIAL_PAGE:
        size = int.from_bytes(page[2:4], "big")
        if found := page[4:4 + size].decode("ascii", "replace").strip(" \0"):
            return found
    return _text(folder / "device/serial") or _text(folder / "serial") or None


def check_device(path: str | Path, device: Device, serial: str | None, *, proc: str | Path = Path("/proc")) -> None:
    """Refuses to write to a ``device`` that is in use, or whose serial number the user has not
    given. Raises :exc:`.refused.Refused`."""
    if device.is_partition:
        raise Refused(f"{path}: is a partition; name the whole drive")
    for place in _mounted(device.numbers, proc):
        raise Refused(f"{path}: is in use: mounted at {place}")
    for name in _swaps(device, proc):
        raise Refused(f"{path}: is in use: {name} is swap space")
    for name in device.holders:
        raise Refused(f"{path}: is in use by {name}")
    if device.read_only:
        raise Refused(f"{path}: is read-only")
    if device.logical_bytes not in _LOGICAL:
        raise Refused(f"{path}: has logical sectors of {device.logical_bytes} bytes, only "
                      f"{' and '.join(map(str, _LOGICAL))} are known")
    if device.serial is None:
        raise Refused(f"{path}: the system reports no serial number of this drive, so nothing is "
                      "written to it")
    if serial is None:
        raise Refused(f"{path}: is a block device, all on it would be lost. To write to it, give "
                      "its serial number with --serial")
    if serial.strip() != device.serial:
        raise Refused(f"--serial {serial}: {path} has another serial number")


def _mounted(numbers, proc):
    for line in _text(Path(proc, "self/mountinfo")).splitlines():
        words = line.split()
        if len(words) > 4 and words[2] in numbers:
            yield words[4]


def _swaps(device, proc):
    for line in _text(Path(proc, "swaps")).splitlines()[1:]:
        path = line.split()[0]
        try:
            found = os.stat(path)
        except OSError:
            continue
        if stat.S_ISBLK(found.st_mode):
            number = f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}"
            if number in device.numbers:
                yield path
