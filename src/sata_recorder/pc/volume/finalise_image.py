"""Makes a file of what was recorded into a slot, on a PC: what :mod:`.finalise` plans is written."""

import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...facts.units import SECTOR_BYTES
from .disk import DiskTarget
from .disk_writer import prepared_target
from .drive import RECORDED, Drive
from .entries_of_slot import FOLDER, data_name
from .exfat import Timestamp
from .finalise import SectorWrite, check_length_and_name, finalise
from .free_slots import way_out
from .md_member import refuse_mirror
from .refused import Refused
from .table import Log

__all__ = ["finalise_image", "finalise_target"]

_CHUNK = 4 << 20


def finalise_image(path: str | Path, number: int, size: int, *, name: str | None = None,
                   started: datetime | None = None, device_serial: str | None = None, **known: Any) -> Log:
    """Makes a file of the ``size`` bytes that were recorded in slot ``number`` of the prepared
    image or block device ``path``. Returns the :class:`.table.Log`. A log that is there already
    stays; and if all of it has been done before, nothing is written.

    Parameters: ``started`` is a ``datetime``, None for now; ``device_serial`` that of a
    block device; ``known`` are other fields of the log. Raises :exc:`.refused.Refused`,
    ``OSError``.
    """
    _time(started)      # refused before anything is opened
    with prepared_target(path, serial=device_serial) as target:
        return finalise_target(target, number, size, name=name, started=started, **known)


def finalise_target(target: DiskTarget, number: int, size: int, *, name: str | None = None,
                    started: datetime | None = None, **known: Any) -> Log:
    """As :func:`finalise_image`, for slot ``number``, from 1, on what is already open as ``target``; raises what that
    raises: :exc:`.refused.Refused` for a slot that does not exist, is not free, or has no room for ``size`` bytes, and
    ``OSError``."""
    path, time = target.path, _time(started)
    refuse_mirror(path, target)
    drive = Drive(path, target)
    if not 1 <= number <= drive.table.slots:
        raise Refused(f"slot {number}: {path} has slots 1 to {drive.table.slots}")
    slot = next((one for one in drive.slots if one.number == number), None)
    if slot is None:
        raise Refused(f"slot {number}: {path}: {'; '.join(drive.problems)}")
    if drive.changes:
        raise Refused(f"{path}: {'; '.join(drive.changes)}; {way_out(path)}")
    name = data_name(number) if name is None else name
    check_length_and_name(slot, size, name)
    if (done := _done(drive, slot, size, name)) is not None:
        target.flush()
        return done
    _check_free(drive, slot, size)
    if (other := drive.volume.find(f"{FOLDER}/{name}")) is not None:
        raise Refused(f"name {name!r}: there is such a file in {FOLDER} already, {other.path}")
    if (log := drive.logs.get(number)) is None:
        log = Log(number, size, slot.lba, started=time, crc32=_crc32(target, slot.lba, size),
                  **known)
    sector = target.read(SECTOR_BYTES * slot.directory_lba, SECTOR_BYTES)
    for step in finalise(slot, sector, drive.cluster_bytes, log, name=name):
        if isinstance(step, SectorWrite):
            target.write(step.lba, step.content)
        else:
            target.flush()
    return log


def _time(started):
    try:
        return Timestamp.of(started or datetime.now(UTC))
    except ValueError as error:
        raise Refused(f"time {started}: {error}") from None


def _done(drive, slot, size, name):
    """The log of the recording that already is a file of this name and length, because
    finalise was interrupted at the last step; else None."""
    for one in drive.recordings:
        if one.slot == slot.number and one.is_file and one.log is not None and not one.others and \
                drive.volume.key(one.path) == drive.volume.key(f"{FOLDER}/{name}") and \
                (one.bytes, one.log.bytes) == (size, size) and one.log.crc32 in (
                    None, _crc32(drive.source, slot.lba, size)):
            return one.log
    return None


def _check_free(drive, slot, size):
    state = drive.state(slot)
    if state == RECORDED:
        one = drive.find(slot.number)
        raise Refused(f"slot {slot.number}: is not free: it has the recording {one.path} of "
                      f"{one.bytes} bytes")
    if slot.number in drive.taken:
        raise Refused(f"slot {slot.number}: is not free: {drive.taken[slot.number].text}")
    log = drive.logs.get(slot.number)
    if log is not None and log.bytes != size:
        raise Refused(f"slot {slot.number}: is not free: by its log it has a recording of {log.bytes} bytes, "
                      "not a file yet; with that length it becomes one")


def _crc32(source, lba, size):
    """The CRC-32 of ``size`` bytes from sector ``lba``; hardware has it once the last word has come."""
    total, offset = 0, SECTOR_BYTES * lba
    while size:
        part = source.read(offset, min(size, _CHUNK))
        total, offset, size = zlib.crc32(part, total), offset + len(part), size - len(part)
    return total
