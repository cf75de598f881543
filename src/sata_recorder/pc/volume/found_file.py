"""Where an existing file of any exFAT volume is."""

from dataclasses import dataclass
from pathlib import Path

from ...facts.units import SECTOR_BYTES
from .disk import OpenDisk
from .disk_reader import DiskReader
from .exfat import BootSector, FileSet, Malformed, Volume
from .partitions import partitions
from .recording import extents_of
from .refused import Refused

__all__ = ["find_file"]


@dataclass(frozen=True)
class FoundFile:
    """An existing file on a volume that need not have been prepared."""

    path: str
    file: FileSet
    extents: tuple              # of all its clusters' sectors up to its length
    directory_lba: int
    directory_offset: int
    boot: BootSector


def find_file(path: str | Path, wanted: str, source: OpenDisk | None = None) -> FoundFile:
    """The :class:`FoundFile` ``wanted`` on the first exFAT volume of the drive or image ``path``, which is closed in
    the end; ``source`` is that if it is open already.

    Raises :exc:`.refused.Refused`; also for a file that is not contiguous, on which a recording
    would be in parts.
    """
    with DiskReader(path) if source is None else source as source:
        try:
            volume = _first_volume(source)
            node = volume.find(wanted)
            if node is None or node.is_directory:
                raise Refused(f"{path}: has no file {wanted}")
            extents = tuple(extents_of(volume, node.set))
        except (OSError, Malformed) as error:
            raise Refused(f"{path}: {error}") from None
        if len(extents) != 1:
            what = f"is in {len(extents)} parts" if extents else "is empty"
            raise Refused(f"{path}: {wanted} {what}; a recording needs sectors in a row")
        return FoundFile(node.path, node.set, extents, *divmod(node.place, SECTOR_BYTES), volume.boot)


def _first_volume(source: OpenDisk) -> Volume:
    """The first exFAT volume. What cannot be read may be one: then none after it is the first."""
    faults = []
    for start, _ in partitions(source):
        try:
            return Volume(source, start)
        except Malformed as error:
            faults.append(error)
    raise faults[0] if faults else Malformed("has no partition")
