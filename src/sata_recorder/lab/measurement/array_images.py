"""The images of an array's drives: the lane of each, and where the sectors are. New ones become members of an array, as
:mod:`...pc.array` makes them, so that whatever reads arrays takes them."""

import os
from contextlib import ExitStack
from typing import Any

from ...facts.array import CLEAN, LEVELS, RAID1, mirror_superblock_lba
from ...facts.units import SECTOR_BYTES
from ...pc.array import Geometry, Superblock, check_paths, geometry, members, new_superblocks, open_disk, remarked
from ...pc.volume import DiskReader, Refused, harm
from .files import check_room
from .job_error import JobError

#: Most sectors of a superblock.
_AREA_SECTORS = 8
#: What the levels are in --raid.
_RAIDS = {level: name for name, level in LEVELS.items()}


def array_geometry(configuration: Any, capacity: int) -> Geometry:
    """Where the sectors of an array are whose drives have, and use, ``capacity`` sectors each. Raises ``ValueError``
    for too few."""
    level = LEVELS[configuration.array.removeprefix("raid")]
    return geometry(level, [capacity] * configuration.drives,
                    configuration.chunk_sectors if configuration.array == "raid0" else None)


def check_count(job: Any) -> None:
    """Checks that each drive of an array has an image, or none has. Raises :exc:`.job_error.JobError`."""
    drives = job.configuration.drives
    if drives == 1:
        if job.images:
            raise JobError("image", job.images[-1], f"is one of {len(job.images)}, and there is one drive; ",
                           ("drives",), " makes an array of several")
        return
    given = job.images or ((job.image,) if job.image is not None else ())
    if given and len(given) != drives:
        raise JobError("image", given[-1], f"is the last one of {len(given)}, and ", ("drives", drives),
                       f" needs {drives}: an image for each")
    try:
        check_paths(given)
    except Refused as error:
        raise JobError("image", None, str(error)) from None


def laid_out(job: Any) -> tuple[tuple[str, ...], int, Geometry] | None:
    """(the images in the order of their lanes, the sectors of the largest, where the sectors are) for images that
    exist; None for images that are to be made. Raises :exc:`.job_error.JobError` for what is no array, or not the one
    that is simulated."""
    missing = [path for path in job.images if not os.path.exists(path)]
    if len(missing) == len(job.images):
        return None
    if missing:
        there = next(path for path in job.images if path not in missing)
        raise JobError("image", missing[0], f"no such file, but {there} exists: all images of an array exist, or none")
    with ExitStack() as stack:
        try:
            disks = [stack.enter_context(DiskReader(path)) for path in job.images]
            known = members(disks)
        except Refused as error:
            raise JobError("image", None, str(error)) from None
        except OSError as error:
            raise JobError("image", error.filename, error.strerror) from None
        sizes = [disk.size // SECTOR_BYTES for disk in known.disks]
        images = tuple(str(disk.path) for disk in known.disks)
    _check_kind(job, known.geometry)
    if job.capacity not in (None, max(sizes)) or job.capacity is not None and min(sizes) != max(sizes):
        raise JobError("capacity", job.capacity, f"the images exist, and have {' and '.join(map(str, sizes))} sectors")
    return images, max(sizes), known.geometry


def _check_kind(job, where):
    """Checks that the core takes the drives for the array that they are."""
    config = job.configuration
    told = " ".join(job.images)
    if LEVELS[config.array.removeprefix("raid")] != where.level:
        raise JobError("raid", config.array.removeprefix("raid"), f"{told} are an array of another kind: ",
                       ("raid", _RAIDS[where.level]))
    if config.array == "raid0" and config.chunk_sectors != where.chunk_sectors:
        raise JobError("chunk_sectors", config.chunk_sectors, f"{told} have chunks of {where.chunk_sectors} sectors: ",
                       ("chunk_sectors", where.chunk_sectors))
    if config.drives != where.drives:
        raise JobError("drives", config.drives, f"{told} are an array of {where.drives}")


def check_images(job: Any) -> None:
    """Checks that there is room for what is recorded, and that it destroys nothing. Raises
    :exc:`.job_error.JobError`."""
    check_room({path: end - first for path, (first, end) in zip(job.images, extents(job), strict=True)})
    if job.overwrite or not os.path.exists(job.images[0]):
        return
    try:
        with open_disk(job.images) as array:
            text = harm(array.path, job.lba, job.sectors, array)
    except Refused as error:
        raise JobError("image", None, str(error)) from None
    if text:
        raise JobError("lba", job.lba, text, "; ", ("overwrite",), " permits recording there")


def extents(job: Any) -> list[tuple[int, int]]:
    """For each lane the first sector of its drive that the extent of ``job`` has, and the one after the last."""
    where = job.places
    return [tuple(where.offset + where.before(lane, sector) for sector in (job.lba, job.lba + job.sectors))
            for lane in range(where.drives)]


def make_members(job: Any) -> None:
    """Gives the new images of ``job`` superblocks. Raises ``OSError``."""
    sizes = [os.path.getsize(path) // SECTOR_BYTES for path in job.images]
    for path, one in zip(job.images, new_superblocks(sizes, job.places), strict=True):
        with open(path, "r+b") as image:
            image.seek(SECTOR_BYTES * one.lba)
            image.write(one.pack())


class MarkedMirrors:
    """The superblocks of the ``images`` of an array while it is recorded: mirrors then state that they may differ, as
    those that a recorder has begun to write do. Other arrays are left alone."""

    def __init__(self, images: list, where: Geometry) -> None:
        self._images = images if where.level == RAID1 else []
        self._blocks = []
        for image in self._images:
            lba = mirror_superblock_lba(image.sectors)
            content = image.read(SECTOR_BYTES * lba, SECTOR_BYTES * _AREA_SECTORS)
            self._blocks.append(Superblock.parse(content, lba))
        self._are_clean = all(one.resync == CLEAN for one in self._blocks)
        self._events = max((one.events for one in self._blocks), default=0)

    def may_differ(self) -> None:
        """Marks them, unless they were."""
        if self._are_clean:
            self._mark(1, 0)

    def are_alike(self) -> None:
        """Takes away the marks that :meth:`may_differ` has made."""
        if self._are_clean:
            self._mark(2, CLEAN)

    def _mark(self, events, resync):
        for image, one in zip(self._images, self._blocks, strict=True):
            place = SECTOR_BYTES * one.lba
            content = image.read(place, SECTOR_BYTES * _AREA_SECTORS)
            image.write(place, remarked(content, events=self._events + events, resync=resync))
