"""What has become of the words of an operation, as the recorder of the contract knows it."""

from sata_recorder.core.drive_port import JournalKind
from sata_recorder.facts.units import SECTOR_WORDS

__all__ = ["ExtentRecord"]


class ExtentRecord:
    """Follows the commands of an operation, and checks at its end what must be true of them.

    Parameters: ``require(condition, sentence)``; ``lba``, ``sectors`` of the extent; ``verifies``
    as in :class:`.drive_port.DrivePortContract`. Sectors are counted from the first one of the
    extent on, those of spans after it.

    Members: ``lbas`` the LBA of each sector, ``bounds`` the sectors with which a span begins;
    ``place`` the word of the extent at which the command in flight begins; ``moved`` words
    of it; ``closed`` commands that were completed or have failed; ``good`` the words that the user
    of a playback is given; ``fresh`` those that were not found good yet, as (place, word);
    ``failed`` the latest command has, and no other has begun; ``tainted`` words that were not found
    good had been given then; ``answer`` the recorder's, (resume_offset, partial); ``done`` sectors
    in completed commands or delivered, ``skipped`` sectors; ``entries`` of the journal: (kind,
    sectors).
    """

    def __init__(self, require, lba, sectors, verifies):
        self.require = require
        self.verifies = verifies
        # An extent that cannot be moved may be huge.
        self.lbas, self.bounds = [*range(lba, lba + min(sectors, 1 << 16))], set()
        self.place = self.moved = self.closed = 0
        self.good, self.fresh = [], []
        self.tainted = self.failed = False
        self.answer, self._next = (0, 0), 0
        self.done, self.skipped = set(), set()
        self.entries = []

    @property
    def sectors(self):
        return len(self.lbas)

    def extend(self, lba, sectors):
        """A span follows."""
        self.bounds.add(self.sectors)
        self.lbas += range(lba, lba + sectors)

    # The command in flight ------------------------------------------------------------------------

    def comes(self, word):
        """A word of a playback."""
        self.fresh.append((self.place + self.moved, word))
        if not self.verifies:
            self._deliver(*self.fresh[-1])
        self.moved += 1

    def verify(self):
        """The words that have come are good."""
        if self.verifies:
            for place, word in self.fresh:
                self._deliver(place, word)
        self.fresh = []

    def _deliver(self, place, word):
        if place >= len(self.good):
            self.require(place == len(self.good), "the words of a playback come in order")
            self.good.append(word)

    def complete(self, writes):
        self.require(self.moved and not self.moved % SECTOR_WORDS,
                     f"a command moves whole sectors of 128 words, not {self.moved} words")
        self.require(writes or not self.fresh,
                     "each word of a command that is completed is verified")
        first = self.place // SECTOR_WORDS
        sectors = range(first, first + self.moved // SECTOR_WORDS)
        self.require(not self.bounds & {*sectors[1:]}, "a command belongs to one extent")
        self.done.update(sectors)
        self.place, self.moved = self.place + self.moved, 0
        self.closed += 1

    # What follows a failure -----------------------------------------------------------------------

    @property
    def _first(self):
        """The sector at which the command in flight begins."""
        return self.place // SECTOR_WORDS

    def fail(self, writes, retained):
        """The command has failed; ``answer`` is (resume_offset, partial) of it."""
        self.closed += 1
        self.failed = True
        self.tainted = any(place < len(self.good) for place, _ in self.fresh)
        self.fresh = []
        delivered = len(self.good)
        if writes:
            offset = 0 if retained else -(-self.moved // SECTOR_WORDS)
            self.answer = offset, 0
        else:
            offset = max(0, delivered // SECTOR_WORDS - self._first)
            self.answer = offset, int(delivered % SECTOR_WORDS != 0)
        self._next = self._first + offset

    def reread(self):
        self._next = self._first

    def skip(self, writes, sectors):
        first, self._next = self._next, self._next + sectors
        self.require(self._next <= self.sectors, "no sectors after the extent are skipped")
        self.skipped.update(range(self._first if writes else first, self._next))
        if not writes and sectors:
            self.good += [0] * (SECTOR_WORDS * self._next - len(self.good))

    def resume(self, writes):
        """The next command begins."""
        self._pass_over(writes)
        self.place, self.moved, self.failed = SECTOR_WORDS * self._next, 0, False

    def _pass_over(self, writes):
        """What lies before the next command is done in a playback, and else lost."""
        passed = set(range(self._first, self._next))
        if writes:
            self.skipped |= passed
        else:
            self.done |= passed - self.skipped

    # The end --------------------------------------------------------------------------------------

    def enter(self, kind, position, length):
        """An entry for the journal."""
        named = range(position, position + length)
        sectors = {sector for sector, lba in enumerate(self.lbas) if lba in named}
        # Of several extents it is told from the first sector to the last one.
        known = [named[0], named[-1]] if kind == JournalKind.UNFLUSHED and length else named
        self.require(length > 0 and {*known} <= {*self.lbas},
                     "the journal is told of sectors of the extent")
        self.entries.append((kind, sectors))

    def told(self, kind):
        """The sectors of the extent of which the journal was told so."""
        return {sector for told, sectors in self.entries if told == kind for sector in sectors}

    def judge_end(self, writes, words, side):
        """What must be true of the sectors once the operation is over."""
        require = self.require
        skipped, doubt = self.told(JournalKind.SKIPPED), self.told(JournalKind.IN_DOUBT)
        if self.failed and not (writes and doubt) and not self.tainted:
            self._pass_over(writes)
        require(skipped == self.skipped, "the journal is told of all sectors that are skipped, "
                                         "and of no others")
        require(self.failed or not doubt,
                "sectors are in doubt where an operation ends with a command that has failed")
        reach = self.done | skipped | doubt
        require(reach == set(range(len(reach))) and SECTOR_WORDS * len(reach) >= self.place
                + self.moved * self.failed,
                "up to the end of an operation each sector is done, skipped or in doubt")
        # Of a sector that was written twice the last time counts.
        latest = {lba: sector for sector, lba in enumerate(self.lbas) if sector in reach}
        for sector in sorted(self.done & {*latest.values()}):
            span = slice(SECTOR_WORDS * sector, SECTOR_WORDS * (sector + 1))
            disk = side.read(self.lbas[sector], 1)
            if writes:
                require(disk == words[span], "the words that were given are on the disk")
            else:
                require(disk == self.good[span], "the words of the extent come, in order")
        require(doubt or len(reach) == self.sectors,
                "the journal is told of the sectors in doubt when an operation ends early")
