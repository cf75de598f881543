"""How long the flash of a drive takes for what the host writes, command by command."""

import random

from ..medium.medium import Medium
from ..medium.inside_profile import inside_profile
from ..medium.pace import FINE
from ..medium.profile import Profile, ProfileError
from .parameters import FlashDrive
from .rules import Work
from .slice import slice_of
from .timing import Timing

#: What the drive was written before: nothing; all of it in order, in one go; the same, and then a long pause; units at
#: random all over it, until that costs no more than before.
STATES = ("new", "filled", "rested", "steady")
#: Blocks' worth of user data in the slice that stands for a drive in the steady state.
_STEADY = 512
#: More slots than a drive has blocks' worth of: none is left out.
_ALL = 1 << 40


class FlashPace:
    """In the place of :class:`..medium.pace.WritePace`: the whole map of a :class:`.parameters.FlashDrive`.

    ``state`` is one of :data:`STATES`. In that of "steady" the map is of a slice of the drive, over which the places
    of all of it are spread: random writes cost what they cost then, wherever they are. Members: ``flash`` the
    translation layer. Raises `ProfileError` where no rate of the drive is known.
    """

    def __init__(self, drive, dword_hz, state="new"):
        check_flash_rate(drive)
        self._timing = Timing(drive)
        self._second = round(dword_hz) << FINE
        self._unit = drive.policy.map_bytes
        self._alone = drive.policy.partial_writes == "alone"
        part = slice_of(drive, _STEADY if state == "steady" else _ALL)
        self.flash, rules = part.translation(), part.rules
        # Of a drive that is no larger than its slice every place is simulated.
        self._factor = part.factor if state == "steady" and part.factor > 1 else 1
        self._slice = self._factor > 1
        self._units = rules.units
        if state != "new":
            self.flash.write_run(0, self._units)
        if state == "steady":
            draw, count = random.Random(1).random, int(rules.units * (1 + 2 * (rules.blocks / rules.chunks - 1)))
            self.flash.write_all([int(draw() * rules.units) for _ in range(count)])
        if state == "rested":
            self._fold(float("inf"))
        self._credit = 0.0      # idle seconds that were not used, or more than there were
        self._next = None       # byte where the write before ended
        self._begun = 0         # the unit after the last one that the write before touched

    def take(self, lba: int, size: int) -> tuple:
        """As of `WritePace`: (time, no stalls) for ``size`` bytes at ``lba``."""
        start, unit = 512 * lba, self._unit
        end = start + size
        first, last = start // unit, -(-end // unit)
        partial = 0
        if start != self._next:
            # Whether the end of the write before stays a part of a unit was not known until now.
            partial = bool(self._next and self._next % unit and self._begun - 1 != first) + bool(start % unit)
        elif start % unit:
            first = self._begun     # more of the unit that the write before began
        before = self.flash.work.copy()
        if last > first:
            count = last - first
            # The map is of whole blocks: the few units beyond it are as those before.
            at = first % self._units if self._slice else first
            self.flash.write_run(min(at, self._units - count), count)
        self._next, self._begun = end, max(last, first)
        seconds = self._timing.seconds(self.flash.work - before) + self._timing.partial(partial, self._alone)
        return round(seconds * self._second), []

    def idle(self, time):
        """The drive had nothing to do for ``time`` fine units: its SLC cache is emptied."""
        if self.flash.rules.cache_blocks:
            self._credit += time / self._second
            self._credit = self._fold(self._credit)

    def _fold(self, seconds):
        """What is left of ``seconds`` after the cache was emptied, or less than nothing."""
        flash = self.flash
        while seconds > 0 and flash.rules.cache_blocks and flash.cache_used:
            before = flash.work.copy()
            flash.fold(1)
            seconds -= self._timing.background(flash.work - before) or 0
        return min(0.0, seconds)

    def flushed(self):
        """FLUSH CACHE has been done."""
        self.flash.flush()

    def trim(self, lba, sectors):
        """The whole units of these sectors hold nothing any more."""
        first = -(-512 * lba // self._unit)
        last = min(round(self._units * self._factor), 512 * (lba + sectors) // self._unit)
        if last > first and self._slice:
            # All of a slice is trimmed with all of the drive, and a part of it with as large a part.
            first, last = first % self._units, first % self._units + round((last - first) / self._factor)
            self.flash.trim(first, min(last, self._units) - first)
            self.flash.trim(0, max(0, last - self._units))
        elif last > first:
            self.flash.trim(first, last - first)


def check_flash_rate(drive):
    """Raises `ProfileError` where no rate of the drive is known, without which it cannot be simulated."""
    if Timing(drive).seconds(Work(host=1)) is None:
        raise ProfileError(f"{drive.name}: no rate of its flash or its controller is known")


def flash_profile(drive, timing=None):
    """The profile of a :class:`.parameters.FlashDrive`, whose timing profile is ``timing``, if it has one. Its rate of
    reading is that of the timing profile; without one it is the link's."""
    ram = {"buffer_bytes": max(16_384, drive.policy.ram_bytes)} if "ram_bytes" in drive.policy.model_fields_set else {}
    read = {"access_us": drive.physical.read_us or 0}
    if timing is not None:
        known = timing.read.model_dump(exclude_unset=True)
        read |= {name: known[name] for name in ("mb_per_s", "access_us") if name in known}
    return inside_profile(drive, timing, {"write": ram, "read": read},
                          capacity_sectors=drive.physical.user_bytes // 512)


def flash_medium(drive: FlashDrive, profile: Profile, dword_hz: float, state: str = "new") -> Medium:
    """The medium of a drive with this flash; ``profile`` is that of :func:`flash_profile`, ``dword_hz`` the dword clock
    of the line in Hz. Raises `ProfileError`."""
    return Medium(profile, dword_hz, FlashPace(drive, dword_hz, state))
