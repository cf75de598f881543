"""A reader of exFAT volumes: directories, files, and the clusters of each.

Microsoft, "exFAT file system specification", section 6 "Directory Structure". A volume with faults
is read as far as that goes; what was wrong is kept in ``Volume.problems``.
"""

import functools
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....facts.units import SECTOR_BYTES
from ..disk_reader import DiskSource
from .boot import BOOT_REGION_SECTORS, DIRTY, MEDIA_FAILURE, SECTOR_SHIFTS, parse_boot_region
from .entries import DIRECTORY, ENTRY_BYTES, IN_USE, FileSet, upcased
from .fat import Bitmap, follow
from .malformed import Malformed
from .upcase import expanded, table_checksum

__all__ = ["FileNode", "Volume", "path_key"]

_END, _BITMAP, _UPCASE, _FILE = 0x00, 0x81, 0x82, 0x85
#: Most bytes of a directory (section 7.6.7).
_MOST_DIRECTORY = 256 << 20
_MOST_UPCASE = 2 << 16
_MOST_DEPTH = 64
_FAT_BLOCK = 4096
#: The byte of a boot sector that states how long its sectors are.
_SHIFT_PLACE = 108


@dataclass(frozen=True)
class FileNode:
    """A file or a directory: its path, printable, its entry set, and the byte of the disk where
    that is. Two names count as one if their ``key`` is the same: their path in upper case. The set has
    so many ``entries``."""

    path: str
    set: FileSet
    place: int
    key: tuple
    entries: int

    @property
    def is_directory(self) -> bool:
        return bool(self.set.attributes & DIRECTORY)


class Volume:
    """The exFAT volume that begins at sector ``start`` of ``source``.

    Parameters: ``source`` has ``read(offset, size)``, bytes of the disk. Raises
    :exc:`.malformed.Malformed` if there is no such volume, ``OSError``.
    """

    def __init__(self, source: DiskSource, start: int = 0) -> None:
        self._source, self.start = source, start
        self.problems = []
        self.boot = self._boot()
        if self.boot.flags & DIRTY:
            self.problems.append("the volume was not unmounted, or the power failed while it was "
                                 "written")
        if self.boot.flags & MEDIA_FAILURE:
            self.problems.append("the system that wrote the volume has seen failures of the "
                                 "medium")
        # A method would make a cycle of references: the blocks would stay until a garbage collection.
        self._block = functools.lru_cache(1024)(functools.partial(
            _fat_block, source, (start + self.boot.fat_offset) * SECTOR_BYTES))
        self.system: list[tuple[str, Any]] = []     # (name, clusters) of what every volume has
        self.system_bytes: dict[str, int] = {}      # of those that do not fill their clusters, by name
        self.bitmap: Any = None
        self.upcase: Any = None
        self._read_root()

    def _boot(self):
        faults = []
        # What the main one states about the length of its sectors first.
        said = self.read_sectors(0, 1)[_SHIFT_PLACE]
        for shift in sorted(SECTOR_SHIFTS, key=lambda one: one != said):
            region = BOOT_REGION_SECTORS << shift - 9
            for number in 0, 1:
                try:
                    boot = parse_boot_region(self.read_sectors(number * region, region))
                except Malformed as error:
                    faults.append(error)
                    continue
                if faults:
                    self.problems.append(f"the main boot region {faults[0]}; the backup was read")
                elif boot.pack()[:106] != self.read_sectors(region, 1)[:106]:
                    self.problems.append("the backup boot region differs from the main one")
                return boot
        raise faults[0]

    def read_sectors(self, first: int, count: int) -> bytes:
        """``count`` sectors from sector ``first`` of the volume."""
        return self._source.read((self.start + first) * SECTOR_BYTES, count * SECTOR_BYTES)

    def lba(self, cluster: int) -> int:
        """The first sector of ``cluster``, as the disk counts them."""
        return self.start + self.boot.sector_of(cluster)

    def fat_entry(self, cluster: int) -> int:
        """FatEntry[``cluster``]."""
        number, place = divmod(4 * cluster, _FAT_BLOCK)
        return struct.unpack_from("<I", self._block(number), place)[0]

    def clusters(self, file: FileSet) -> list[tuple[int, int]]:
        """The clusters of the :class:`.entries.FileSet` ``file``, as (first, count) of each run.

        Raises :exc:`.malformed.Malformed`.
        """
        count = self.boot.clusters_of(file.size)
        if not count:
            return []
        if file.contiguous:
            if not (2 <= file.first_cluster and
                    file.first_cluster + count <= self.boot.clusters + 2):
                raise Malformed(f"{count} clusters from {file.first_cluster} are not in the volume")
            return [(file.first_cluster, count)]
        return _runs(follow(self.fat_entry, file.first_cluster, count, self.boot.clusters))

    def _content(self, runs):
        return b"".join(self.read_sectors(self.boot.sector_of(first),
                                          count << self.boot.cluster_shift)
                        for first, count in runs)

    def _read_root(self):
        root = follow(self.fat_entry, self.boot.root_cluster, None, self.boot.clusters)
        self.root_runs = _runs(root)
        self.system.append(("the root directory", self.root_runs))
        content = self._content(self.root_runs)
        for place in range(0, len(content), ENTRY_BYTES):
            kind = content[place]
            if kind == _END:
                break
            if kind in (_BITMAP, _UPCASE):
                first, size = struct.unpack_from("<IQ", content, place + 20)
                if kind == _BITMAP:
                    runs, found = self._special("allocation bitmap", first, size)
                    self.bitmap = Bitmap(self.boot.clusters, found[:size])
                elif size > _MOST_UPCASE:
                    raise Malformed(f"has an up-case table of {size} bytes")
                else:
                    runs, found = self._special("up-case table", first, size)
                    if table_checksum(found[:size]) != struct.unpack_from("<I", content,
                                                                          place + 4)[0]:
                        self.problems.append("the checksum of the up-case table differs")
                    self.upcase = expanded(found[:size])
        for name, found in ("allocation bitmap", self.bitmap), ("up-case table", self.upcase):
            if found is None:
                raise Malformed(f"has no {name}")

    def _special(self, name, first, size):
        count = self.boot.clusters_of(size)
        if not 1 <= count <= self.boot.clusters:
            raise Malformed(f"has an {name} of {size} bytes")
        runs = _runs(follow(self.fat_entry, first, count, self.boot.clusters))
        self.system.append((f"the {name}", runs))
        self.system_bytes[f"the {name}"] = size
        return runs, self._content(runs)

    def walk(self) -> list[FileNode]:
        """The :class:`FileNode` of each file and directory below the root. What is wrong with them
        is added to ``problems`` once."""
        return self._nodes

    @functools.cached_property
    def _nodes(self):
        problems = self.problems.copy()
        try:
            return list(self._walked())
        except BaseException:
            self.problems = problems    # each query gets them again
            raise

    def _walked(self):
        seen = {self.boot.root_cluster}
        waiting = [("", (), self.root_runs)]
        while waiting:
            path, key, runs = waiting.pop(0)
            for node in self._entries(path, key, runs):
                yield node
                if not node.is_directory:
                    continue
                if node.set.first_cluster in seen or node.path.count("/") > _MOST_DEPTH:
                    self.problems.append(f"{node.path}: a directory that is in itself")
                    continue
                seen.add(node.set.first_cluster)
                if node.set.size > _MOST_DIRECTORY:
                    self.problems.append(f"{node.path}: a directory of {node.set.size} bytes")
                    continue
                try:
                    waiting.append((node.path + "/", node.key, self.clusters(node.set)))
                except Malformed as error:
                    self.problems.append(f"{node.path}: {error}")

    def _entries(self, path, key, runs):
        """The nodes of a directory."""
        content, place, strange = self._content(runs), 0, []
        while place < len(content) and content[place] != _END:
            if content[place] != _FILE:
                if content[place] & IN_USE and path:
                    strange.append(place)
                place += ENTRY_BYTES
                continue
            size = ENTRY_BYTES * (1 + content[place + 1])
            entries = content[place:place + size]
            try:
                if len(entries) < size or not all(entries[ENTRY_BYTES::ENTRY_BYTES][n] & IN_USE
                                                  for n in range(content[place + 1])):
                    raise Malformed("its entries are not all there")
                file = FileSet.parse(entries, self.upcase)
            except Malformed as error:
                self.problems.append(f"/{path}: the file at byte {place} of the directory: {error}")
                place += ENTRY_BYTES
                continue
            yield FileNode(path + _printable(file.name), file, self._disk_byte(runs, place),
                           (*key, upcased(file.name, self.upcase)), size // ENTRY_BYTES)
            place += size
        if strange:
            self.problems.append(f"/{path}: {len(strange)} entries belong to no file, from byte "
                                 f"{strange[0]} on, of type {content[strange[0]]:02X}h")

    def _disk_byte(self, runs, place):
        """The byte of the disk that is byte ``place`` of the clusters ``runs``."""
        for first, count in runs:
            size = count * self.boot.cluster_bytes
            if place < size:
                return self.lba(first) * SECTOR_BYTES + place
            place -= size
        raise IndexError(place)

    def key(self, path: str) -> tuple[tuple[int, ...], ...]:
        """The ``key`` of the :class:`FileNode` with this path."""
        return path_key(path, self.upcase)

    def find(self, path: str) -> FileNode | None:
        """The :class:`FileNode` with this path, case ignored as the volume's up-case table defines;
        or None."""
        wanted = self.key(path)
        return next((node for node in self.walk() if node.key == wanted), None)


def path_key(path: str, upcase: Sequence[int] | None = None) -> tuple[tuple[int, ...], ...]:
    """What is equal for two paths that count as one; ``upcase`` is the expanded up-case table,
    None the mandatory one."""
    return tuple(upcased(name, upcase) for name in path.strip("/").split("/"))


def _fat_block(source, fat, number):
    """The block ``number`` of the FAT, which begins at the byte ``fat`` of ``source``."""
    return source.read(fat + number * _FAT_BLOCK, _FAT_BLOCK)


def _printable(name):
    """The name with `?` for what would disturb a terminal or cannot be encoded."""
    return "".join(character if character.isprintable() else "?" for character in name)


def _runs(clusters):
    """(first, count) of each run of ``clusters`` that follow each other."""
    found = []
    for cluster in clusters:
        if found and sum(found[-1]) == cluster:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((cluster, 1))
    return found
