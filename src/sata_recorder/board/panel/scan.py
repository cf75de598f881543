"""A range of the drive in blocks, one after the other, with the time that each took."""

import time
from dataclasses import dataclass, field

from ...facts.units import SECTOR_BYTES
from ...pc.console.sound import sound_fields

#: Most blocks of a scan.
MOST_BLOCKS = 10_000


class BadScan(ValueError):
    """A scan that cannot be done: one line with the name, the value and the limit."""


@dataclass(frozen=True)
class Block:
    """What the board reported about one block: its clocks from the start to the end, its words, and the
    error, None if it is good. ``mismatches`` are words that are not the pattern's."""

    lba: int
    sectors: int
    words: int
    clocks: int
    clock_hz: float
    error: str | None = None
    mismatches: int = 0

    @property
    def ms(self):
        """What it took, in ms of the core's clock."""
        return 1e3 * self.clocks / self.clock_hz

    @property
    def mb_per_s(self):
        """Its speed, with all that the drive needs before and after the data."""
        return 4 * self.words * self.clock_hz / self.clocks / 1e6 if self.clocks else 0.0


def planned_blocks(lba, sectors, block, count, capacity):
    """(first sector, sectors) of ``count`` blocks of ``block`` sectors, spread evenly over the
    ``sectors`` from ``lba`` on; ``count`` of 0: all, one after the other. Raises :class:`BadScan`."""
    if block < 1:
        raise BadScan(f"sectors of a block = {block}: at least 1")
    if not 0 <= lba < capacity:
        raise BadScan(f"first sector = {lba}: 0 to {capacity - 1:,}, the drive's last one")
    if sectors < block:
        raise BadScan(f"sectors = {sectors}: at least {block}, those of a block")
    if lba + sectors > capacity:
        raise BadScan(f"sectors = {sectors}: at most {capacity - lba:,}, to the drive's last one")
    every = sectors // block
    wanted = every if count == 0 else min(count, every)
    if count < 0 or wanted > MOST_BLOCKS:
        raise BadScan(f"blocks = {wanted if count == 0 else count}: 1 to {MOST_BLOCKS:,}; larger "
                      "blocks make fewer of them")
    if wanted == 1:
        return [(lba, block)]
    return [(lba + n * (sectors - block) // (wanted - 1), block) for n in range(wanted)] \
        if wanted < every else [(lba + n * block, block) for n in range(wanted)]


@dataclass
class Scan:
    """``plan`` of blocks, for each of which ``verb`` is requested; ``blocks`` are those that are done.

    ``state``: "running", "done", "stopped", "failed" or "lost"; ``error`` why it failed.
    """

    verb: str
    pattern: str
    plan: list
    blocks: list = field(default_factory=list)
    state: str = "running"
    error: str | None = None
    begun: float = field(default_factory=time.monotonic)

    @property
    def running(self):
        """Whether there is more to come."""
        return self.state == "running"

    @property
    def share(self):
        """The part of the blocks that is done, 0 to 1."""
        return len(self.blocks) / len(self.plan)

    def left(self):
        """Seconds until the end, at the pace so far; None if that is not known."""
        if not self.blocks:
            return None
        spent = time.monotonic() - self.begun
        return spent * (len(self.plan) - len(self.blocks)) / len(self.blocks)

    def next_line(self):
        """The request for the next block; None after the last one."""
        if len(self.blocks) == len(self.plan):
            return None
        lba, sectors = self.plan[len(self.blocks)]
        return f"{self.verb} {lba} {sectors} {self.pattern}"

    def told(self, answer, clock_hz):
        """Takes the answer to the latest request. An error of the drive belongs to its block; any other
        error ends the scan. Words that differ from the pattern were read all the same."""
        lba, sectors = self.plan[len(self.blocks)]
        fields = sound_fields(answer)
        error = None if answer.error == "mismatch" else answer.error
        if "clocks" in fields and error in (None, "drive-error"):
            self.blocks.append(Block(lba, sectors, fields["words"], fields["clocks"], clock_hz,
                                     error or ("sectors-skipped" if fields.get("skipped_sectors") else None),
                                     fields.get("mismatches", 0)))
        if error not in (None, "drive-error"):
            self.state, self.error = "failed", error
        elif fields.get("stopped"):
            self.state = "stopped"
        elif len(self.blocks) == len(self.plan):
            self.state = "done"

    def bytes(self):
        """Bytes of all blocks."""
        return sum(sectors for _, sectors in self.plan) * SECTOR_BYTES
