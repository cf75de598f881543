"""What is on a drive or an image: its recordings, its slots, and what cannot be read of them."""

import functools
from dataclasses import dataclass

from ..units import SECTOR_BYTES
from .disk_reader import DiskReader
from .entries_of_slot import FOLDER, data_name, is_free, unused_name
from .exfat import BootSector, FileSet, Malformed, Volume
from .finalise import read_slot, read_table
from .partitions import partitions
from .refused import Refused
from .table import JOURNAL_BYTES, Log

__all__ = ["Drive", "SectorRange", "Recording", "find_file"]

FREE, RECORDED, UNFINISHED, CHANGED = "free", "recorded", "unfinished", "changed"


@dataclass(frozen=True)
class SectorRange:
    """Sectors in a row, as the disk counts them."""

    lba: int
    sectors: int


@dataclass(frozen=True)
class Recording:
    """A recording: a file, or, where the file system no longer has it, what its log says."""

    name: str
    path: str
    bytes: int
    extents: tuple
    slot: int
    created: object             # datetime or None
    log: Log | None             # None where there is none, or one of another recording
    valid_bytes: int            # what was written; beyond it a system shows zeros
    is_file: bool = True        # false: the file system does not have it (any more)

    @property
    def contiguous(self):
        return len(self.extents) < 2


class Drive:
    """A prepared drive or image, opened read-only. A context manager.

    ``table`` and ``slots`` say where recordings can be, ``recordings`` lists them, ``problems``
    what is wrong. ``volume`` is None where its file system cannot be read: then the recordings are
    those of the logs. Raises :exc:`.refused.Refused` for what is no prepared drive.
    """

    def __init__(self, path):
        self.path = path
        self.source = DiskReader(path)
        try:
            self._open()
        except BaseException:
            self.source.close()
            raise

    def _open(self):
        self.problems = []
        try:
            self.table = read_table(self.source)
        except Malformed as error:
            raise Refused(f"{self.path}: {error}. `sata-recorder prepare` makes one; `extract "
                          "--lba` copies sectors of any drive") from None
        self.cluster_bytes = SECTOR_BYTES << self.table.cluster_shift
        self.slots, self.logs = [], {}
        for number in range(1, self.table.slots + 1):
            self._read_slot(number)
        try:
            self.volume = Volume(self.source, self.table.partition_lba)
            self._files = list(self.volume.walk())
        except (OSError, Malformed) as error:
            self.problems.append(f"the file system cannot be read: {error}")
            self.volume, self._files = None, []

    def _read_slot(self, number):
        try:
            slot = read_slot(self.source, self.table, number)
        except (OSError, Malformed) as error:
            self.problems.append(f"slot {number} cannot be read: {error}")
            return
        self.slots.append(slot)
        try:
            content = self.source.read(SECTOR_BYTES * slot.log_lba, SECTOR_BYTES + JOURNAL_BYTES)
            if any(content):
                self.logs[number] = Log.parse(content)
        except (OSError, Malformed) as error:
            self.problems.append(f"the log of slot {number} cannot be read: {error}")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        """Closes the drive; arrays of :meth:`memmap` stay."""
        self.source.close()

    def state(self, slot):
        """What the :class:`.table.Slot` holds: ``free``, ``recorded``, ``unfinished`` (a log and no
        file yet) or ``changed`` by another system."""
        if slot.number in self._numbers:
            return RECORDED
        try:
            sector = self.source.read(SECTOR_BYTES * slot.directory_lba, SECTOR_BYTES)
        except OSError:
            return CHANGED
        if not is_free(sector, slot, self.cluster_bytes):
            return CHANGED
        return UNFINISHED if slot.number in self.logs else FREE

    @functools.cached_property
    def recordings(self):
        """The :class:`Recording` of each slot that has one, in the order of the slots."""
        slots = {slot.first_cluster: slot for slot in self.slots}
        found = {}
        for node in self._files:
            slot = slots.get(node.set.first_cluster)
            if slot is None or node.is_directory or not node.set.size \
                    or node.set.name == unused_name(slot.number):
                continue
            try:
                found[slot.number] = self._of_file(node, slot)
            except (OSError, Malformed) as error:
                self.problems.append(f"{node.path}: {error}")
        for slot in self.slots:
            log = self.logs.get(slot.number)
            if slot.number not in found and log is not None and log.bytes <= slot.bytes:
                found[slot.number] = _of_log(slot, log)
        return [found[number] for number in sorted(found)]

    @functools.cached_property
    def _numbers(self):
        """The slots whose recording is a file."""
        return {one.slot for one in self.recordings if one.is_file}

    def _of_file(self, node, slot):
        log = self.logs.get(slot.number)
        if log is not None and (log.bytes, log.lba) != (node.set.size, slot.lba):
            log = None          # of another recording
        return Recording(node.path.rpartition("/")[2], node.path, node.set.size,
                         tuple(extents_of(self.volume, node.set)), slot.number,
                         node.set.created.datetime(), log, node.set.valid)

    def find(self, name):
        """The :class:`Recording` with this name or path, or of this slot's number.

        Raises :exc:`.refused.Refused`.
        """
        everything = self.recordings
        for one in everything:
            if str(name).strip("/").upper() in (one.name.upper(), one.path.upper(), str(one.slot)):
                return one
        known = ", ".join(one.name for one in everything) or "no recording"
        raise Refused(f"{name}: there is no such recording on {self.path}; there is {known}")

    def memmap(self, recording, dtype="uint8"):
        """The data of a :class:`Recording` as a read-only numpy array, without a copy.

        Bytes at the end that fill no element are left out, and so are those behind what was
        written. Raises :exc:`.refused.Refused` for a
        recording that is not contiguous.
        """
        import numpy

        if not recording.contiguous:
            raise Refused(f"{recording.name}: is in {len(recording.extents)} parts")
        count = recording.valid_bytes // numpy.dtype(dtype).itemsize
        if not count:
            return numpy.empty(0, dtype)
        return numpy.memmap(self.path, dtype, "r", SECTOR_BYTES * recording.extents[0].lba,
                            (count,))


def _of_log(slot, log):
    name = data_name(slot.number)
    return Recording(name, f"{FOLDER}/{name}", log.bytes,
                     (SectorRange(slot.lba, -(-log.bytes // SECTOR_BYTES)),), slot.number,
                     log.started and log.started.datetime(), log, log.bytes, is_file=False)


def extents_of(volume, file):
    """The :class:`SectorRange` of each run of clusters of a file, the last one cut at its end."""
    left = -(-file.size // SECTOR_BYTES)
    for first, count in volume.clusters(file):
        sectors = min(left, count << volume.boot.cluster_shift)
        yield SectorRange(volume.lba(first), sectors)
        left -= sectors


@dataclass(frozen=True)
class FoundFile:
    """An existing file on a volume that need not have been prepared."""

    path: str
    file: FileSet
    extents: tuple              # of all its clusters' sectors up to its length
    directory_lba: int
    directory_offset: int
    boot: BootSector


def find_file(path, wanted):
    """The :class:`FoundFile` ``wanted`` on the first exFAT volume of the drive or image ``path``.

    Raises :exc:`.refused.Refused`; also for a file that is not contiguous, on which a recording
    would be in parts.
    """
    with DiskReader(path) as source:
        fault = None
        try:
            places = partitions(source)
        except (OSError, Malformed) as error:
            raise Refused(f"{path}: {error}") from None
        for start, _ in places:
            try:
                volume = Volume(source, start)
                node = volume.find(wanted)
                if node is None or node.is_directory:
                    raise Refused(f"{path}: has no file {wanted}")
                extents = tuple(extents_of(volume, node.set))
            except (OSError, Malformed) as error:
                fault = fault or error
                continue
            if len(extents) != 1:
                what = f"is in {len(extents)} parts" if extents else "is empty"
                raise Refused(f"{path}: {wanted} {what}; a recording needs sectors in a row")
            return FoundFile(node.path, node.set, extents, *divmod(node.place, SECTOR_BYTES),
                             volume.boot)
        raise Refused(f"{path}: {fault}" if fault else f"{path}: has no partition")
