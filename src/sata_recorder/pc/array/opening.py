"""Drives by their paths: one is opened as what it is, several as the array that they are."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ...facts.array import MOST_DRIVES
from ..volume import (DiskReader, DiskTarget, DiskWriter, OpenDisk, Refused, device_of, is_device, is_md_member,
                      prepared_target)
from .disks import ArrayReader, ArrayWriter
from .members import members, superblock_of
from .superblock import SuperblockError

__all__ = ["check_paths", "drives_of", "open_disk", "open_target", "serials_of"]


def open_disk(paths: Sequence[str | Path]) -> OpenDisk:
    """The drive or image, or the array of several, that ``paths`` are in any order, to be read; a context manager.

    Raises :exc:`..volume.Refused`, also for a single member of an array; ``OSError``.
    """
    check_paths(paths)
    with ExitStack() as stack:
        disks = [stack.enter_context(DiskReader(path)) for path in paths]
        if len(disks) == 1 and not is_md_member(disks[0]):
            found: OpenDisk = disks[0]
        else:
            known = members(disks)
            found = ArrayReader(known.disks, known.geometry)
        stack.pop_all()
    return found


@contextmanager
def open_target(paths: Sequence[str | Path], serials: Sequence[str] = ()) -> Iterator[DiskTarget]:
    """As :func:`open_disk`, to write single sectors of what was prepared; a block device needs its serial number.

    Raises :exc:`..volume.Refused`, ``OSError``.
    """
    check_paths(paths)
    with ExitStack() as stack:
        disks: list[DiskWriter] = [stack.enter_context(prepared_target(path, serial=serial))
                                   for path, serial in zip(paths, serials_of(paths, serials), strict=True)]
        if len(disks) == 1 and not is_md_member(disks[0]):
            yield disks[0]
        else:
            known = members(disks)
            yield ArrayWriter(known.disks, known.geometry)


def drives_of(path: str | Path) -> int:
    """Of how many drives the array is that the drive or image ``path`` is a member of; 1 for any other one. Raises
    :exc:`..volume.Refused`, ``OSError``."""
    with DiskReader(path) as disk:
        try:
            return superblock_of(disk).drives if is_md_member(disk) else 1
        except SuperblockError:     # it is refused when it is opened
            return 1


def check_paths(paths: Sequence[str | Path]) -> None:
    """Refuses more drives than an array has, and one that is named twice. Raises :exc:`..volume.Refused`."""
    if len(paths) > MOST_DRIVES:
        raise Refused(f"{paths[MOST_DRIVES]}: is drive {MOST_DRIVES + 1} of {len(paths)}; an array has at most "
                      f"{MOST_DRIVES}")
    seen: dict[object, str | Path] = {}
    for path in paths:
        key = _identity(path)
        if (same := seen.get(key)) is not None:
            raise Refused(f"{path}: is named twice" if str(same) == str(path) else f"{path}: is {same} by another name")
        seen[key] = path


def _identity(path):
    """What is the same for all names of a file or a device."""
    try:
        found = os.stat(path)
    except OSError:                 # it is to be made, or is refused when it is opened
        return Path(path).resolve()
    return found.st_dev, found.st_ino


def serials_of(paths: Sequence[str | Path], serials: Sequence[str]) -> list[str | None]:
    """For each of ``paths`` the one of ``serials`` that its device has, None for an image; they are given in any
    order. A device that has none of them gets one that is left, which is refused when it is opened. Raises
    :exc:`..volume.Refused` for one too many; ``OSError``."""
    left = list(serials)
    found: list[str | None] = []
    for path in paths:
        of_it = device_of(path).serial if is_device(path) else None
        found.append(of_it if of_it in left else None)
        if of_it in left:
            left.remove(of_it)
    for place, path in enumerate(paths):
        if found[place] is None and left and (is_device(path) or len(paths) == 1):
            found[place] = left.pop(0)
    if left:
        raise Refused(f"--serial {left[0]}: is that of none of these drives")
    return found
