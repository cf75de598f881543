"""A drive's life: what it has been written, and what has become of it, from new to the end.

What a drive does changes little from one erase to the next thousand. So a slice of it is simulated at a level of wear
until it is steady, and measured; then all blocks are aged by many erases at once, to the next level or to where the
next of them fails.
"""

import random
from dataclasses import dataclass
from typing import Any, NamedTuple

from .blocks import BAD
from .errors import WEAR_LAWS, limit, worn
from .parameters import Physical
from .rules import Work
from .slice import MOST_SLOTS, endurances, slice_of
from .timing import Timing
from .translation import ReadOnly

PATTERNS = ("sequential", "random", "ring")
#: Levels of wear at which the drive is looked at, unless blocks fail in between.
LEVELS = 20
#: Blocks' worth of user data in a slice: written in order, and at random or through a cache.
_CHUNKS = 2048, 512
#: Most slots of a block in a slice: without a cache, and with one, which is to be many blocks.
_SLOTS = MOST_SLOTS, 256
#: Random writes that are enough for a steady mean.
_ENOUGH = 16_384
#: Share of the spare blocks that are left that may fail from one measurement to the next.
_BATCH = 0.04


@dataclass
class Totals:
    """Of the whole drive since it was new: bytes of the host, bytes programmed, seconds; ``busy`` of those the host had
    to wait for the drive, and ``folding`` of them it emptied its cache: 0 where nobody knows how fast it is."""

    host: float = 0.0
    programmed: float = 0.0
    seconds: float = 0.0
    busy: float = 0.0
    folding: float = 0.0

    def add(self, other, times=1.0):
        """So many times the ``other`` came on top."""
        for name, value in vars(other).items():
            vars(self)[name] += times * value

    def since(self, other: "Totals") -> "Totals":
        """The difference to an earlier one."""
        return Totals(*(mine - its for mine, its in zip(vars(self).values(), vars(other).values())))


class Sample(NamedTuple):
    """The drive at one time. ``amplification``, ``taken`` and ``rate`` are of a window of writes there: flash writes
    for each of the host's, bytes a second that the drive can take for good if its data go the way they went here,
    through the cache and out of it again or past it (None: not known), and that it was written at.
    ``bad_blocks`` of the whole drive, None: not known; ``spare_left`` share of those that may fail; ``bit_errors`` by
    law, just after writing; ``cached`` share that went to the SLC cache first."""

    seconds: float
    host_bytes: float
    flash_bytes: float
    least: int
    mean: float
    most: int
    amplification: float
    taken: float | None
    rate: float
    bad_blocks: int | None
    spare_left: float | None
    bit_errors: dict
    cached: float


class Life:
    """A life of ``drive`` (:class:`.parameters.FlashDrive`) under writes of a ``pattern`` at ``rate`` bytes a second.

    ``pattern``: "sequential", the drive is filled in order, trimmed, and filled again; "ring", it is overwritten in
    order, never trimmed; "random", units at random, all over it. ``jumps``: from one level of wear to the next; without
    them every erase is simulated. ``chunks``: size of the slice. Members: ``samples``; ``read_only``;
    ``limit``: what limits the rate that the drive takes; ``slice``.
    """

    def __init__(self, drive, pattern, rate, *, jumps=True, chunks=None, seed=1):
        if pattern not in PATTERNS:
            raise ValueError(f"pattern {pattern!r}: must be one of {', '.join(PATTERNS)}")
        self.drive, self.pattern, self.rate = drive, pattern, rate
        cached = bool(drive.policy.cache_bytes or drive.policy.dynamic_bytes)
        self.slice = slice_of(drive, chunks or _CHUNKS[cached or pattern == "random"], _SLOTS[cached])
        self._flash = self.slice.translation(endurances(drive.physical.failures, self.slice.rules.blocks, seed))
        self._timing = Timing(drive)
        self._jumps = jumps
        self._draw = random.Random(seed).random
        self._unit = drive.policy.map_bytes * self.slice.factor
        units = self.slice.rules.units
        self._measured_units = max(units // 4, min(units, _ENOUGH)) if pattern == "random" else units
        self._place = 0
        self._credit = 0.0      # seconds that the drive had to itself, and has not used
        self._totals = Totals()
        self._front = Work()    # while the host waited
        self._background = Work()   # while it did not
        self._window = Totals(), Work(), Work()     # what the latest sample is of
        self.samples = []
        self.read_only = False
        self.limit = None

    def until(self, *, cycles=None, seconds=None, level=None):
        """Lives until the blocks were erased ``cycles`` times in the mean, or for ``seconds``, or to the end: until it
        is read-only. A sample every ``level`` erases. Returns the samples, at least one, the first of them after the
        few overwrites that it takes to be steady. Raises ``ValueError`` where the end cannot come, because nobody knows
        how its blocks fail."""
        failures = self.drive.physical.failures
        if cycles is None and seconds is None and (failures is None or not failures.share_per_1000):
            raise ValueError("physical.failures: nobody knows how its blocks fail, so not when it is read-only either")
        level = max(1, (level or self._expected(cycles, seconds) / LEVELS))
        try:
            self._settle()
            while not self.samples or not self._reached(cycles, seconds):
                self._level(level, cycles, seconds)
        except ReadOnly:
            self.read_only = True
            self._sample()
        return self.samples

    # One level ------------------------------------------------------------------------------------

    def _settle(self):
        """A new drive is written until it is in the steady state."""
        rules = self.slice.rules
        spare = rules.blocks / rules.chunks - 1
        if self.pattern == "random":
            self._flash.write_run(0, rules.units)
            self._totals.add(self._measured(self._flash.work))
            self._write(int(rules.units * (1 + 2 * spare)))
        else:
            self._write(int(rules.units * (2 + spare)))

    def _level(self, level, cycles, seconds):
        blocks, bad = self._flash.blocks, None
        while bad != blocks.bad:    # a window in which a block fails is neither before nor after it
            bad, before, work = blocks.bad, Totals(**vars(self._totals)), self._flash.work.copy()
            front, background = self._front, self._background
            self._write(self._measured_units)
            window, work = self._totals.since(before), self._flash.work - work
            self._window = window, self._front - front, self._background - background
            if not self._jumps:
                break
        if self._jumps and work.erases:
            each = blocks.good / work.erases    # windows for one erase of all blocks
            ahead = self._ahead(level, cycles, seconds and (seconds - self._totals.seconds) / (each * window.seconds))
            if ahead:
                blocks.age(ahead)
                self._totals.add(window, ahead * each)
        last = self.samples[-1].mean if self.samples else 0
        if not self.samples or blocks.spread[1] >= (last + level) * (1 - 1e-9) or self._reached(cycles, seconds):
            self._sample()

    def _ahead(self, level, cycles, cycles_left):
        """Erases of all blocks to jump: to the next sample, to the next failures, to the end."""
        flash = self._flash
        mean = flash.blocks.spread[1]
        last = self.samples[-1].mean if self.samples else 0
        ahead = [last + level - mean]
        if flash.blocks.endurance is not None:
            left = sorted(end - erases for end, erases, state in zip(
                flash.blocks.endurance, flash.blocks.erases, flash.blocks.state) if state < BAD)
            spare = flash.rules.most_bad - flash.blocks.bad
            ahead.append(left[min(len(left), max(1, round(_BATCH * spare))) - 1])
        if cycles is not None:
            ahead.append(cycles - mean)
        if cycles_left is not None:
            ahead.append(cycles_left)
        return max(0, int(min(ahead)))

    # Writing --------------------------------------------------------------------------------------

    def _write(self, units):
        """The host writes so many units of its pattern; the drive empties its cache in the time that is left."""
        flash, cached = self._flash, bool(self.slice.rules.cache_blocks)
        step, done = self.slice.rules.slots if cached else units, 0
        while done < units:
            before, part = flash.work.copy(), min(step, units - done)
            try:
                self._put(part)
            finally:
                work = flash.work - before
                self._front += work
                found = self._measured(work)
                self._totals.add(found)
            if cached and found.busy:
                self._credit += (found.seconds - found.busy) / self.slice.factor
                self._fold()
            done += part

    def _put(self, units):
        total = self.slice.rules.units
        if self.pattern == "random":
            draw = self._draw
            self._flash.write_all([int(draw() * total) for _ in range(units)])
            return
        while units:
            part = min(units, total - self._place)
            if self.pattern == "sequential" and not self._place:
                self._flash.trim(0, total)
            self._flash.write_run(self._place, part)
            self._place = (self._place + part) % total
            units -= part

    def _fold(self):
        flash = self._flash
        while self._credit > 0 and flash.cache_used:
            before = flash.work.copy()
            flash.fold(1)
            work = flash.work - before
            self._background += work
            seconds = self._timing.background(work) or 0
            self._credit -= seconds
            self._totals.folding += self.slice.factor * seconds
            self._totals.programmed += self._unit * work.programmed
        if not flash.cache_used:
            self._credit = min(0.0, self._credit)

    def _measured(self, work):
        """What the ``work`` of the slice is for the whole drive, while the host writes."""
        host = self._unit * work.host
        busy = self.slice.factor * (self._timing.seconds(work) or 0)
        return Totals(host, self._unit * (work.programmed + work.cached), max(host / self.rate, busy), busy)

    # Looking --------------------------------------------------------------------------------------

    def _reached(self, cycles, seconds):
        return any(goal is not None and now >= goal * (1 - 1e-9) for goal, now in (
            (cycles, self._flash.blocks.spread[1]), (seconds, self._totals.seconds)))

    def _sample(self):
        blocks, physical = self._flash.blocks, self.drive.physical
        window, work, background = self._window
        known, busy = physical.failures is not None, window.busy + window.folding
        self.limit = self._timing.limit(work, background)
        self.samples.append(Sample(
            self._totals.seconds, self._totals.host, self._totals.programmed, *blocks.spread,
            window.programmed / window.host if window.host else 0.0, window.host / busy if busy else None,
            window.host / window.seconds if window.seconds else self.rate,
            round(blocks.bad * self.slice.real_blocks / self.slice.rules.blocks) if known else None,
            max(0.0, 1 - blocks.bad / max(1, self._flash.rules.most_bad)) if known else None,
            bit_errors(physical, blocks.spread[1]), work.cached / work.host if work.host else 0.0))

    def _expected(self, cycles, seconds):
        """About how many erases there will be."""
        if cycles is not None:
            return cycles
        if seconds is not None:
            return seconds * self.rate / self.drive.physical.flash_bytes
        failures, rules = self.drive.physical.failures, self._flash.rules
        return failures.first_cycles + 1000 * rules.most_bad / rules.blocks / failures.share_per_1000


def bit_errors(physical: Physical, cycles: float) -> dict:
    """Raw bit error rate just after writing by each law; empty where what they rest on is not known."""
    errors: Any = physical.errors
    rated_cycles: Any = physical.rated_cycles
    if None in (errors.fresh, rated_cycles, errors.rest_year, errors.codeword_bits, errors.codeword_bytes):
        return {}
    at_rated = limit(errors.codeword_bytes, errors.codeword_bits) / errors.rest_year
    return {law: worn(law, cycles, errors.fresh, rated_cycles, at_rated) for law in WEAR_LAWS}
