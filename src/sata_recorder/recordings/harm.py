"""What a recording outside of a free slot would destroy on a prepared image."""

from .drive import FREE, UNFINISHED, Drive
from .refused import Refused

__all__ = ["harm"]


def harm(path, lba, sectors):
    """Why ``sectors`` from ``lba`` on must not be recorded on the image ``path``, as the rest of a
    sentence; None where nothing is lost, or where it is no prepared image."""
    try:
        with Drive(path) as drive:
            for slot in drive.slots:
                if slot.lba <= lba and lba + sectors <= slot.lba + slot.sectors:
                    if drive.state(slot) in (FREE, UNFINISHED):
                        return None
                    return f"slot {slot.number} of {path} is not free"
            return (f"{path} is prepared for recordings, and none of its slots has the {sectors} "
                    "sectors from there")
    except (OSError, Refused):
        return None             # whoever records there tells what is wrong with it
