"""What is on a drive or an image: its recordings, its slots, and what cannot be read of them."""

import contextlib
import errno
import functools
from dataclasses import dataclass, replace

from ..units import SECTOR_BYTES, WORD_BYTES
from .copying import pieces
from .disk_reader import DiskReader
from .entries_of_slot import FOLDER, data_name, is_free, unused_name
from .exfat import BootSector, FileSet, Malformed, Volume, path_key
from .finalise import read_log, read_slot, read_table
from .order import RING, TRIGGERED, SectorRange, segments_of
from .partitions import partitions
from .refused import Refused
from .table import Log

__all__ = ["Drive", "Recording", "find_file"]

FREE, RECORDED, UNFINISHED, CHANGED = "free", "recorded", "unfinished", "changed"


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
    old_bytes: int = 0          # of its file behind it, of what was there before
    is_file: bool = True        # false: the file system does not have it (any more)
    segments: tuple = ()        # of a ring, or of triggers: each :class:`.order.RecordedSegment`

    @property
    def contiguous(self):
        return len(self.extents) < 2

    @property
    def order(self):
        """The :class:`.order.SectorOrder` of its sectors; None where that is that of the file."""
        return None if self.log is None else self.log.order

    def part(self, segment=None):
        """(extents, bytes) of what was recorded, in its order: all, or that segment of it.

        Raises :exc:`.refused.Refused` where that is not one piece, or is not known.
        """
        order = self.order
        if segment is not None:
            for one in self.segments:
                if one.number == segment and order.mode == TRIGGERED:
                    return one.extents, one.bytes
            there = ", ".join(str(one.number) for one in self.segments
                              if order.mode == TRIGGERED) or "none"
            raise Refused(f"segment {segment}: {self.name} has no such segment; it has {there}")
        if order is None or order.is_recorded:
            return self.extents, self.bytes
        if order.mode == RING and self.segments:
            return self.segments[0].extents, self.segments[0].bytes
        if len(self.segments) == 1 == order.segments:
            return self.segments[0].extents, self.segments[0].bytes
        what = f"it has {order.segments} segments, of which one must be named"
        if not self.segments:
            what = "the order of its sectors cannot be read; --raw has that of their places"
        raise Refused(f"{self.name}: {what}")


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
        self.slots, self.logs, self._torn = [], {}, {}
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
            log = read_log(self.source, slot)
            if log is not None:
                self.logs[number] = log
        except (OSError, Malformed) as error:
            self.problems.append(f"the log of slot {number} cannot be read: {error}")
            with contextlib.suppress(OSError, Malformed):
                self._torn[number] = read_log(self.source, slot, whole=False)

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
        if not is_free(sector, slot):
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
                found[slot.number] = _of_log(slot, log, self._segments(slot, log))
        return [found[number] for number in sorted(found)]

    @functools.cached_property
    def taken_names(self):
        """(number, path) of each free slot whose recording would get the name of another file."""
        if self.volume is None:
            return []
        paths = {node.key: node.path for node in self._files}
        wanted = ((slot, self.volume.key(f"{FOLDER}/{data_name(slot.number)}"))
                  for slot in self.slots)
        return [(slot.number, paths[key]) for slot, key in wanted
                if key in paths and self.state(slot) == FREE]

    @functools.cached_property
    def _numbers(self):
        """The slots whose recording is a file."""
        return {one.slot for one in self.recordings if one.is_file}

    def _of_file(self, node, slot):
        # Of a file what is left of its log says something; without one it is that of no recording.
        log = self.logs.get(slot.number) or self._torn.get(slot.number)
        if log is not None:
            log = _log_of(log, slot, node.set.size)
        # A ring that was stopped may be shorter than the file that an update has made of it.
        old = 0 if log is None else node.set.size - log.bytes
        file = replace(node.set, size=node.set.size - old)
        return Recording(node.path.rpartition("/")[2], node.path, file.size,
                         tuple(extents_of(self.volume, file)), slot.number,
                         node.set.created.datetime(), log, min(node.set.valid, file.size), old,
                         segments=self._segments(slot, log))

    def _segments(self, slot, log):
        if log is None or log.order is None:
            return ()
        try:
            return segments_of(slot.lba, slot.sectors, log.order, failed=log.error != 0)
        except Malformed as error:
            self.problems.append(f"the log of slot {slot.number} cannot be read: {error}")
            return ()

    def find(self, name):
        """The :class:`Recording` with this name or path, or of this slot's number; an ``int`` is the
        number of a slot alone.

        Raises :exc:`.refused.Refused`.
        """
        everything, wanted = self.recordings, str(name).strip("/")
        if isinstance(name, int):
            everything = [one for one in everything if one.slot == name]
        key = self._key(wanted)
        found = [one for one in everything if self._key(one.path) == key or one.path == wanted] or [
            one for one in everything
            if key == self._key(one.name) or wanted in (one.name, str(one.slot))]
        if len(found) == 1:
            return found[0]
        if found:
            raise Refused(f"{name}: can be {' or '.join(one.path for one in found)} on {self.path}")
        known = ", ".join(one.name for one in everything) or "no recording"
        raise Refused(f"{name}: there is no such recording on {self.path}; there is {known}")

    def _key(self, path):
        return path_key(path, None if self.volume is None else self.volume.upcase)

    def memmap(self, recording, dtype="uint8", *, segment=None, raw=False):
        """The data of a :class:`Recording`, or of that ``segment`` of it, as a read-only numpy
        array, without a copy; with ``raw`` those of the file, whatever their order is.

        Bytes at the end that fill no element are left out, and so are those behind what was
        written. Raises :exc:`.refused.Refused` for what is not contiguous, such as a ring that has
        wrapped: :meth:`read` puts that in order.
        """
        import numpy

        extents, size = (recording.extents, recording.bytes) if raw else recording.part(segment)
        if len(extents) > 1:
            what = "wraps round: read() puts it in order, raw=True maps the order of its places" \
                if extents != recording.extents else f"is in {len(extents)} parts"
            raise Refused(f"{recording.name}: {what}")
        if extents == recording.extents:
            size = min(size, recording.valid_bytes)
        count = size // numpy.dtype(dtype).itemsize
        if not count:
            return numpy.empty(0, dtype)
        return numpy.memmap(self.path, dtype, "r", SECTOR_BYTES * extents[0].lba, (count,))

    def blocks(self, recording, *, segment=None):
        """The data of a :class:`Recording`, or of that ``segment`` of it, from the oldest to the
        newest word: views of bytes, each valid until the next but one.

        Raises :exc:`.refused.Refused`, and ``OSError`` where a sector cannot be read.
        """
        extents, size = recording.part(segment)
        valid = recording.valid_bytes if extents == recording.extents else None
        damaged = []
        for view in pieces(self.source, extents, size, damaged, valid):
            if damaged:
                raise OSError(errno.EIO, f"byte {damaged[0][0]} of {recording.name} cannot be read")
            yield view

    def read(self, recording, dtype="uint8", *, segment=None):
        """What :meth:`blocks` gives, as a numpy array; bytes at its end that fill no element are
        left out."""
        import numpy

        content = bytearray()
        for view in self.blocks(recording, segment=segment):
            content += view
        return numpy.frombuffer(content, dtype, len(content) // numpy.dtype(dtype).itemsize)


def _log_of(log, slot, size):
    """The log of a file of so many bytes in ``slot``, None if it is that of another recording. When
    the power fails, a log may have segments, or sectors of a ring, that the file does not have yet;
    and the file of a ring that has not wrapped all of its slot, which an update gave it."""
    order = log.order
    if (log.bytes, log.lba) == (size, slot.lba):
        return log
    if log.lba != slot.lba or order is None:
        return None
    if order.mode == TRIGGERED and size < log.bytes and size % (SECTOR_BYTES * order.part) == 0:
        return replace(log, bytes=size, ended=False, order=order.until(
            size // (SECTOR_BYTES * order.part)))
    if order.mode == RING and size < log.bytes:
        # A ring that may have wrapped has all of its slot.
        return replace(log, bytes=size, ended=False, crc32=None, order=replace(
            order, words=size // WORD_BYTES, written=-(-size // SECTOR_BYTES), oldest=0, table=()))
    if order.is_recorded and size == SECTOR_BYTES * slot.sectors:
        return log
    return None


def _of_log(slot, log, segments):
    name = data_name(slot.number)
    return Recording(name, f"{FOLDER}/{name}", log.bytes,
                     (SectorRange(slot.lba, -(-log.bytes // SECTOR_BYTES)),), slot.number,
                     log.started and log.started.datetime(), log, log.bytes, is_file=False,
                     segments=segments)


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
