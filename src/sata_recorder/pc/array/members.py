"""Which drives are one array: its members are recognised in any order, and all else is refused with the reason."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...facts.array import CLEAN, LINEAR, MD_LBA, MD_MAGIC, RAID1, mirror_superblock_lba
from ...facts.units import SECTOR_BYTES
from ..volume import DiskReader, Refused, is_md_member
from .geometry import Geometry
from .superblock import AREA_BYTES, Superblock, SuperblockError

__all__ = ["Members", "members", "superblock_of"]

#: A note on mirrors.
_DIRTY = "not marked clean: the power failed while the mirrors were written, or md has not made them alike yet"
_Disk = TypeVar("_Disk", bound=DiskReader)
#: What all superblocks of an array have in common, and what it is in a sentence.
_COMMON = (("level", "level"), ("drives", "number of drives"), ("chunk_sectors", "chunk"),
           ("created", "time of creation"))


@dataclass(frozen=True)
class Members(Generic[_Disk]):
    """The drives of an array in the order of their lanes, what md knows about each, and where the sectors are.

    One of two mirrors may be alone: ``is_degraded`` if by its superblock the other has failed. ``notes`` are
    sentences about what is not wrong, but should be known.
    """

    disks: list[_Disk]
    superblocks: list[Superblock]
    geometry: Geometry
    notes: tuple[str, ...] = ()
    is_degraded: bool = False


def superblock_of(disk: DiskReader) -> Superblock:
    """The superblock of a member: at its beginning, or near its end. Raises :exc:`.superblock.SuperblockError`, and
    ``OSError`` if it cannot be read."""
    lba = MD_LBA if is_md_member(disk) else mirror_superblock_lba(disk.size // SECTOR_BYTES)
    place = lba * SECTOR_BYTES
    content = disk.read(place, min(AREA_BYTES, disk.size - place)) if lba >= MD_LBA else b""
    if int.from_bytes(content[:4], "little") != MD_MAGIC:
        raise SuperblockError(f"is no member of an array: it has no md superblock at LBA {MD_LBA}"
                              + (f", nor near its end, at LBA {lba}" if lba > MD_LBA else ""))
    return Superblock.parse(content, lba)


def members(disks: Sequence[_Disk]) -> Members[_Disk]:
    """The array that ``disks`` are, all of it, or one mirror. Raises :exc:`..volume.Refused` for a drive that is
    foreign, damaged, of another array, stale, smaller than it was or there twice, for a mirror that another names as
    failed, and for one that is missing; ``OSError``."""
    found = [(disk, _known(disk)) for disk in disks]
    _check_common(found)
    lanes: dict[int, tuple[_Disk, Superblock]] = {}
    for disk, one in found:
        if one.lane in lanes:
            raise Refused(f"{disk.path}: is lane {one.lane} of the array, as {lanes[one.lane][0].path} is: the same "
                          "drive, or a copy of it")
        lanes[one.lane] = disk, one
    drives = found[0][1].drives
    if found[0][1].level == RAID1:
        return _mirrors([lanes[lane] for lane in sorted(lanes)])
    if missing := [str(lane) for lane in range(drives) if lane not in lanes]:
        raise Refused(f"{' '.join(str(disk.path) for disk in disks)}: {_lanes(missing, drives)} missing "
                      "(counted from 0): an array needs all of its drives")
    _check_events(found)
    ordered = [lanes[lane] for lane in range(drives)]
    first = ordered[0][1]
    return Members([disk for disk, _ in ordered], [one for _, one in ordered],
                   Geometry(first.level, first.chunk_sectors, tuple(one.data_sectors for _, one in ordered)))


def _mirrors(found):
    """Both mirrors, or one."""
    one = found[0][1]
    where = Geometry(one.level, one.chunk_sectors, one.drives * (one.data_sectors,))
    disks, superblocks = [disk for disk, _ in found], [each for _, each in found]
    if len(found) == 1:
        return Members(disks, superblocks, where, _of_one(*found[0]), bool(one.missing))
    _check_failed(found)
    # Power may fail between the marks of the two; md uses both then, too.
    interrupted = abs(superblocks[0].events - superblocks[1].events) == 1
    if not interrupted:
        _check_events(found)
    clean = not interrupted and all(each.resync == CLEAN for each in superblocks)
    return Members(disks, superblocks, where, () if clean else (
        f"{_DIRTY}: they may differ, which `sata-recorder verify` shows",))


def _of_one(disk, one):
    """The notes on a mirror without the other one."""
    [other] = {0, 1} - {one.lane}
    if one.missing:
        return (f"degraded: {disk.path} is lane {one.lane} of two mirrors, and by its superblock lane {other} has "
                "failed: what it has, it alone has",)
    alone = f"{disk.path} is lane {one.lane} of two mirrors, and lane {other} was not looked at: this one may be stale"
    return (alone,) if one.resync == CLEAN else (alone, _DIRTY)


def _check_failed(found):
    """Refuses two mirrors if either names the other as failed."""
    (first, of_first), (second, of_second) = found
    if of_first.missing and of_second.missing:
        raise Refused(f"{first.path} {second.path}: each has gone on without the other, {first.path} with "
                      f"{of_first.events} events, {second.path} with {of_second.events}: name one of them alone")
    for (disk, one), (other, of_other) in (found, found[::-1]):
        if of_other.missing and one.events > of_other.events:
            raise Refused(f"{disk.path}: {other.path} names it as failed, but is older, with {of_other.events} events "
                          f"to {one.events}: neither is known to be whole, name one of them alone")
        if of_other.missing:
            raise Refused(f"{disk.path}: is in the array no more: {other.path} names it as failed, with "
                          f"{of_other.events} events, it has {one.events}: name {other.path} alone")


def _known(disk):
    """The superblock of a drive that has all the sectors that it states."""
    try:
        found = superblock_of(disk)
    except SuperblockError as error:
        raise Refused(f"{disk.path}: {error}") from None
    needed, held = found.offset + found.data_sectors, disk.size // SECTOR_BYTES
    if held < needed:
        raise Refused(f"{disk.path}: is smaller than it was: it has {held} sectors, and as lane {found.lane} of its "
                      f"array at least {needed}")
    return found


def _check_common(found):
    """Refuses drives that are not of one array, or whose superblocks contradict each other."""
    (ours, _), = Counter(one.array for _, one in found).most_common(1)
    reference, of_it = next((disk, one) for disk, one in found if one.array == ours)
    for disk, one in found:
        if one.array != ours:
            raise Refused(f"{disk.path}: is of another array than {reference.path}: of {one.array}, not of {ours}")
        for name, what in _COMMON:
            if vars(one)[name] != vars(of_it)[name]:
                raise Refused(f"{disk.path}: its superblock has another {what} than that of {reference.path}: "
                              f"{vars(one)[name]}, not {vars(of_it)[name]}")
        if one.level != LINEAR and one.data_sectors != of_it.data_sectors:
            raise Refused(f"{disk.path}: has {one.data_sectors} sectors of the array, {reference.path} "
                          f"{of_it.data_sectors}: `prepare` gives each drive of a RAID {one.level} as many")


def _check_events(found):
    newest, of_it = max(found, key=lambda pair: pair[1].events)
    for disk, one in found:
        if one.events != of_it.events:
            raise Refused(f"{disk.path}: is stale: it has {one.events} events, {newest.path} {of_it.events}: something "
                          "was written to the array without it"
                          + (f": name {newest.path} alone, or let mdadm assemble them" if one.level == RAID1 else ""))


def _lanes(numbers, drives):
    if len(numbers) == 1:
        return f"lane {numbers[0]} of {drives} is"
    return f"lanes {', '.join(numbers[:-1])} and {numbers[-1]} of {drives} are"
