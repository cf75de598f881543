"""A new drive that is written in order as fast as it takes it: its rate, and where that falls."""

from typing import NamedTuple

from .parameters import FlashDrive
from .slice import slice_of
from .timing import Timing

#: Blocks' worth of user data in the slice: as exact as the places are.
_CHUNKS = 2048
#: Rates that differ by less are one.
_SAME = 0.02


class Stretch(NamedTuple):
    """Until ``end`` bytes from the first one the drive takes ``rate`` bytes a second, limited by ``limit``."""

    end: float
    rate: float
    limit: str | None


def first_fill(drive: FlashDrive) -> list:
    """The :class:`Stretch` es of one fill, first to last, without a pause; none where no rate of it is known."""
    part, timing = slice_of(drive, _CHUNKS, 256), Timing(drive)
    flash, unit = part.translation(), drive.policy.map_bytes * part.factor
    found: list[Stretch] = []
    for chunk in range(part.rules.chunks):
        before = flash.work.copy()
        flash.write_run(chunk * part.rules.slots, part.rules.slots)
        work, end = flash.work - before, unit * (chunk + 1) * part.rules.slots
        rate = timing.rate(work)
        if rate is None:
            return []
        if found and abs(rate / found[-1].rate - 1) < _SAME:
            found[-1] = found[-1]._replace(end=end)
        else:
            found.append(Stretch(end, rate, timing.limit(work)))
    return found
