"""What a recording outside of a free slot would destroy on a prepared image."""

from pathlib import Path

from .disk import OpenDisk
from .drive import FREE, RECORDED, UNFINISHED, Drive
from .free_slots import way_out
from .md_member import is_mirror
from .refused import Refused

__all__ = ["harm"]


def harm(path: str | Path, lba: int, sectors: int, source: OpenDisk | None = None) -> str | None:
    """Why ``sectors`` from ``lba`` on must not be recorded on the image ``path``, as a sentence or the rest of one;
    None if nothing would be lost, or if it is no prepared image. ``source`` is the image, or the array, if it is open
    already."""
    try:
        with Drive(path, source) as drive:
            if is_mirror(drive.source):
                return f"{path} is one of two mirrors (Linux md): a recording on it alone would not be on the other"
            for slot in drive.slots:
                if slot.lba <= lba and lba + sectors <= slot.lba + slot.sectors:
                    return _harm_in(drive, slot)
            return (f"{path} is prepared for recordings, and none of its slots has the {sectors} "
                    "sectors from there")
    except Refused as error:
        # What else is wrong with it is reported when it is recorded on.
        return f"{error}" if error.damaged else None
    except OSError as error:
        return f"what is on {path} cannot be read, so that it may be lost: {error.strerror or error}"


def _harm_in(drive, slot):
    state = drive.state(slot)
    if state == FREE:
        return None
    what = f"slot {slot.number} of {drive.path} is not free"
    if state == UNFINISHED:
        return f"{what}: it has a recording that `sata-recorder finalise` makes a file"
    if state == RECORDED:
        return what
    if drive.changes:
        return f"{what}: {drive.changes[0]}; {way_out(drive.path)}"
    return f"{what}: {drive.taken[slot.number].text}"
