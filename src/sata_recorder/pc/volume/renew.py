"""Renews the recording table of a drive that is sound, but that another system has changed: what it is now
becomes what it must be. Drives that version 1 has prepared get the proofs of version 2.

Nothing but the table is written. Whatever cannot be shown to be as it must be is a reason to refuse.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from ...facts.units import SECTOR_BYTES
from .disk import DiskTarget
from .disk_writer import prepared_target
from .drive import CHANGED, Drive
from .entries_of_slot import FOLDER, unused_crc
from .exfat import DIRTY, Malformed, check
from .md_member import refuse_mirror
from .partitions import main_partitions
from .proofs import SET_BYTES, proofs_of
from .refused import Refused
from .table import HEADER_LBA, MOST_BLOCK

__all__ = ["Renewed", "renew", "renew_target"]


@dataclass(frozen=True)
class Renewed:
    """``changes`` are what was renewed, none if nothing had to be; ``changed_slots`` the numbers of the
    slots that still take no recording, ``free`` how many do."""

    changes: tuple
    free: int
    changed_slots: tuple


def renew(path: str | Path, *, serial: str | None = None) -> Renewed:
    """Renews the recording table of the prepared image or block device ``path``, whose ``serial`` number
    a device needs. Returns :class:`Renewed`. Raises :exc:`.refused.Refused`, ``OSError``."""
    with prepared_target(path, serial=serial) as target:
        return renew_target(target)


def renew_target(target: DiskTarget) -> Renewed:
    """As :func:`renew`, of what is open as ``target`` already. Raises :exc:`.refused.Refused` if the table must stay
    as it is, and ``OSError``."""
    refuse_mirror(target.path, target)
    drive = Drive(target.path, target)
    reasons = _reasons(drive)
    if reasons:
        raise Refused(f"{target.path}: the recording table stays as it is: {'; '.join(reasons)}")
    changes = tuple(drive.changes)
    if changes:
        _write(drive, target)
        drive = Drive(target.path, target)
    states = {slot.number: drive.state(slot) for slot in drive.slots}
    return Renewed(changes, list(states.values()).count("free"), tuple(
        number for number, state in states.items() if state == CHANGED))


def _reasons(drive):
    """Why the table must not be renewed."""
    table, volume = drive.table, drive.volume
    if volume is None or len(drive.slots) < table.slots or drive.has_unread_logs:
        return drive.problems
    found = _of_partitions(drive.source, table)
    boot = volume.boot
    if (boot.partition_offset, boot.volume_sectors, boot.cluster_shift) != (
            table.partition_lba, table.partition_sectors, table.cluster_shift):
        found.append("the file system is another one: the partition was formatted since")
    if boot.flags & DIRTY:
        found.append("the volume was not unmounted: let fsck.exfat or a system that mounts it repair it")
    found += drive.problems + [text for text in check(volume) if text not in drive.problems]
    found += drive.folder_problems or _of_folder_entry(volume)
    found += [f"slot {number}: {taken.text}" for number, taken in drive.taken.items() if taken.is_wrong]
    return list(dict.fromkeys(found))


def _of_partitions(source, table):
    """What is wrong unless the partition is in a sound GUID Partition Table, and no other one has sectors before its
    end."""
    try:
        found = main_partitions(source, table.unit)
    except Malformed as error:
        return [f"the drive {error}"]
    ours = table.partition_lba, table.partition_sectors
    if found.count(ours) != 1:
        return [f"no partition is the one that was prepared, of {ours[1]} sectors from LBA {ours[0]}"]
    return [f"a partition begins at LBA {first}, before the end of the one that was prepared"
            for first, count in found if (first, count) != ours and first < sum(ours)]


def _of_folder_entry(volume):
    """What is wrong unless a proof can hold the folder's set: of three entries, near the beginning of the root."""
    node = volume.find(FOLDER)
    first, place = volume.lba(volume.boot.root_cluster), _place(volume, node)
    runs = volume.root_runs
    # Hardware reads no more sectors in a row than a block of the folder can have.
    reach = min(runs[0][1] * volume.boot.cluster_bytes, MOST_BLOCK * SECTOR_BYTES)
    if not 0 <= place <= reach - SET_BYTES:
        return [f"the entries of the folder {FOLDER} are too far from the first sector of the root, LBA {first}"]
    if node.entries * 32 != SET_BYTES:
        return [f"the folder {FOLDER} has {node.entries} entries in the root, not three"]
    return []


def _place(volume, node):
    """The byte of the root directory where the set of ``node`` is."""
    return node.place - SECTOR_BYTES * volume.lba(volume.boot.root_cluster)


def _write(drive, target):
    """Writes the slots first and the header last: until it is there, the table is not used."""
    table, volume = drive.table, drive.volume
    slots = [replace(slot, unused_crc=unused_crc(slot, drive.cluster_bytes)) for slot in drive.slots]
    target.write(table.slots_lba, table.in_rows(slots))
    target.flush()
    proofs = proofs_of(target, table.partition_lba, volume.lba(volume.boot.root_cluster),
                       _place(volume, volume.find(FOLDER)), table.unit)
    target.write(HEADER_LBA, replace(table, folder_lba=drive.folder_lba, proofs=proofs).pack())
    target.flush()
