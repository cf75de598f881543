"""Makes an array of drives ready for recordings: what a drive gets, across all of them, and superblocks for md."""

import time
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ...facts.array import CHUNKS, DEFAULT_CHUNK, MD_LBA, MIRRORS, RAID1, mirror_superblock_lba
from ...facts.units import SECTOR_BYTES
from ..volume import (DiskWriter, Layout, LayoutError, Refused, held, is_md_member, is_mirror, new_target,
                      prepare_target)
from .disks import ArrayWriter
from .geometry import Geometry, geometry
from .members import members
from .mirrors import MirrorWriter
from .opening import check_paths, reader_of, serials_of
from .superblock import Superblock

__all__ = ["NAME", "new_superblocks", "prepare_array"]

#: The name of an array, for mdadm.
NAME = "recorder"


def prepare_array(paths: Sequence[str | Path], level: int, *, chunk_sectors: int | None = None,
                  sectors: int | None = None, overwrite: bool = False, serials: Sequence[str] = (),
                  logical: int | None = None, **division: Any) -> tuple[Layout, Geometry]:
    """Prepares the images or block devices ``paths`` as one array, lane 0 first; all that they hold is lost. Returns
    the :class:`..volume.Layout` of the array and its :class:`.geometry.Geometry`.

    Parameters: ``level`` is 0, 1, or -1 for linear, ``chunk_sectors`` the sectors of a chunk (None: the usual one);
    ``sectors`` of 512 bytes is the size that each image gets, None: it keeps its own, ``logical`` the bytes of the
    logical sectors of images, 512 (None) or 4096; ``serials`` are those of the block devices, in any order;
    ``division`` is ``recordings``, ``recording_bytes`` and ``align``, of the array, the others are as of
    :func:`..volume.prepare`. Nothing is written before all of it is known to be possible, and the superblocks come
    last: what fails on the way leaves nothing that looks like an array. Raises :exc:`..volume.Refused`,
    :exc:`..volume.LayoutError`, ``ValueError`` for a chunk, ``OSError``.
    """
    chunk_sectors = chunk_sectors or DEFAULT_CHUNK[level]
    if level == RAID1 and chunk_sectors:
        raise ValueError(f"{chunk_sectors * SECTOR_BYTES} bytes: a RAID 1 has no chunks")
    if level != RAID1 and chunk_sectors not in CHUNKS:
        raise ValueError(f"{chunk_sectors * SECTOR_BYTES} bytes: a chunk has "
                         f"{', '.join(str(one * SECTOR_BYTES) for one in CHUNKS)}")
    if len(paths) < 2:
        raise Refused(f"{paths[0]}: an array has at least 2 drives")
    if level == RAID1 and len(paths) != MIRRORS:
        raise Refused(f"{paths[MIRRORS]}: is drive {MIRRORS + 1} of {len(paths)}; a RAID 1 has {MIRRORS}")
    check_paths(paths)
    with ExitStack() as stack:
        disks = [stack.enter_context(new_target(path, sectors=sectors, overwrite=overwrite, serial=serial,
                                                logical=logical))
                 for path, serial in zip(paths, serials_of(paths, serials), strict=True)]
        where = _geometry(disks, level, chunk_sectors)
        array = MirrorWriter(disks, where.sectors) if level == RAID1 else ArrayWriter(disks, where)

        def check():
            if not overwrite and (what := _held(disks)):
                raise Refused(what, overwrite=True)
        made = prepare_target(array, check, **division)
        array.seal(new_superblocks([disk.sectors for disk in disks], where))
    return made, where


def _geometry(disks, level, chunk_sectors):
    for disk in disks:
        if disk.logical != disks[0].logical:
            raise Refused(f"{disk.path}: has logical sectors of {disk.logical} bytes, {disks[0].path} of "
                          f"{disks[0].logical}: an array has the same on each drive")
    try:
        return geometry(level, [disk.sectors for disk in disks], chunk_sectors)
    except ValueError as error:
        raise LayoutError("size", str(error)) from None


def _held(disks: Sequence[DiskWriter]) -> str | None:
    """Which recordings would or may be lost, in a sentence; None: none."""
    arrays = [disk for disk in disks if is_md_member(disk) or is_mirror(disk)]
    for disk in disks:
        if disk not in arrays and (what := held(disk)):
            return f"{disk.path}: holds {what}"
    if not arrays:
        return None
    try:
        known = members(arrays)
    except Refused as error:
        return f"{error}. Whether recordings are on it cannot be seen"
    array = reader_of(known)
    what = held(array)
    return what and f"{array.path}: holds {what}"


def new_superblocks(sizes: Sequence[int], where: Geometry) -> list[Superblock]:
    """The superblocks of a new array on drives of ``sizes`` sectors; the time is the same in all."""
    array, now = uuid.uuid4(), int(time.time())
    return [Superblock(array, uuid.uuid4(), where.level, where.chunk_sectors, where.drives, lane, size, now, NAME, now,
                       lba=mirror_superblock_lba(sectors) if where.level == RAID1 else MD_LBA)
            for lane, (sectors, size) in enumerate(zip(sizes, where.data_sectors, strict=True))]
