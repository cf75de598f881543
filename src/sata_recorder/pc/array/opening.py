"""Drives by their paths: one is opened as what it is, several as the array that they are."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any

from ...facts.array import MOST_DRIVES, RAID1
from ...facts.units import SECTOR_BYTES
from ..volume import (DiskReader, DiskTarget, DiskWriter, OpenDisk, Refused, device_of, is_device, is_md_member,
                      is_mirror, prepared_target, refuse_mirror)
from .disks import ArrayReader, ArrayWriter
from .members import Members, members, superblock_of
from .mirrors import MirrorReader, MirrorWriter
from .superblock import DamagedSuperblock, SuperblockError

__all__ = ["check_paths", "members_among", "open_disk", "open_target", "reader_of", "serials_of"]


def open_disk(paths: Sequence[str | Path]) -> OpenDisk:
    """The drive or image, or the array of several, that ``paths`` are in any order, to be read; a context manager.

    One of two mirrors is read alone, too, and its ``notes`` state what that means. Raises :exc:`..volume.Refused`, also
    for any other single member of an array; ``OSError``.
    """
    check_paths(paths)
    with ExitStack() as stack:
        disks = [stack.enter_context(DiskReader(path)) for path in paths]
        if len(disks) > 1 or is_md_member(disks[0]):
            found: OpenDisk = reader_of(members(disks))
        elif is_mirror(disks[0]):
            found = _mirror_alone(disks[0])
        else:
            found = disks[0]
        stack.pop_all()
    return found


def reader_of(known: Members[Any]) -> ArrayReader | MirrorReader:
    """The reader of the array ``known``."""
    if known.geometry.level == RAID1:
        return MirrorReader(known.disks, known.geometry.sectors, notes=known.notes, is_degraded=known.is_degraded)
    return ArrayReader(known.disks, known.geometry)


def _mirror_alone(disk):
    """One of two mirrors; what is on it can be read even if its superblock is damaged."""
    try:
        superblock_of(disk)
    except DamagedSuperblock as error:
        return MirrorReader([disk], disk.size // SECTOR_BYTES, notes=[
            f"{disk.path} {error}: whether it is whole, stale or degraded is unknown"])
    except SuperblockError:
        pass                        # refused below
    return reader_of(members([disk]))


@contextmanager
def open_target(paths: Sequence[str | Path], serials: Sequence[str] = ()) -> Iterator[DiskTarget]:
    """As :func:`open_disk`, to write single sectors of what was prepared; a block device needs its serial number.

    Of mirrors both are needed. Raises :exc:`..volume.Refused`, ``OSError``.
    """
    check_paths(paths)
    with ExitStack() as stack:
        disks: list[DiskWriter] = [stack.enter_context(prepared_target(path, serial=serial))
                                   for path, serial in zip(paths, serials_of(paths, serials), strict=True)]
        if len(disks) == 1 and not is_md_member(disks[0]):
            refuse_mirror(paths[0], disks[0])
            yield disks[0]
            return
        known = members(disks)
        if known.geometry.level == RAID1:
            mirrors = MirrorWriter(known.disks, known.geometry.sectors, known)
            yield mirrors
            mirrors.finish()
        else:
            yield ArrayWriter(known.disks, known.geometry)


def members_among(words: Sequence[str]) -> int:
    """How many of ``words``, from the first one on, are the paths of one drive or array. The first drive states how
    many the array has; the words after it count if they exist, those after a mirror if they are mirrors, too. Raises
    :exc:`..volume.Refused`, ``OSError``."""
    drives, mirrored = _stated(words[0])
    belongs = _is_mirror_path if mirrored else os.path.exists
    return 1 + len(list(takewhile(belongs, words[1:drives])))


def _stated(path):
    """(how many drives the array has that a drive is a member of, whether they are mirrors); 1 for any other one."""
    with DiskReader(path) as disk:
        mirrored = is_mirror(disk)
        try:
            return superblock_of(disk).drives if mirrored or is_md_member(disk) else 1, mirrored
        except SuperblockError:     # it is refused when it is opened, or read alone
            return 1, mirrored


def _is_mirror_path(path):
    try:
        with DiskReader(path) as disk:
            return is_mirror(disk)
    except Refused:
        return False


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
