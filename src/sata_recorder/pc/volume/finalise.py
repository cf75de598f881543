"""What is done when a recording ends: the reference of what hardware does, step by step.

A sequencer without a processor needs, besides the numbers of the recording, one sector of the
recording table (:class:`.table.Slot`) and one sector of the directory. It writes the log and that
sector; nothing else on the drive changes.
"""

from dataclasses import dataclass

from .entries_of_slot import MOST_NAME, data_name, directory_sector, is_free
from .exfat import check_name
from .refused import Refused
from .table import Log, Slot

__all__ = ["FLUSH", "SectorWrite", "check_length_and_name", "finalise"]


@dataclass(frozen=True)
class SectorWrite:
    """Sectors from ``lba`` on that get this content."""

    lba: int
    content: bytes


#: All that was written so far must be on the medium before anything else is written.
FLUSH = "FLUSH CACHE"


def finalise(slot: Slot, sector: bytes, cluster_bytes: int, log: Log, *,
             name: str | None = None) -> list[SectorWrite | str]:
    """The writes and flushes that make a file of what was recorded in ``slot``, in their order.

    Parameters: ``sector`` is the content of the slot's directory sector, ``cluster_bytes`` the bytes of a cluster of
    the volume, ``log`` the :class:`.table.Log`, whose ``bytes`` are the length of the file; ``name`` of at most 15
    characters, None for the one that the slot has. Raises :exc:`.refused.Refused`.

    The data are on the medium before anything states that they are there. The log and the directory
    may reach it in either order: each of the four states is a sound file system.
    """
    name = data_name(slot.number) if name is None else name
    check_length_and_name(slot, log.bytes, name)
    if not is_free(sector, slot):
        raise Refused(f"slot {slot.number}: is not free: it has a recording, or another system has "
                      "changed its files")
    return [FLUSH, SectorWrite(slot.log_lba, log.pack()),
            SectorWrite(slot.directory_lba,
                  directory_sector(sector, slot, cluster_bytes, log.bytes, name, log.started)), FLUSH]


def check_length_and_name(slot: Slot, size: int, name: str) -> None:
    """Refuses a file of ``size`` bytes, or this ``name``, for a slot. Raises
    :exc:`.refused.Refused`."""
    if not 1 <= size <= slot.bytes:
        raise Refused(f"{size} bytes: slot {slot.number} takes 1 to {slot.bytes}")
    try:
        check_name(name)
    except ValueError as error:
        raise Refused(f"name {name!r}: {error}") from None
    if any(0xD800 <= ord(letter) < 0xE000 for letter in name):     # bytes of the command line that are no text
        raise Refused(f"name {name!r}: is no text")
    if len(name.encode("utf-16-le")) > 2 * MOST_NAME:
        raise Refused(f"name {name!r}: has more than {MOST_NAME} characters")
