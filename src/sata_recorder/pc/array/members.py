"""Which drives are one array: its members are recognised in any order, and all else is refused with the reason."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...facts.array import DATA_OFFSET, MD_LBA, RAID0
from ...facts.units import SECTOR_BYTES
from ..volume import DiskReader, Refused
from .geometry import Geometry
from .superblock import AREA_BYTES, Superblock, SuperblockError

__all__ = ["Members", "members", "superblock_of"]

_Disk = TypeVar("_Disk", bound=DiskReader)
#: What all superblocks of an array have in common, and what it is in a sentence.
_COMMON = (("level", "level"), ("drives", "number of drives"), ("chunk_sectors", "chunk"),
           ("created", "time of creation"))


@dataclass(frozen=True)
class Members(Generic[_Disk]):
    """The drives of an array in the order of their lanes, what md knows of each, and where the sectors are."""

    disks: list[_Disk]
    superblocks: list[Superblock]
    geometry: Geometry


def superblock_of(disk: DiskReader) -> Superblock:
    """That of a member. Raises :exc:`.superblock.SuperblockError`, and ``OSError`` where it cannot be read."""
    place = MD_LBA * SECTOR_BYTES
    return Superblock.parse(disk.read(place, min(AREA_BYTES, disk.size - place)) if disk.size > place else b"")


def members(disks: Sequence[_Disk]) -> Members[_Disk]:
    """The array that ``disks`` are, all of it. Raises :exc:`..volume.Refused` for a drive that is foreign, damaged, of
    another array, stale, smaller than it was or there twice, and for one that is missing; ``OSError``."""
    found = [(disk, _known(disk)) for disk in disks]
    _check_common(found)
    lanes: dict[int, tuple[_Disk, Superblock]] = {}
    for disk, one in found:
        if one.lane in lanes:
            raise Refused(f"{disk.path}: is lane {one.lane} of the array, as {lanes[one.lane][0].path} is: the same "
                          "drive, or a copy of it")
        lanes[one.lane] = disk, one
    drives = found[0][1].drives
    if missing := [str(lane) for lane in range(drives) if lane not in lanes]:
        raise Refused(f"{' '.join(str(disk.path) for disk in disks)}: {_lanes(missing, drives)} missing "
                      "(counted from 0): an array needs all of its drives")
    _check_events(found)
    ordered = [lanes[lane] for lane in range(drives)]
    first = ordered[0][1]
    return Members([disk for disk, _ in ordered], [one for _, one in ordered],
                   Geometry(first.level, first.chunk_sectors, tuple(one.data_sectors for _, one in ordered)))


def _known(disk):
    """The superblock of a drive that has all the sectors that it states."""
    try:
        found = superblock_of(disk)
    except SuperblockError as error:
        raise Refused(f"{disk.path}: {error}") from None
    needed, held = DATA_OFFSET + found.data_sectors, disk.size // SECTOR_BYTES
    if held < needed:
        raise Refused(f"{disk.path}: is smaller than it was: it has {held} sectors, and as lane {found.lane} of its "
                      f"array at least {needed}")
    return found


def _check_common(found):
    """One array, of which all superblocks state the same."""
    (ours, _), = Counter(one.array for _, one in found).most_common(1)
    reference, of_it = next((disk, one) for disk, one in found if one.array == ours)
    for disk, one in found:
        if one.array != ours:
            raise Refused(f"{disk.path}: is of another array than {reference.path}: of {one.array}, not of {ours}")
        for name, what in _COMMON:
            if vars(one)[name] != vars(of_it)[name]:
                raise Refused(f"{disk.path}: its superblock has another {what} than that of {reference.path}: "
                              f"{vars(one)[name]}, not {vars(of_it)[name]}")
        if one.level == RAID0 and one.data_sectors != of_it.data_sectors:
            raise Refused(f"{disk.path}: has {one.data_sectors} sectors of the array, {reference.path} "
                          f"{of_it.data_sectors}: `prepare` gives each drive of a RAID 0 as many")


def _check_events(found):
    newest, of_it = max(found, key=lambda pair: pair[1].events)
    for disk, one in found:
        if one.events != of_it.events:
            raise Refused(f"{disk.path}: is stale: it has {one.events} events, {newest.path} {of_it.events}: something "
                          "was written to the array without it")


def _lanes(numbers, drives):
    if len(numbers) == 1:
        return f"lane {numbers[0]} of {drives} is"
    return f"lanes {', '.join(numbers[:-1])} and {numbers[-1]} of {drives} are"
