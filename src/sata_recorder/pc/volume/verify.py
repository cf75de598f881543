"""Whether a prepared drive is whole: table, file system, slots, and the data of its recordings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .copying import copy
from .drive import CHANGED, RECORDED, Drive
from .exfat import check
from .free_slots import way_out
from .sidecar import ALGORITHMS

__all__ = ["Verified", "verify"]


@dataclass
class Verified:
    """``problems`` are what is wrong, ``notes`` what is not wrong, but should be known; ``checked`` are
    recordings with their sums, ``unchecked`` the names of those with nothing to compare."""

    problems: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    checked: list = field(default_factory=list)
    unchecked: list = field(default_factory=list)


def verify(drive: Drive, *, sidecars: Sequence[Any] = (), progress: Callable[..., object] | None = None) -> Verified:
    """Checks the :class:`.drive.Drive` and returns :class:`Verified`.

    ``sidecars`` are dictionaries that :func:`.sidecar.sidecar` has made of its recordings;
    ``progress`` is called with a recording and the bytes of it that were read. Raises
    :exc:`.refused.Refused` for a sidecar of a recording that is not there.
    """
    expected: dict[Any, list[Any]] = {}
    for one in sidecars:
        expected.setdefault(drive.find(one["slot"]).slot, []).append(one)
    found = Verified()
    recordings = drive.recordings
    found.problems += [*drive.changes, *([way_out(drive.path)] if drive.changes else ())]
    found.problems += drive.problems
    if drive.volume is not None:
        _check_place(drive, found)
        # The drive has already reported some of it.
        found.problems += [text for text in check(drive.volume) if text not in found.problems]
    for slot in drive.slots:
        state = drive.state(slot)
        if state == CHANGED:
            if not drive.changes:
                found.notes.append(f"slot {slot.number}: takes no recording: "
                                   f"{drive.taken[slot.number].text}")
        elif state != RECORDED and slot.number in drive.logs:
            found.problems.append(f"slot {slot.number}: a recording of "
                                  f"{drive.logs[slot.number].bytes} bytes was not made a file; "
                                  "`sata-recorder finalise` does that")
    found.problems += [f"slot {number}: its recording would be another file {path}; move that away"
                       for number, path in drive.taken_names]
    for recording in recordings:
        found.notes += [f"{recording.name}: {text}" for text in recording.doubts
                        if not recording.order_is_unknown]
        if recording.is_file:
            _check_data(drive, recording, found, expected.get(recording.slot, []), progress)
    return found


def _check_place(drive, found):
    boot, table = drive.volume.boot, drive.table
    if (boot.partition_offset, boot.volume_sectors, boot.cluster_shift) != (
            table.partition_lba, table.partition_sectors, table.cluster_shift):
        found.problems.append("recording table and file system differ in place or cluster size: "
                              "the drive was formatted since")
    for slot in drive.slots:
        if slot.lba != drive.volume.lba(slot.first_cluster):
            found.problems.append(f"slot {slot.number}: its cluster {slot.first_cluster} is not at "
                                  f"LBA {slot.lba}")


def _check_data(drive, recording, found, sidecars, progress):
    """The file in the order of its places, and what each sidecar describes."""
    described = [(sidecar, *_described(recording, sidecar)) for sidecar in sidecars]
    # What a sidecar states about the file as a whole is checked in the same pass.
    algorithm = next((_algorithm(sidecar) for sidecar, _, extents, _ in described
                      if extents == recording.extents), None)
    copied = copy(drive.source, recording.extents, recording.bytes, None,
                  valid=recording.valid_bytes, algorithm=algorithm,
                  progress=progress and (lambda done: progress(recording, done)))
    for offset, size in copied.damaged:
        found.problems.append(f"{recording.name}: bytes {offset} to {offset + size - 1} cannot be "
                              "read")
    for sidecar, name, extents, size in described:
        wanted, digest = _algorithm(sidecar), copied.digest
        if extents != recording.extents or wanted != algorithm:
            valid = recording.valid_bytes if extents == recording.extents else None
            digest = copy(drive.source, extents, size, None, valid=valid, algorithm=wanted).digest
        if (sidecar["bytes"], sidecar[wanted]) != (size, digest):
            found.problems.append(f"{name}: is not what its sidecar describes: {size} bytes, "
                                  f"{wanted} {digest}")
        else:
            found.checked.append(f"{name}: its {wanted} is that of the sidecar")
    if recording.old_bytes:
        found.notes.append(f"{recording.name}: the power failed at its end: its file has "
                           f"{recording.old_bytes} bytes more, which are old")
    log = recording.log
    if log is None or log.crc32 is None:
        if not sidecars:
            found.unchecked.append(recording.name)
    elif log.crc32 != copied.crc32:
        found.problems.append(f"{recording.name}: its CRC-32 is {copied.crc32:08x}, and "
                              f"{log.crc32:08x} when it was recorded")
    else:
        found.checked.append(f"{recording.name}: its CRC-32 is the recorded one")


def _algorithm(sidecar):
    return next(name for name in ALGORITHMS if name in sidecar)


def _described(recording, sidecar):
    """(name, extents, bytes) of what the sidecar is about: the file, or what was recorded, in its
    order."""
    segment, name, number = sidecar.get("segment"), recording.name, None
    if segment is not None and sidecar.get("mode") == "TRIGGERED":
        number = segment["number"]
        name += f", segment {number}"
    if sidecar.get("order") == "recorded":
        return name, *recording.part(number)
    return name, recording.extents, recording.bytes
