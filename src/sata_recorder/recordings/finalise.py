"""What is done when a recording ends: the reference of what hardware does, step by step.

A sequencer without a processor needs, beside the numbers of the recording, one sector of the
recording table (:class:`.table.Slot`) and one sector of the directory. It writes the log and that
sector; nothing else on the drive changes.
"""

import contextlib
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime

from ..units import SECTOR_BYTES
from .disk_writer import prepared_target
from .entries_of_slot import FOLDER, MOST_NAME, data_name, directory_sector, is_free
from .exfat import Malformed, Timestamp, Volume, check_name
from .refused import Refused
from .table import HEADER_LBA, LOG_BYTES, MOST_LOG_BYTES, Log, RecordingTable, Slot

__all__ = ["FLUSH", "SectorWrite", "finalise", "finalise_image", "read_log", "read_slot",
           "read_table"]

_CHUNK = 4 << 20


@dataclass(frozen=True)
class SectorWrite:
    """Sectors from ``lba`` on that get this content."""

    lba: int
    content: bytes


#: All that was written before is on the medium before anything else is written.
FLUSH = "FLUSH CACHE"


def finalise(slot, sector, cluster_bytes, log, *, name=None):
    """The writes and flushes that make a file of what was recorded in ``slot``, in their order.

    Parameters: ``sector`` is the content of the slot's directory sector, ``log`` the
    :class:`.table.Log`, whose ``bytes`` are the length of the file; ``name`` of at most 15
    characters, None for the one that the slot has. Raises :exc:`.refused.Refused`.

    The data are on the medium before anything says that they are there. The log and the directory
    may reach it in either order: each of the four states is a sound file system.
    """
    name = data_name(slot.number) if name is None else name
    _check(slot, log.bytes, name)
    _check_free(slot, sector)
    return [FLUSH, SectorWrite(slot.log_lba, log.pack()),
            SectorWrite(slot.directory_lba,
                  directory_sector(sector, slot, cluster_bytes, log.bytes, name, log.started)), FLUSH]


def _check(slot, size, name):
    if not 1 <= size <= slot.bytes:
        raise Refused(f"{size} bytes: slot {slot.number} takes 1 to {slot.bytes}")
    try:
        check_name(name)
    except ValueError as error:
        raise Refused(f"name {name!r}: {error}") from None
    if len(name.encode("utf-16-le")) > 2 * MOST_NAME:
        raise Refused(f"name {name!r}: has more than {MOST_NAME} characters")


def _check_free(slot, sector):
    if not is_free(sector, slot):
        raise Refused(f"slot {slot.number}: is not free: it has a recording, or another system has "
                      "changed its files")


def read_table(source):
    """The :class:`.table.RecordingTable` of a drive.

    Raises :exc:`.exfat.Malformed`, ``OSError``.
    """
    if source.size < SECTOR_BYTES * (HEADER_LBA + 1):
        raise Malformed("has no recording table")
    return RecordingTable.parse(source.read(SECTOR_BYTES * HEADER_LBA, SECTOR_BYTES))


def read_slot(source, table, number):
    """The :class:`.table.Slot` of a drive. Raises :exc:`.exfat.Malformed`, ``OSError``."""
    return Slot.parse(source.read(SECTOR_BYTES * (table.slots_lba + number - 1), SECTOR_BYTES),
                      number)


def read_log(source, slot, *, whole=True):
    """The :class:`.table.Log` of a :class:`.table.Slot`, None where there is none; without
    ``whole`` what its first sector says.

    Raises :exc:`.exfat.Malformed`, ``OSError``.
    """
    place, first = SECTOR_BYTES * slot.log_lba, SECTOR_BYTES if not whole else LOG_BYTES
    content = source.read(place, first)
    if not any(content):
        return None
    if whole and Log.has_table(content):
        content += source.read(place + LOG_BYTES, MOST_LOG_BYTES - LOG_BYTES)
    return Log.parse(content, whole=whole)


def finalise_image(path, number, size, *, name=None, started=None, device_serial=None, **known):
    """Makes a file of the ``size`` bytes that were recorded in slot ``number`` of the prepared
    image or block device ``path``. Returns the :class:`.table.Log`. A log that is there already,
    of so many bytes and with the order of their sectors, stays.

    Parameters: ``started`` is a ``datetime``, None for now; ``device_serial`` that of a
    block device; ``known`` are other fields of the log. Raises :exc:`.refused.Refused`,
    ``OSError``.
    """
    try:
        time = Timestamp.of(started or datetime.now(UTC))
    except ValueError as error:
        raise Refused(f"time {started}: {error}") from None
    with prepared_target(path, serial=device_serial) as target:
        try:
            table = read_table(target)
            if not 1 <= number <= table.slots:
                raise Refused(f"slot {number}: {path} has {table.slots}")
            slot = read_slot(target, table, number)
            name = data_name(number) if name is None else name
            _check(slot, size, name)
            sector = target.read(SECTOR_BYTES * slot.directory_lba, SECTOR_BYTES)
            volume = Volume(target, table.partition_lba)
            _check_free(slot, sector)
            if volume.find(f"{FOLDER}/{name}"):
                raise Refused(f"name {name!r}: there is such a file in {FOLDER} already")
            log = _logged(target, slot, size) or Log(
                number, size, slot.lba, started=time, crc32=_crc32(target, slot.lba, size), **known)
        except Malformed as error:
            raise Refused(f"{path}: {error}") from None
        for step in finalise(slot, sector, volume.boot.cluster_bytes, log, name=name):
            if step is FLUSH:
                target.flush()
            else:
                target.write(step.lba, step.content)
    return log


def _logged(source, slot, size):
    """The log whose recording has only missed the write of its directory sector, if it knows more
    than anybody can say now."""
    with contextlib.suppress(OSError, Malformed):
        log = read_log(source, slot)
        if log is not None and log.order is not None and (log.lba, log.bytes) == (slot.lba, size):
            return log
    return None


def _crc32(source, lba, size):
    """The CRC-32 of ``size`` bytes from sector ``lba``; hardware has it when the last word came."""
    total, offset = 0, SECTOR_BYTES * lba
    while size:
        part = source.read(offset, min(size, _CHUNK))
        total, offset, size = zlib.crc32(part, total), offset + len(part), size - len(part)
    return total
