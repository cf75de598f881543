"""What is on a drive or an image: its recordings, its slots, and what cannot be read of them."""

import contextlib
import errno
import functools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from ...facts.units import SECTOR_BYTES
from .copying import pieces
from .disk import OpenDisk
from .disk_reader import DiskReader
from .entries_of_slot import FOLDER, data_name, unused_name
from .exfat import Malformed, Volume, path_key
from .free_slots import FreeSlots, changes_of
from .md_member import is_md_member
from .order import segments_of
from .reading import has_table, read_log, read_slot, read_table
from .recording import (UNKNOWN_ORDER, Recording, extents_of, log_of_file, recording_of_log)
from .refused import Refused
from .table import Slot

__all__ = ["Drive"]

FREE, RECORDED, UNFINISHED, CHANGED = "free", "recorded", "unfinished", "changed"


class Drive:
    """A prepared drive or image, opened read-only. A context manager.

    ``table`` and ``slots`` state where recordings can be, ``recordings`` is a list of each
    :class:`.recording.Recording`, in the order of the slots. ``changes`` states why it is not the drive
    that was prepared: then no slot is free. ``taken`` has a :class:`.free_slots.Taken` for the number
    of each slot that is not free for a reason of its own. ``problems`` are what is wrong
    besides. ``volume`` is None if its file system cannot be read: then the recordings are those of
    the logs.

    ``source`` is the drive if it is open already; it stays open. Raises :exc:`.refused.Refused`
    for what is not a prepared drive.
    """

    def __init__(self, path: str | Path, source: OpenDisk | None = None) -> None:
        self.path = path
        self._is_mine = source is None
        self.source: OpenDisk = DiskReader(path) if source is None else source
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self):
        self.problems = []
        if is_md_member(self.source):
            raise Refused(f"{self.path}: is a member of an array (Linux md), not a drive of its own: name all of its "
                          "members", damaged=True)
        try:
            self.table = read_table(self.source)
        except Malformed as error:
            if has_table(self.source):
                raise Refused(f"{self.path}: {error}. What its file system has can still be copied; "
                              "`sata-recorder prepare` makes all of it again", damaged=True) from None
            raise Refused(f"{self.path}: {error}. `sata-recorder prepare` makes one; `extract "
                          "--lba` copies sectors of any drive") from None
        if (held := self.source.size // SECTOR_BYTES) < self.table.disk_sectors:
            self.problems.append(f"it has {held} sectors, and had {self.table.disk_sectors} when it was prepared: its "
                                 "end is missing")
        self.changes = changes_of(self.source, self.table)
        self.cluster_bytes = SECTOR_BYTES << self.table.cluster_shift
        self.slots, self.logs, self._torn, self._unread = [], {}, {}, set()
        for number in range(1, self.table.slots + 1):
            self._read_slot(number)
        try:
            self.volume = Volume(self.source, self.table.partition_lba)
            self._files = list(self.volume.walk())
            self._judge()
            self.problems += self.volume.problems
        except (OSError, Malformed) as error:
            self.problems.append(f"the file system cannot be read: {error}")
            self.volume, self._files = None, []
            self._judge()
        self.recordings = self._recordings()

    def _judge(self):
        self._free = FreeSlots(self.source, self.table, self.volume, self.slots)
        self.taken = {slot.number: taken for slot in self.slots
                      if (taken := self._free.against(slot)) is not None}
        if not self.changes:    # on a drive that was changed all that is a consequence
            self.problems += self._free.problems
            self.problems += [f"slot {number}: {taken.text}" for number, taken in self.taken.items()
                              if taken.is_wrong]

    def _read_slot(self, number):
        try:
            slot = read_slot(self.source, self.table, number)
        except (OSError, Malformed) as error:
            self.problems.append(f"slot {number} cannot be read: {error}")
            return
        self.slots.append(slot)
        try:
            log = read_log(self.source, slot)
            if log is not None and ((log.slot, log.lba) != (number, slot.lba) or log.bytes > slot.bytes):
                raise Malformed("is that of another slot")
            if log is not None:
                self.logs[number] = log
        except (OSError, Malformed) as error:
            self.problems.append(f"the log of slot {number} cannot be read: {error}")
            self._unread.add(number)
            with contextlib.suppress(OSError, Malformed):
                self._torn[number] = read_log(self.source, slot, whole=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the drive; arrays of :meth:`memmap` stay valid."""
        if self._is_mine:
            self.source.close()

    @property
    def folder_lba(self) -> int:
        """The first sector of the folder of the recordings, also for a table of version 1."""
        return self._free.folder_lba

    @property
    def folder_problems(self) -> list[str]:
        """What is wrong with the folder and with the owners of clusters; for a drive that has
        ``changes`` they are not among ``problems``."""
        return self._free.problems

    @property
    def has_unread_logs(self) -> bool:
        """Whether there are logs that cannot be read, so that recordings may be unknown."""
        return bool(self._unread)

    def state(self, slot: Slot) -> str:
        """What the :class:`.table.Slot` holds: ``free``, ``recorded``, ``unfinished`` (a log and no
        file yet) or ``changed`` by another system."""
        if slot.number in self._numbers:
            return RECORDED
        if self.changes or slot.number in self.taken:
            return CHANGED
        return UNFINISHED if slot.number in self.logs else FREE

    def _recordings(self):
        nodes = {}
        for node in self._files:
            if node.set.size and not node.is_directory:
                nodes.setdefault(node.set.first_cluster, []).append(node)
        found = []
        for slot in self.slots:
            log = self.logs.get(slot.number)
            node = self._recorded_node(slot, log, nodes.get(slot.first_cluster, ()))
            if node is not None:
                found.append(self._of_file(node, slot))
            elif log is not None:
                found.append(recording_of_log(slot, log, self._segments(slot, log),
                                              self._others(slot)))
        return found

    def _recorded_node(self, slot, log, nodes):
        """Which of the files that begin with the slot is its recording; None if none is.

        If a user renames the file of what is unused, or has another file where a recording was,
        there is no recording: either the log fits the file, or what it leaves of the slot is there.
        """
        wanted = self._key(unused_name(slot.number))[-1]
        nodes = [node for node in nodes if node.key[-1] != wanted and self._is_whole(node)]
        if log is not None and (fitting := [node for node in nodes if log_of_file(
                log, slot, node.set.size) is not None]):
            return fitting[0]
        made = SECTOR_BYTES * slot.directory_lba + slot.recording_offset
        for node in nodes:
            left = slot.clusters - self.volume.boot.clusters_of(node.set.size)
            rest = self._free.unused_file(slot)
            if left == 0 and node.place == made:
                return node
            if left > 0 and (log is None or node.place == made) and rest is not None and \
                    rest.key[:-1] == node.key[:-1] and (rest.set.first_cluster, rest.set.size) == (
                        slot.first_cluster + slot.clusters - left, left * self.cluster_bytes):
                return node
        return None

    def _is_whole(self, node):
        """Whether it is known where all of a file is."""
        try:
            self.volume.clusters(node.set)
        except (OSError, Malformed) as error:
            self.problems.append(f"{node.path}: {error}")
            return False
        return True

    @functools.cached_property
    def taken_names(self) -> list[tuple[int, str]]:
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

    def _others(self, slot, *places):
        rest = self._free.unused_file(slot)
        return self._free.other_owners(slot, *places, *(() if rest is None else (rest.place,)))

    def _of_file(self, node, slot):
        # A file can use what is left of its log; without a file that makes no recording. A torn log
        # is its own only if it is of just this file: an earlier recording's may have been left in the slot.
        whole = self.logs.get(slot.number)
        there = whole or self._torn.get(slot.number)
        if there is not whole and (there.bytes, there.lba) != (node.set.size, slot.lba):
            there = None
        log = None if there is None else log_of_file(there, slot, node.set.size)
        # A file without its log and smaller than the slot is that of a power failure after an update.
        fills = self.volume.boot.clusters_of(node.set.size) == slot.clusters
        unknown = log is None and (fills or slot.number in self._unread if there is None
                                   else there.order is not None)
        # A ring that was stopped may be shorter than the file that an update has made of it.
        old = 0 if log is None else node.set.size - log.bytes
        file = replace(node.set, size=node.set.size - old)
        others = tuple(self._others(slot, node.place))
        self.problems += [f"{node.path}: its clusters belong to {path}, too" for path in others]
        if unknown:
            self.problems.append(f"{node.path}: {UNKNOWN_ORDER}")
        return Recording(node.path.rpartition("/")[2], node.path, file.size,
                         tuple(extents_of(self.volume, file)), slot.number,
                         node.set.created.datetime(), log, min(node.set.valid, file.size), old,
                         segments=self._segments(slot, log), others=others, order_is_unknown=unknown,
                         logged_bytes=whole.bytes if whole and log is None else None)

    def _segments(self, slot, log):
        if log is None or log.order is None:
            return ()
        try:
            return segments_of(slot.lba, slot.sectors, log.order, failed=log.error != 0)
        except Malformed as error:
            self.problems.append(f"the log of slot {slot.number} cannot be read: {error}")
            return ()

    def find(self, name: int | str) -> Recording:
        """The :class:`.recording.Recording` with this name or path, or of this slot's number; an
        ``int`` is the number of a slot alone.

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

    def memmap(self, recording: Recording, dtype: Any = "uint8", *, segment: int | None = None,
               raw: bool = False) -> Any:
        """The data of a :class:`.recording.Recording`, or of that ``segment`` of it, from 1, as a read-only
        numpy array, without a copy; with ``raw`` those of the file, whatever their order is.

        Bytes at the end that fill no element are left out, and so are those after what was
        written. Raises :exc:`.refused.Refused` for what is not contiguous, such as a ring that has
        wrapped, and for an array: :meth:`read` puts that in order.
        """
        import numpy

        if not self.source.is_file:
            raise Refused(f"{self.path}: its sectors are not in a row in one file: read() gives a recording")
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

    def blocks(self, recording: Recording, *, segment: int | None = None) -> Iterator[memoryview]:
        """The data of a :class:`.recording.Recording`, or of that ``segment`` of it, from the oldest
        to the newest word: views of bytes, each valid until the next but one.

        Raises :exc:`.refused.Refused`, and ``OSError`` if a sector cannot be read.
        """
        extents, size = recording.part(segment)
        valid = recording.valid_bytes if extents == recording.extents else None
        damaged: list[Any] = []
        for view in pieces(self.source, extents, size, damaged, valid):
            if damaged:
                raise OSError(errno.EIO, f"byte {damaged[0][0]} of {recording.name} cannot be read")
            yield view

    def read(self, recording: Recording, dtype: Any = "uint8", *, segment: int | None = None) -> Any:
        """What :meth:`blocks` gives of the recording, or of its ``segment``, from 1, as a numpy array; bytes at its end
        that fill no element are left out."""
        import numpy

        content = bytearray()
        for view in self.blocks(recording, segment=segment):
            content += view
        return numpy.frombuffer(content, dtype, len(content) // numpy.dtype(dtype).itemsize)
